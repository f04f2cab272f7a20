"""The table of instructions: a pattern of the opcode, its operands, and a function on lanes.

A pattern is a regular expression in which a dot is a dot, and `<t:int>` stands for a type of the
set `int` in `types.SETS`, which is then called `t`. The operands are the function's results and
sources:

    t, s32, pred ..   an operand of that type; `2t` is the type of twice the width
    t*                any number of operands in braces
    @                 an address as u64, its offset added
    #                 a tensor map and coordinates, `[map, {x, y}]`: an address, and a tuple of s32
    $                 the text of the operand
    &                 registers in braces, by number: the function itself reads and writes them
    u32|pred          one or the other
    a trailing ?      the operand may be missing, and is then None

A function of role "value" takes the sources and returns the results, as arrays over the active
lanes, or as NumPy scalars where all lanes agree. One of role "effect" takes the active lanes, the
statement and the mask of its guard (or None) before the sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from .types import SETS, twice


@dataclass(frozen=True, slots=True)
class Row:
    """One family of instructions, and the function that executes them."""

    pattern: re.Pattern[str]
    results: tuple[str, ...]
    sources: tuple[str, ...]
    make: Callable[[re.Match[str]], Callable[..., Any]]
    role: str = "value"
    ends_block: bool = False
    """Whether lanes may wait or end here, so that the basic block ends."""
    needs_warp: bool = False
    """Whether it waits for the lanes in its member mask, which is the last operand."""
    aligned: bool = False
    """Whether all lanes of the warp execute it together, as `.aligned` demands."""
    warpgroup: bool = False
    """Whether all lanes of a warpgroup execute it together; it is a basic block of its own."""


ROWS: list[Row] = []


def value(pattern: str, signature: str, make: Callable[..., Any]) -> None:
    """Add a row for instructions that only compute."""
    _add(pattern, signature, make, role="value")


def effect(pattern: str, signature: str, make: Callable[..., Any], **more: bool) -> None:
    """Add a row for instructions that access memory or other lanes."""
    _add(pattern, signature, make, role="effect", **more)


def _add(pattern: str, signature: str, make: Callable[..., Any], **more: Any) -> None:
    results, _, sources = signature.rpartition("=")
    dots = re.sub(r"\.(?![*+?])", r"\\.", pattern)
    typed = re.sub(r"<(\w+):(\w+)>", lambda m: f"(?P<{m[1]}>{'|'.join(SETS[m[2]])})", dots)
    row = Row(re.compile(typed), tuple(results.split()), tuple(sources.split()), make, **more)
    ROWS.append(row)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A row for one opcode: the types of its operands, and the function that executes it."""

    row: Row
    results: tuple[str, ...]
    sources: tuple[str, ...]
    function: Callable[..., Any]


@cache
def look_up(opcode: str) -> Resolved | None:
    """Return the first row that matches an opcode; None if there is none."""
    for row in ROWS:
        if match := row.pattern.fullmatch(opcode):
            results = tuple(_resolve(slot, match) for slot in row.results)
            sources = tuple(_resolve(slot, match) for slot in row.sources)
            return Resolved(row, results, sources, row.make(match))
    return None


def _resolve(slot: str, match: re.Match[str]) -> str:
    name = slot.rstrip("*?")
    suffix = slot[len(name) :]
    groups = match.groupdict()
    if name in groups:
        return groups[name] + suffix
    if name[:1] == "2" and name[1:] in groups:
        return twice(groups[name[1:]]) + suffix
    return slot
