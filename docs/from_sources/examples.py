"""An example for each op: the smallest bundled kernel that has it and can be launched.

Tests run all of these kernels on the CPU and, as PTX, in the emulator, and compare what they
compute with NumPy's answer.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import tileir
from tileir.errors import UnsupportedError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
VERSIONS = ("13.5", "13.4")
"""Versions whose examples are shown: together they have every op."""
SHOWN_TARGETS = ("sm_75", "sm_80", "sm_90", "sm_120")
"""Targets whose PTX is shown: each has instructions that the one before has not."""


class Example(NamedTuple):
    """A kernel in a file: its text, and the lines of that (from 1) on which an op stands."""

    file: str
    text: str
    launched: bool
    """Whether there is a launch of it: arguments, and what it has to compute."""


@cache
def _candidates() -> dict[str, list[Path]]:
    """Return the files that have each op, the best example first."""
    found: dict[str, list[tuple[bool, int, str, Path]]] = {}
    for version in VERSIONS:
        for path in sorted((FIXTURES / version).glob("*.tileirbc")):
            names = [op.name for body in tileir.load(path).functions for op in body.walk()]
            for name in set(names):
                rank = (not _is_launched(path), len(names), path.stem, path)
                found.setdefault(name, []).append(rank)
    return {name: [path for *_, path in sorted(ranks)] for name, ranks in found.items()}


def _is_launched(path: Path) -> bool:
    return (FIXTURES / "launches" / f"{path.stem}.json").exists()


@cache
def example_of(mnemonic: str) -> Example | None:
    """Return the example of an op; None for what stands in no body of these files."""
    for path in _candidates().get(mnemonic, ()):
        text = _text(path)
        if lines_of(mnemonic, text):  # it may be implied
            return Example(path.relative_to(FIXTURES.parent).as_posix(), text, _is_launched(path))
    return None


@cache
def _text(path: Path) -> str:
    return tileir.disassemble(tileir.load(path))


def lines_of(mnemonic: str, text: str) -> list[int]:
    """Return the lines of a text, from 1, on which an op stands."""
    stands = re.compile(rf"\s*(?:%[^=]*= )?{re.escape(mnemonic)}(?![\w.$])")
    return [n for n, line in enumerate(text.split("\n"), 1) if stands.match(line)]


def instructions(mnemonic: str, target: str) -> list[str] | str:
    """Return which PTX instructions an op of its example becomes, each once, in their order.

    They are those that carry its position in the text. If the example cannot be compiled for the
    target, the reason is returned.
    """
    example = example_of(mnemonic)
    assert example is not None
    ptx = _ptx(example.text, target)
    if isinstance(ptx, UnsupportedError):
        own = [each.message for each in ptx.diagnostics if each.op == mnemonic]
        return own[0] if own else "another op of the example is not for this target"
    lines = {str(line) for line in lines_of(mnemonic, example.text)}
    found: Counter[str] = Counter()
    here = False
    for line in ptx.splitlines():
        position = re.match(r"\s*\.loc\s+1 (\d+)", line)
        if position:
            here = position[1] in lines
        instruction = re.match(r"\s*(?:@!?%\w+ +)?([a-z]\w*(?:\.[\w:]+)*)\b.*;", line)
        if here and instruction:
            found[instruction[1]] += 1
    return list(found)


@cache
def _ptx(text: str, target: str) -> str | UnsupportedError:
    try:
        return tileir.compile(tileir.assemble(text), target, lineinfo=True).ptx or ""
    except UnsupportedError as error:
        return error
