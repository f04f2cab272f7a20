"""`tileir advise`: what it prints, and how it exits."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.corpus import FIXTURES
from tileir.__main__ import main
from tileir.codegen.advise.rules import RULES

MATMUL = str(FIXTURES / "13.1" / "matmul.tileirbc")
ALIGNED = str(FIXTURES / "13.1" / "vector_add_aligned.tileirbc")
QUIET = ["--target", "sm_90", "--no-ptxas"]


def test_text(capsys) -> None:
    assert main(["advise", *QUIET, MATMUL]) == 0
    head, finding, figure, fix, why, also = capsys.readouterr().out.splitlines()
    assert head == f"{MATMUL}: kernel matmul: one finding for sm_90"
    assert "matrix.py:59:0: likely: threads copy a tile that" in finding
    assert figure == "    who copies the tile, now: threads; with the fix: tensor copies"
    assert fix == "    fix: assume div_by<8> of parameter 13 (stride 0 of array 2)"
    assert why.endswith("a stride is only known to be a multiple of 2 bytes")
    assert also.startswith("    also at ")
    assert also.endswith("matrix.py:68:4")


def test_nothing_is_one_sentence(capsys, monkeypatch) -> None:
    data = (FIXTURES / "13.1" / "vector_add_aligned.tileirbc").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert main(["advise", *QUIET, "-"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith(": no rule knows how to make it faster on sm_90")


def test_json(capsys) -> None:
    assert main(["advise", *QUIET, "--grid", "10,2", "--json", MATMUL]) == 0
    document = json.loads(capsys.readouterr().out)
    (file,) = document["files"]
    assert (document["schema"], file["file"], file["target"]) == (2, MATMUL, "sm_90")
    launch, view = file["findings"]
    assert file["problem"] is None
    assert (view["rule"], view["line"], view["op"]) == ("no-tensor-copy", 59, "make_tensor_view")
    assert [place["line"] for place in view["also"]] == [68]
    assert (view["before"], view["after"]) == (0, 1)
    assert (launch["rule"], launch["line"], launch["op"]) == ("thin-grid", None, None)
    assert launch["gain"] > view["gain"]


@pytest.mark.parametrize(("columns", "findings"), [(64, "one finding"), (63, "no rule")])
def test_arguments_tell_what_cannot_be_promised(capsys, columns: int, findings: str) -> None:
    arrays = [f"zeros:64x{each}:f16" for each in (32, 64, columns)]
    arrays[1] = "zeros:32x64:f16"
    given = [word for each in arrays for word in ("--array", each)]
    assert main(["advise", *QUIET, *given, MATMUL]) == 0
    assert findings in capsys.readouterr().out.splitlines()[0]


def test_a_file_that_fails_does_not_hide_the_others(capsys, tmp_path) -> None:
    broken, absent = tmp_path / "broken.tileirbc", tmp_path / "absent"
    broken.write_bytes(b"\x7fTileIR")
    assert main(["advise", *QUIET, str(absent), str(broken), MATMUL, ALIGNED]) == 3
    said = capsys.readouterr()
    heads = [line for line in said.out.splitlines() if ": kernel " in line]
    assert [head.partition(": ")[0] for head in heads] == [MATMUL, ALIGNED]
    told = [line.partition(": at ")[0] for line in said.err.splitlines()]
    assert told == [
        f"tileir advise: {absent}: No such file or directory", f"tileir advise: {broken}",
    ]  # fmt: skip
    assert main(["advise", *QUIET, "--json", str(absent), ALIGNED]) == 2
    gone, well = json.loads(capsys.readouterr().out)["files"]
    assert (gone["file"], gone["target"], gone["findings"]) == (str(absent), None, [])
    assert gone["problem"] == f"{absent}: No such file or directory"
    assert (well["file"], well["target"], well["problem"]) == (ALIGNED, "sm_90", None)


def test_what_there_was_no_time_for_is_told(capsys) -> None:
    assert main(["advise", *QUIET, "--within", "1e-9", "--json", MATMUL]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["findings"], [each["rules"] for each in file["untried"]]) == ([], [[*RULES]])
    assert main(["advise", *QUIET, "--within", "1e-9", MATMUL]) == 0
    assert ": not tried everywhere: " in capsys.readouterr().out.splitlines()[-1]


def test_rules(capsys) -> None:
    assert main(["advise", "--rules"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {*RULES}
    assert main(["advise", "--explain", "spills"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("spills: registers do not suffice\n")
    assert main(["advise", "--explain", "spills", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rules"]
    assert " ".join(said.split()).startswith(f"spills: {row['title']} {row['explanation'][:40]}")


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (["--explain", "spill"], 2, "did you mean spills?"),
        (["--explain", "spills", MATMUL], 2, "no file is looked at"),
        ([], 2, "name a file"),
        ([MATMUL], 2, "a GPU as --target"),
        ([*QUIET, "--grid", "1x1x1x1", MATMUL], 2, "--grid takes one to three numbers from 1"),
        ([*QUIET, "--grid", "0", MATMUL], 2, "--grid takes one to three numbers from 1"),
        ([*QUIET, "--sms", "8", MATMUL], 2, "--grid"),
        ([*QUIET, "--entry", "x", MATMUL], 2, "the file has matmul"),
        ([*QUIET, "--array", "zeros:8:f16", MATMUL], 2, "takes 3 arrays; one array was given"),
        ([*QUIET, "--convention", "cutile", MATMUL], 2, "--array"),
        ([*QUIET, "--array", "zeros:8:f16", MATMUL, ALIGNED], 2, "name its file alone"),
        (["--target", "host", MATMUL], 2, "host is this machine's CPU, and tileir advise needs a"),
        (["--target", "sm_99", MATMUL], 4, "sm_99"),
    ],
)
def test_mistakes(capsys, given: list[str], code: int, message: str) -> None:
    assert main(["advise", *given]) == code
    assert message in capsys.readouterr().err


def test_several_files_that_fail_for_one_cause_or_others(capsys, tmp_path) -> None:
    """Each file has its own line, and what no file is to blame for has one."""
    absent = [str(tmp_path / name) for name in ("a", "b")]
    assert main(["advise", *QUIET, *absent]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [f"tileir advise: {path}: No such file or directory" for path in absent]
    assert main(["advise", MATMUL, ALIGNED]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": no GPU is named")[0] for line in said] == [
        f"tileir advise: {path}" for path in (MATMUL, ALIGNED)
    ]
    assert main(["advise", "--target", "sm_99", MATMUL, ALIGNED]) == 4
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("--target", "host"), 2, "host is this machine's CPU"),
        (("--target", "sm_90", "--grid", "0"), 2, "0"),
    ],
)
def test_a_launch_that_is_wrong_is_no_file_s_fault(
    capsys, given: tuple[str, ...], code: int, said: str
) -> None:
    assert main(["advise", *given, MATMUL, ALIGNED]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tileir advise: ")
    assert said in line
    assert MATMUL not in line


def test_what_is_no_module(capsys, tmp_path) -> None:
    path = tmp_path / "broken.tileirbc"
    path.write_bytes((FIXTURES / "13.1" / "matmul.tileirbc").read_bytes()[:200])
    assert main(["advise", *QUIET, str(path)]) == 3
    assert "broken.tileirbc" in capsys.readouterr().err
