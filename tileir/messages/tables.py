"""Tables of text for people: columns under each other, numbers with commas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

UNKNOWN = "?"


def number(value: float | None) -> str:
    """Spell a number, with commas between thousands; a question mark for one that is unknown."""
    return UNKNOWN if value is None else f"{value:,}"


def aligned(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> Iterator[str]:
    """Yield rows with columns under each other; those numbered in `left` start at the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
