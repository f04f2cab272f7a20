"""`tileir remarks`, and `--remarks` of `tileir compile`: what they print, and how they exit."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.codegen.test_tileiras_remarks import ONE
from tests.corpus import FIXTURES
from tileir.__main__ import main
from tileir.codegen.remarks import TOPICS

MATMUL = str(FIXTURES / "13.1" / "matmul.tileirbc")
QUIET = ["--target", "sm_90", "--no-ptxas"]


def test_text(capsys) -> None:
    assert main(["remarks", *QUIET, "--missed", "--topic", "tensor-copies", MATMUL]) == 0
    head, remark, why, change = capsys.readouterr().out.splitlines()
    assert head == f"{MATMUL}: kernel matmul"
    assert "matrix.py:68:4: missed: tile<64x64xf16> stored by threads [tensor-copies]" in remark
    assert why.startswith("    why: a stride is only known to be a multiple of 2 bytes")
    assert change.startswith("    change: promise it")


def test_json(capsys) -> None:
    assert main(["remarks", *QUIET, "--json", MATMUL]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["target"]) == (1, "sm_90")
    (row,) = [each for each in document["remarks"] if each["topic"] == "tensor-cores"]
    assert (row["line"], row["outcome"], row["reasons"]) == (67, "passed", [])
    assert {each["topic"] for each in document["remarks"]} <= {*TOPICS}
    (row,) = [each for each in document["remarks"] if each["topic"] == "occupancy"]
    assert row["facts"]["threads"] == 256  # a warpgroup multiplies, another one copies


def test_remarks_of_tileiras_on_standard_input(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ONE.encode())))
    assert main(["remarks", "-"]) == 0
    said = capsys.readouterr().out
    assert said.count("/a/b.py:66:16: missed: ") == 2
    assert "why: stride not 16-byte aligned (2 times)" in said


def test_beside_compiled_code(capsys, tmp_path) -> None:
    out = str(tmp_path / "k.ptx")
    assert main(["compile", "--target", "sm_90", "--remarks", MATMUL, "-o", out]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "[tensor-cores]" in said.err


def test_topics(capsys) -> None:
    assert main(["remarks", "--topics"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == {*TOPICS}


@pytest.mark.parametrize(("arguments", "code"), [
    (["remarks"], 2),
    (["remarks", MATMUL], 2),
    (["remarks", "--target", "host", MATMUL], 2),
    (["remarks", "--target", "sm_1", MATMUL], 4),
    (["remarks", "--topic", "tensors", MATMUL], 2),
    (["remarks", *QUIET, "--entry", "other", MATMUL], 2),
    (["remarks", "--topics", MATMUL], 2),
    (["remarks", *QUIET, "no such file"], 2),
    (["compile", "--remarks", MATMUL], 2),
    (["compile", "--remarks", "--target", "sm_90", "--emit", "stages", MATMUL], 2),
])  # fmt: skip
def test_exit_codes(arguments: list[str], code: int, capsys) -> None:
    assert main(arguments) == code
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert not said.out


def test_an_unknown_topic_is_answered_with_the_words_to_type(capsys) -> None:
    assert main(["remarks", "--topic", "tensors", MATMUL]) == 2
    assert "Topic." not in capsys.readouterr().err


def test_yaml_that_is_none(capsys, tmp_path) -> None:
    file = tmp_path / "k.yaml"
    file.write_text("--- !Passed\na: b: c: {")
    assert main(["remarks", str(file)]) == 3
    assert "is not the YAML of remarks" in capsys.readouterr().err
    file.write_text(ONE)
    assert main(["remarks", "--target", "sm_90", str(file)]) == 2
