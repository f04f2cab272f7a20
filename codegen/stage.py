"""One stage of a compilation as it is told, and the story that several of them make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from .remarks import Remark


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compilation.

    `says` is what it does, in words. `text` is what there is after it: Tile IR with comments that
    say what has been decided so far, LLVM IR, PTX, or the launch plan. `shown` is what the story
    tells of it: what it decided, and the text where that is worth reading again. `remarks` are its
    decisions as rows.
    """

    name: str
    says: str
    text: str
    shown: str
    remarks: tuple[Remark, ...]

    def __str__(self) -> str:
        return self.text


def story(stages: Iterable[Stage]) -> str:
    """What some stages did, one after the other."""
    parts = []
    for idle, group in groupby(stages, key=lambda each: not each.shown):
        if idle:
            parts.append(f"// ==== {', '.join(each.name for each in group)}: nothing to do\n")
        else:
            parts += (f"// ==== {each.name}: {each.says}\n{each.shown}" for each in group)
    return "\n".join(parts)
