"""The table of instructions: a pattern of the opcode, its operands, and a function on lanes.

A pattern is a regular expression in which a dot is a dot and `<t:int>` stands for one of the types
of a set in `types.SETS`, to be called `t`. The operands say what the function is given and gives:

    t, s32, pred ..   an operand of that type; `2t` is the type of twice the width
    t*                any number of operands in braces
    @                 an address, as u64; it comes with no offset, that is added already
    $                 the operand as it is written
    u32|pred          one or the other
    a trailing ?      the operand may be missing, and is then None

A function of role "value" takes the sources and returns the results, as arrays over the active
lanes, or as NumPy scalars where all lanes agree. One of role "effect" takes the active lanes, the
instruction and the mask of its guard (or None) before that.
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
    """How one family of instructions is carried out."""

    pattern: re.Pattern[str]
    results: tuple[str, ...]
    sources: tuple[str, ...]
    make: Callable[[re.Match[str]], Callable[..., Any]]
    role: str = "value"
    ends_block: bool = False
    """Whether lanes may leave the block after it."""
    needs_warp: bool = False
    """Whether it waits for the lanes of the warp that its last operand, a mask, names."""
    aligned: bool = False
    """Whether it waits for all lanes of the warp."""


ROWS: list[Row] = []


def value(pattern: str, signature: str, make: Callable[..., Any]) -> None:
    """A row for an instruction that only computes."""
    _add(pattern, signature, make, role="value")


def effect(pattern: str, signature: str, make: Callable[..., Any], **more: bool) -> None:
    """A row for an instruction that touches memory or other lanes."""
    _add(pattern, signature, make, role="effect", **more)


def _add(pattern: str, signature: str, make: Callable[..., Any], **more: Any) -> None:
    results, _, sources = signature.rpartition("=")
    dots = re.sub(r"\.(?![*+?])", r"\\.", pattern)
    typed = re.sub(r"<(\w+):(\w+)>", lambda m: f"(?P<{m[1]}>{'|'.join(SETS[m[2]])})", dots)
    row = Row(re.compile(typed), tuple(results.split()), tuple(sources.split()), make, **more)
    ROWS.append(row)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A row applied to one opcode: the slots have PTX types, and the function is made."""

    row: Row
    results: tuple[str, ...]
    sources: tuple[str, ...]
    function: Callable[..., Any]


@cache
def look_up(opcode: str) -> Resolved | None:
    """The first row that matches, for one opcode."""
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
