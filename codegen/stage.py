"""What one stage of a compilation did, and a report on several of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from .remarks import Remark


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compilation.

    `headline` says in a line what the stage does. `text` is the whole output: Tile IR or block IR
    with comments that say what has been decided so far, LLVM IR, PTX, or the launch plan. `excerpt`
    is the part that a report shows: the stage's decisions, and the text where it is worth reading
    again. `remarks` are its decisions as rows.
    """

    name: str
    headline: str
    text: str
    excerpt: str
    remarks: tuple[Remark, ...]

    def __str__(self) -> str:
        return self.text


def report(stages: Iterable[Stage]) -> str:
    """Return what some stages did, one after the other: `--emit stages`."""
    parts = []
    for idle, group in groupby(stages, key=lambda each: not each.excerpt):
        if idle:
            parts.append(f"// ==== {', '.join(each.name for each in group)}: nothing to do\n")
        else:
            parts += (f"// ==== {each.name}: {each.headline}\n{each.excerpt}" for each in group)
    return "\n".join(parts)
