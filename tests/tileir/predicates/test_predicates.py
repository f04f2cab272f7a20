"""Predicates about tools, with planted tools; and what they say where nothing is planted."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from tests.launches import newest
from tileir.command_line.argument_parser import Parser
from tileir.command_line.exit_codes import UsageError
from tileir.errors import ToolError, UnsupportedError
from tileir.predicates import Bench, Crashes, Differs, Limits, Says, Subject
from tileir.predicates.answer import Answer, Values
from tileir.predicates.arguments import arguments_for
from tileir.predicates.close import first_difference
from tileir.predicates.options import add_options, predicate_given
from tileir.predicates.subjects import GPU, SUBJECTS

from .fakes import toolkit

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tools are scripts of sh")

VECTOR_ADD = bytes(newest("vector_add").data)
TILEIRAS, DISASSEMBLER = Subject.of("tileiras:sm_90"), Subject.of("tileirdisasm")


HERE = Bench()
"""Its child is that of all tests, since it takes a while to start one."""


def bench(tmp_path, **tools: str) -> Bench:
    return HERE.using(toolkit(tmp_path / "release", **tools))


@pytest.mark.parametrize(
    ("script", "holds", "seen"),
    [
        ("exit 0", False, "accepts it"),
        ("echo 'error: no' >&2; exit 5", False, "refuses it: error: no"),
        ("kill -SEGV $$", True, "was killed by SIGSEGV"),
        ("kill -ABRT $$", True, "was killed by SIGABRT"),
        ("echo 'LLVM ERROR: out of things' >&2; exit 1", True, "LLVM ERROR: out of things"),
        ("echo 'what(): std::bad_alloc' >&2; kill -ABRT $$", None, "it needed more memory"),
        ("echo \"x.cpp:7: Assertion 'a' failed.\" >&2; exit 1", True, "Assertion 'a' failed."),
        ("echo \"Cannot find option named 'sm_90'!\" >&2; exit 1", None, "Cannot find"),
    ],
)
def test_crashes(tmp_path, script: str, holds: bool, seen: str) -> None:
    verdict = Crashes(TILEIRAS, bench(tmp_path, tileiras=script)).examine(b"")
    assert verdict.holds is holds
    assert verdict.seen.startswith(seen)


def test_too_long_is_no_crash(tmp_path) -> None:
    fake = toolkit(tmp_path / "release", tileiras="sleep 100")
    assert not Crashes(TILEIRAS, Bench(Limits(seconds=0.5), fake)).holds(b"")


def test_a_tool_that_a_release_lacks(tmp_path) -> None:
    with pytest.raises(ToolError, match=r"release 13\.9\.0 has no tileirdisasm"):
        Crashes(DISASSEMBLER, bench(tmp_path)).holds(b"")


def test_says(tmp_path) -> None:
    here = bench(tmp_path, tileiras='echo "a (b)"; echo "at 0x7" >&2; exit 3')
    assert Says.text("(b)", TILEIRAS, here).holds(b"")
    assert not Says.text("b.", TILEIRAS, here).holds(b"")
    verdict = Says("^at 0x[0-9]$", TILEIRAS, here).examine(b"")
    assert verdict == (True, "at 0x7")


def test_texts_differ(tmp_path) -> None:
    words = ["dis", "tileirdisasm"]
    pair = [Subject.of(word) for word in words]
    planted = bench(tmp_path, tileirdisasm="echo 'entry @e() {'; echo '  odd'")
    assert Differs(*pair, planted).examine(b"entry @e() { return }") == (
        True,
        "line 2, column 3: dis: '  return'; tileirdisasm: '  odd'",
    )
    assert Differs(*pair, planted).examine(b"no Tile IR").holds is None


def test_verdicts_differ(tmp_path) -> None:
    pair = [Subject.of("verify"), TILEIRAS]
    strict = bench(tmp_path / "strict", tileiras="echo 'error: never' >&2; exit 5")
    assert Differs(*pair, strict).examine(VECTOR_ADD) == (
        True,
        "verify: accepts it; tileiras for sm_90: refuses it: error: never",
    )
    assert not Differs(*pair, strict).holds(b"no Tile IR")
    dead = bench(tmp_path / "dead", tileiras="kill -SEGV $$")
    assert Differs(*pair, dead).examine(VECTOR_ADD).holds is None, "a crash is no verdict"


def test_values_differ(monkeypatch) -> None:
    def wrong(bench: Bench, target: str, data: bytes) -> Answer:
        *rest, last = Subject.of("host").ask(data, bench).values or ()
        return Answer(values=(*rest, Values(last.element, b"\0" * 3 + b"A" + last.data[4:])))

    pair = [Subject.of("host"), Subject.of("sm_90")]
    assert Differs(*pair, HERE).examine(VECTOR_ADD) == (False, "the same values")
    monkeypatch.setitem(SUBJECTS, GPU, SUBJECTS[GPU]._replace(ask=wrong))
    verdict = Differs(*pair, HERE).examine(VECTOR_ADD)
    assert verdict.holds
    assert verdict.seen.startswith("array 2, element 0: host: ")
    assert verdict.seen.endswith("sm_90: 8.0")


UNDEFINED = b"""
entry @divides(%p: !cuda_tile.tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %odd = divi %one, %zero signed rounding<zero> : tile<i32>
  %t = store_ptr_tko weak %p, %odd : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


def test_what_is_undefined_does_not_differ(monkeypatch) -> None:
    never = SUBJECTS[GPU]._replace(ask=lambda *_: Answer(values=()))
    monkeypatch.setitem(SUBJECTS, GPU, never)
    verdict = Differs(Subject.of("host"), Subject.of("sm_90"), HERE).examine(UNDEFINED)
    assert verdict.holds is None
    assert "divi" in verdict.seen


def test_our_own_tools_do_not_crash_of_what_is_no_module() -> None:
    here = HERE
    for name in ("dis", "verify", "host"):
        for data in (b"", b"\xff\xfe", b"entry @", b"\x7fTileIR\0\x0d\x01"):
            assert not Crashes(Subject.of(name), here).holds(data), (name, data)


def test_copies_answer_the_same(tmp_path) -> None:
    here = bench(tmp_path, tileiras="kill -SEGV $$")
    for predicate in (Crashes(TILEIRAS, here), Says.text("x", TILEIRAS, here)):
        copy = pickle.loads(pickle.dumps(predicate))
        assert copy.description == predicate.description
        assert copy.holds(b"") == predicate.holds(b"")


def test_arguments_are_the_same_each_time_and_fit() -> None:
    function = newest("matmul").functions[0]
    one, other = (arguments_for(function, 2) for _ in range(2))
    assert one.elements == other.elements
    for mine, theirs in zip(one.arguments, other.arguments, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_is_close() -> None:
    def bytes_of(*numbers: float) -> bytes:
        return np.array(numbers, np.float32).tobytes()

    nan, inf = float("nan"), float("inf")
    assert first_difference("f32", bytes_of(1000, 1), bytes_of(1000, 1.5)) is None
    assert first_difference("f32", bytes_of(10, 1), bytes_of(10, 1.5)) == (1, 1.0, 1.5)
    assert first_difference("f32", bytes_of(nan, inf), bytes_of(-nan, inf)) is None
    assert first_difference("f32", bytes_of(inf), bytes_of(-inf)) == (0, inf, -inf)
    assert first_difference("f32", bytes_of(1, nan), bytes_of(1, 1)) is not None
    assert first_difference("i8", b"\1\2", b"\1\3") == (1, 2, 3)


def test_answers_survive_the_way() -> None:
    answer = Answer(True, "t\n", (Values("f32", b"\n\0"), Values("i8", b"")), "s", "c", "m")
    assert Answer.from_bytes(answer.to_bytes()) == answer
    assert Answer.from_bytes(Answer().to_bytes()) == Answer()


def given(*words: str):
    parser = Parser()
    add_options(parser)
    return predicate_given(parser.parse_args(words))


def test_options_name_predicates() -> None:
    assert given("--crashes", "tileiras:sm_120").description == "tileiras for sm_120 crashes"
    assert given("--says", "a.b").description == 'tileiras for sm_100 says "a.b"'
    assert given("--matches", "a.b", "--of", "verify").description == "verify says /a.b/"
    assert given("--says", "a\nb", "--of", "dis").description == 'dis says "a\\nb"'
    assert given("--matches", "a\nb", "--of", "dis").description == "dis says /a\\nb/"
    assert given("--test", "cat 'a\nb'").description.endswith("/cat 'a\\nb' ends with exit code 0")
    expected = "the values of host and sm_90 differ"
    assert given("--differs", "host,sm_90").description == expected
    assert given("--test", "true x").description.endswith("true x ends with exit code 0")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "say what is asked"),
        (["--crashes", "tilleiras"], "did you mean tileiras?"),
        (["--crashes", "verify:sm_90"], "is asked about no GPU"),
        (["--crashes", "tileiras:sm_91"], "no GPU 'sm_91'"),
        (["--differs", "dis"], "takes two"),
        (["--differs", "dis,verify"], "dis gives text and verify gives verdict"),
        (["--differs", "dis,dis"], "nothing to compare"),
        (["--matches", "("], "--matches: "),
        (["--matches", "a{99999999999}"], "--matches: "),
        (["--crashes", "host", "--memory", "99999999999999"], "--memory: "),
        (["--test", "'"], "quotation"),
        (["--crashes", "dis", "--of", "dis"], "--of is for"),
        (["--crashes", "host", "--grid", "0"], "--grid takes"),
        (["--crashes", "host", "--timeout", "0"], "--timeout: "),
        (["--crashes", "host", "--memory", "0"], "--memory: "),
    ],
)
def test_options_that_make_no_sense(words: list[str], problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        given(*words)
    assert problem in str(caught.value)


def test_subjects_that_there_are_not() -> None:
    for name in ("gpu", "gpu:sm_90", "sm_90:sm_90", ""):
        with pytest.raises(UnsupportedError):
            Subject.of(name)


@pytest.mark.oracle
def test_with_nvidias_tools() -> None:
    here = HERE
    assert not Differs(Subject.of("dis"), DISASSEMBLER, here).holds(VECTOR_ADD)
    assert not Differs(Subject.of("verify"), TILEIRAS, here).holds(VECTOR_ADD)
    broken = VECTOR_ADD[:8] + b"\xff\xff" + VECTOR_ADD[10:]
    assert Says.text("unsupported", DISASSEMBLER, here).holds(broken)
    assert not Crashes(TILEIRAS, here).holds(broken)
