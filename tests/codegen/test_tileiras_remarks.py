"""Folding what `tileiras --remarks` writes: nothing is lost, and hostile files cost little."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.corpus import NEWEST
from tests.lab import bench
from tileir import TileIRError, assemble
from tileir.codegen.nvptx.advice import ADVICE
from tileir.codegen.nvptx.reasons import SENTENCES
from tileir.codegen.remarks import Outcome, Topic
from tileir.codegen.tileiras_remarks import _REASONS, fold

KERNELS = Path(bench.__file__).parent / "kernels"
ONE = """\
--- !Failure
Pass:            Memory
Name:            RemarkMemoryTmaLoadFailed
DebugLoc:        { File: '/a/b.py', Line: 66, Column: 16 }
Function:        matmul
Args:
  - RemarkId:    4
  - Remark:      Failed to select TMA load instruction
  - Reason:      'loc(callsite("x"("/a/b.py":66:16) at "y")): stride not 16-byte aligned'
  - Reason:      'stride not 16-byte aligned'
  - Reason:      'base pointer not 16-byte aligned'
...
"""
IDS = {row.id for row in _REASONS}


def written(tool, tmp_path: Path, data: bytes, target: str) -> str:
    """What tileiras says of a module."""
    module, said = tmp_path / "module", tmp_path / "said.yaml"
    module.write_bytes(data)
    options = ["--remarks=all", "--remark-format=yaml", f"--remarks-output-file={said}"]
    options += [f"--gpu-name={target}", "-o", tmp_path / "cubin"]
    assert tool("tileiras", *options, module).returncode == 0
    return said.read_text()


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "target"), [
    ("matmul", "sm_90"), ("matmul_f16", "sm_90"), ("softmax", "sm_100"),
])  # fmt: skip
def test_what_tileiras_says(tool, tmp_path: Path, name: str, target: str) -> None:
    if name in NEWEST:
        data = NEWEST[name].read_bytes()
    else:
        data = assemble((KERNELS / f"{name}.mlir").read_text()).build()
    text = written(tool, tmp_path, data, target)
    remarks = fold(text.encode())
    assert remarks
    lines = sum(each.facts["times"] for each in remarks)
    reasons = text.count("- Reason:")
    assert lines == reasons + sum("- Reason:" not in each for each in text.split("--- !")[1:])
    assert len(remarks) < 40, "each thing is said once"
    assert {each.topic for each in remarks} <= {*Topic} - {Topic.OTHER}
    assert not [each.why for each in remarks if each.why and not each.facts["reasons"]]
    functions = set(re.findall(r"^Function: +(.*)$", text, re.MULTILINE))
    assert {each.entry for each in remarks} == functions


def test_places_and_repetitions() -> None:
    stride, base = fold(ONE.encode())
    assert str(stride.location) == "/a/b.py:66:16"
    assert (stride.why, stride.facts["times"]) == ("stride not 16-byte aligned", 2)
    assert stride.facts["reasons"] == ("stride",)
    assert stride.change == ADVICE["stride"]
    assert (base.facts["reasons"], base.facts["times"]) == (("base",), 1)
    assert {stride.outcome, base.outcome} == {Outcome.MISSED}
    assert {stride.topic, base.topic} == {Topic.TENSOR_COPIES}


def test_reasons_keep_their_words_behind_the_location() -> None:
    said = 'loc("a.py":1:2): tile (16x16): no instruction'
    (remark,) = fold(f"--- !Missed\nName: New\nArgs:\n  - Reason: '{said}'\n...\n".encode())
    assert remark.why == "tile (16x16): no instruction"


def test_a_remark_that_nobody_knows_keeps_its_words() -> None:
    text = "--- !Analysis\nName: New\nFunction: f\nArgs:\n  - Remark: Something else\n...\n"
    (remark,) = fold(text.encode())
    assert (remark.topic, remark.what) == (Topic.OTHER, "Something else")
    assert remark.location is None


@pytest.mark.parametrize("text", [
    "--- !Passed\nName: [" + "[" * 100_000,
    "--- !Passed\na: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\n",
    "--- !Passed\n- just\n- a list\n",
    "--- !Passed\na: b: c: {",
    "--- !Passed\n\x00\x01",
    "--- !!python/object/apply:os.system ['exit 3']\n",
])  # fmt: skip
def test_what_is_no_file_of_remarks_is_refused(text: str) -> None:
    with pytest.raises(TileIRError, match="remarks"):
        fold(text.encode())


def test_numbers_and_names_may_be_anything() -> None:
    text = ONE.replace("66, Column", "9" * 5000 + ", Column").replace("matmul", '"\\u202e\\0"')
    assert {each.location for each in fold(text.encode())} == {None}


def test_reasons_and_advice_are_about_the_same_ids() -> None:
    own = {"large_coordinates"}  # of what our compiler does not refuse
    assert own | IDS <= own | {*SENTENCES}
    assert {*ADVICE} <= {*SENTENCES} | own
