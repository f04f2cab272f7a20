"""Merged lines cut down to those that differ, with some around them, as in a unified diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

SAME, GONE, NEW, MOVED, OTHER, NOTE = " ", "-", "+", "~", "*", "!"
"""Marks of lines: in both; in the first; in the second; of an op that moved; of one that reads the
same in both but is not; said about the line above."""


class Line(NamedTuple):
    """A line of a merged text: its mark, its numbers in both texts from 0, the text, the place."""

    mark: str
    before: int | None
    after: int | None
    text: str
    path: str


def hunks(lines: Sequence[Line], context: int) -> Iterator[str]:
    """Yield the lines that differ, and those around them, under heads that say where they are."""
    shown = [index for index, line in enumerate(lines) if line.mark != SAME]
    start = 0
    while start < len(shown):
        end = start
        while end + 1 < len(shown) and shown[end + 1] - shown[end] <= 2 * context + 1:
            end += 1
        first, last = max(0, shown[start] - context), min(len(lines), shown[end] + context + 1)
        yield _head(lines[first:last], lines[shown[start]].path)
        for line in lines[first:last]:
            yield f"{line.mark}    {line.text}" if line.mark == NOTE else f"{line.mark}{line.text}"
        start = end + 1


def _head(lines: Sequence[Line], path: str) -> str:
    before = [line.before for line in lines if line.before is not None and line.mark != MOVED]
    after = [line.after for line in lines if line.after is not None]
    return f"@@ -{_extent(before)} +{_extent(after)} @@ {path}".rstrip()


def _extent(numbers: Sequence[int]) -> str:
    """Return the first line and the number of lines, as diff does."""
    if not numbers:
        return "0,0"
    return f"{min(numbers) + 1},{max(numbers) - min(numbers) + 1}"
