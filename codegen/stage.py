"""What one stage of a compilation did, and a report on several of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .remarks import Remark


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compilation.

    `headline` says in a line what the stage does. `text` is the whole output: Tile IR or block IR
    with comments that say what has been decided so far, LLVM IR, PTX, or the launch plan. `excerpt`
    is the part that a report shows: the stage's decisions, with the ops that they are about. `body`
    is the kernels' text after the stage, where it is worth reading again; else it is empty.
    `remarks` are its decisions as rows.
    """

    name: str
    headline: str
    text: str
    excerpt: str
    remarks: tuple[Remark, ...]
    body: str = ""

    def __str__(self) -> str:
        return self.text


def report(stages: Iterable[Stage]) -> str:
    """Return what some stages did, one after the other: `--emit stages`."""
    parts: list[str] = []
    idle: list[str] = []
    for each in stages:
        if not each.excerpt:
            idle.append(each.name)
        if idle and (each.excerpt or each.body):
            parts.append(_nothing(idle))
            idle = []
        if each.excerpt:
            parts.append(f"// ==== {each.name}: {each.headline}\n{each.excerpt}")
        if each.body:
            parts.append(f"// ==== the kernels after {each.name}\n{each.body}")
    if idle:
        parts.append(_nothing(idle))
    return "\n".join(parts)


def _nothing(names: Iterable[str]) -> str:
    return f"// ==== {', '.join(names)}: nothing to do\n"
