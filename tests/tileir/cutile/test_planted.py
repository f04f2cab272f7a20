"""Sixty kernels with a mistake: found in the right line, and nothing is said of right arguments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import cutile_without_torch, output

pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")

PROGRAM = Path(__file__).parent / "planted_mistakes.py"
LINES = PROGRAM.read_text().splitlines()
KERNELS = [
    line.partition("(")[0].removeprefix("def ")
    for before, line in zip(["", *LINES], LINES, strict=False)
    if line.startswith("def ") and (before.startswith("@planted") or before == ")")
]


@pytest.fixture(scope="module")
def results() -> dict[str, list]:
    done = cutile_without_torch("--check", "memory,undefined,nan", PROGRAM)
    return {name: rest for name, *rest in map(json.loads, output(done))}


def line_of(kernel: str) -> int:
    """The number of the line with the mistake: the first one so marked in the kernel, or that of a
    helper that is marked with the kernel's name."""
    named = [number for number, line in enumerate(LINES, 1) if line.endswith(f"# here: {kernel}")]
    start = LINES.index(next(line for line in LINES if line.startswith(f"def {kernel}(")))
    marked = (number for number, line in enumerate(LINES, 1) if line.endswith("# here"))
    return (named or [next(number for number in marked if number > start)])[0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_planted_mistake(kernel: str, results: dict[str, list]) -> None:
    said, (alarm, _), (problem, location) = results[kernel]
    assert alarm == "", "with the right arguments"
    assert said in problem
    assert problem.startswith("KernelError: ")
    own = [step for step in location.split(", inlined at ") if "/cuda/tile/" not in step]
    assert own[0].startswith(f"{PROGRAM}:{line_of(kernel)}:")
    assert f"{PROGRAM.name}:{line_of(kernel)}:" in problem


def test_there_are_as_many_as_is_said(results: dict[str, list]) -> None:
    assert len(KERNELS) == len(results) >= 60
