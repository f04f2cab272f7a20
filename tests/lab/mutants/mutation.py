"""One mutant: a place in a file, and what stands there instead."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

LAYERS = ("formats", "tileir", "codegen")
"""The folders of the product."""


@dataclass(frozen=True)
class Mutation:
    """What one fault replaces. As in `ast`, lines count from 1, columns from 0 and in bytes."""

    path: str
    """Relative to the root of the tree, with slashes."""
    line: int
    column: int
    end_line: int
    end_column: int
    operator: str
    original: str
    mutated: str
    in_function: bool
    """Whether it runs when called; otherwise the import of its module runs it."""

    def applied(self, source: str) -> str:
        """The text of the file with the fault in it; lines after it keep their numbers.

        Raises ValueError if the place does not say what was there when the mutant was drawn.
        """
        lines = source.encode().splitlines(keepends=True)
        before = b"".join(lines[: self.line - 1]) + lines[self.line - 1][: self.column]
        last = self.end_line - 1
        after = lines[last][self.end_column :] + b"".join(lines[last + 1 :])
        there = source.encode()[len(before) : len(source.encode()) - len(after)].decode()
        if there != self.original:
            raise ValueError(f"{self.path}:{self.line}: {there!r} is not {self.original!r}")
        kept = max(0, there.count("\n") - self.mutated.count("\n"))
        filled = self.mutated
        if kept and filled.startswith("("):
            filled = filled[:-1] + "\n" * kept + ")"
        elif kept:
            filled += "\n" * kept
        return before.decode() + filled + after.decode()

    def row(self) -> list[str]:
        """The columns of a table of mutants."""
        place = f"{self.line}:{self.column}-{self.end_line}:{self.end_column}"
        texts = (json.dumps(text, ensure_ascii=False) for text in (self.original, self.mutated))
        return [self.path, place, self.operator, *texts, "call" if self.in_function else "import"]

    @classmethod
    def from_row(cls, row: list[str]) -> Mutation:
        """The mutant that such columns name."""
        path, place, operator, original, mutated, runs = row
        start, end = (tuple(map(int, at.split(":"))) for at in place.split("-"))
        texts = json.loads(original), json.loads(mutated)
        return cls(path, *start, *end, operator, *texts, runs == "call")


def read(path: Path) -> list[Mutation]:
    """The mutants of a drawn list, in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Mutation.from_row(line.split("\t")) for line in lines if not line.startswith("#")]


def write(path: Path, head: list[str], mutations: list[Mutation]) -> None:
    """A drawn list: comment lines, then a row for each mutant."""
    rows = [f"# {line}" for line in head] + ["\t".join(m.row()) for m in mutations]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
