"""Stages of our compiler: planted defects are found in the stage that has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.launches import newest
from tests.programs import call
from tileir.__main__ import main
from tileir.bisect.stages import (
    ALL_LEFT_OUT,
    BEHIND,
    Compiled,
    bisect_optional,
    bisect_texts,
    compiled_by_stages,
    first_failing,
    stages_made,
    without_legend,
)
from tileir.codegen import optional_stages, pipeline
from tileir.predicates import Limits, Verdict
from tileir.predicates.answer import Answer
from tileir.predicates.close import first_difference
from tileir.predicates.ours import asked, launched

from .planted import CRASHING

PATH = FIXTURES / "13.1" / "loop_sum.tileirbc"
LOOP_SUM = PATH.read_bytes()
MATMUL = (FIXTURES / "13.1" / "matmul.tileirbc").read_bytes()


def made(monkeypatch: pytest.MonkeyPatch, path: Path, stage: str, planted: Any) -> tuple[str, ...]:
    """What fails, if a stage is another in this process, and the last stage that does not."""
    of = pipeline.stage_of
    monkeypatch.setenv("TILEIR_VERIFY", "0")
    monkeypatch.setattr(
        pipeline, "stage_of", lambda family, name: planted if name == stage else of(family, name)
    )
    request = json.dumps({"target": "sm_90", "told": str(path / "told")}).encode()
    answer = json.loads(stages_made(request + b"\n" + LOOP_SUM))
    last = (path / "told").read_text().splitlines()[-1]
    return answer["problem"], json.loads(last)[0]


def test_a_stage_that_leaves_a_broken_body(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def planted(state: Any) -> None:
        kernel = state.kernels[0].kernel
        op = next(op for op in kernel.body.walk() if op.name == "addf")
        op.attributes["rounding_mode"] = "full"
        kernel.edited()

    problem, last = made(monkeypatch, tmp_path, "hoist_invariants", planted)
    assert problem.startswith("StageError: stage hoist_invariants left loop_sum invalid")
    assert last == "share_common_ops"


def test_a_stage_that_raises(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def planted(state: Any) -> None:
        raise AssertionError("of our own making")

    found = made(monkeypatch, tmp_path, "choose_atoms", planted)
    assert found == ("AssertionError: of our own making", "place_variables")


def test_a_stage_that_ends_the_process() -> None:
    by = "tests.tileir.bisect.planted:stages_that_crash"
    compiled = compiled_by_stages(LOOP_SUM, "sm_90", Limits(), by)
    assert compiled.failed == CRASHING
    assert "SIGABRT" in compiled.problem
    names = pipeline.STAGES["nvptx"]
    assert list(compiled.texts) == list(names[: names.index(CRASHING)])
    (change,) = first_failing(compiled, names).changes
    assert (change.before, change.after) == ("prefer_layouts", CRASHING)


def test_what_fails_behind_all_stages() -> None:
    by = "tests.tileir.bisect.planted:stages_and_a_fault_behind"
    compiled = compiled_by_stages(LOOP_SUM, "sm_90", Limits(), by)
    assert (compiled.failed, compiled.problem) == (BEHIND, "AssertionError: behind all of it")
    names = pipeline.STAGES["nvptx"]
    (change,) = first_failing(compiled, names).changes
    assert (change.before, change.after) == (names[-1], BEHIND)


def test_texts_that_are_the_same_are_asked_once() -> None:
    asked: list[str] = []

    def ask(text: str) -> Verdict:
        asked.append(text)
        return Verdict(text == "b", "")

    compiled = Compiled(dict(zip("12345", "aabbb", strict=True)))
    found = bisect_texts(compiled, ask, everywhere=True)
    assert [str(change) for change in found.changes] == ["holds: 2 -> 3"]
    assert asked == ["a", "b"]


def test_a_legend_is_no_text_of_the_kernel() -> None:
    assert without_legend("// mma\n\n//  b\n\nkernel {\n  // mma\n") == "kernel {\n  // mma\n"
    assert without_legend("") == ""


@pytest.mark.parametrize(
    ("data", "words", "code", "problem"),
    [
        (LOOP_SUM[:200], [], 3, "in header: "),
        (b"entry @e( {", [], 3, "expected a name"),
        (LOOP_SUM, ["--target", "sm_9"], 4, "no target 'sm_9'"),
        (LOOP_SUM, ["--differs", "host,sm_90"], 2, "--stages asks of texts"),
        (LOOP_SUM, ["--list"], 2, "--list is about releases"),
    ],
)
def test_what_is_refused(data: bytes, words: list[str], code: int, problem: str) -> None:
    done = call(main, "bisect", "-", "--stages", *words, data=data)
    assert (done.returncode, done.stdout) == (code, "")
    assert problem in done.stderr


def test_the_command_asks_the_texts_of_stages() -> None:
    done = call(main, "bisect", PATH, "--stages", "--matches", r"^\s*%\S+ = make_partition_view")
    assert done.returncode == 0
    assert (
        "first stage where it ceases to hold: emit_llvm (unroll_loops -> emit_llvm)" in done.stdout
    )


NAMES = optional_stages.OPTIONAL["nvptx"]
LEFT_OUT = [NAMES, *((name,) for name in NAMES)]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("left_out", LEFT_OUT, ids=["all", *NAMES])
def test_optional_stages_can_be_left_out(left_out: tuple[str, ...]) -> None:
    """A kernel with rings, warps with roles and tensor copies computes the same."""
    values = []
    for names in ((), left_out):
        with optional_stages.without({"nvptx": names}):
            answer = Answer.from_bytes(launched(asked("sm_90", 2, MATMUL, {})))
        assert answer.values, answer
        values.append(answer.values)
    for one, other in zip(*values, strict=True):
        assert first_difference(one.element, one.data, other.data) is None


def test_the_optional_stage_at_fault_is_found() -> None:
    class Planted:
        description = "hoist_invariants runs"

        def __init__(self, left_out: Any) -> None:
            self._runs = "hoist_invariants" not in left_out["host"]

        def examine(self, data: bytes) -> Verdict:
            return Verdict(self._runs, "")

    found = bisect_optional(b"", Planted, "host")  # type: ignore[arg-type]
    (change,) = found.changes
    assert (change.before, change.after, change.holds) == (
        "share_common_ops",
        "hoist_invariants",
        True,
    )
    assert found.points[0].name == ALL_LEFT_OUT


def test_what_is_compiled_without_stages_is_not_kept(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    with optional_stages.without({"host": ["hoist_invariants"]}):
        tileir.compile(newest("vector_add"), "host")
    assert not list(tmp_path.iterdir())


def test_no_stage_that_is_needed_is_left_out() -> None:
    left_out = optional_stages.without({"host": ["emit_llvm"]})
    with pytest.raises(ValueError, match="cannot do without stage 'emit_llvm'"), left_out:
        pass
    for family, names in optional_stages.OPTIONAL.items():
        assert set(names) < set(pipeline.STAGES[family])


def test_without_a_question_it_asks_whether_compiling_fails() -> None:
    done = call(main, "bisect", PATH, "--stages", "--target", "sm_90")
    first, *_, last = done.stdout.splitlines()
    assert first == "does compiling for sm_90 fail?"
    assert last == "no stage changes the answer: no everywhere"
