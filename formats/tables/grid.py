"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def grid(titles: tuple[str, ...], rows: Iterable[tuple]) -> Iterator[str]:
    """Yield the lines of a table, between empty lines."""
    yield ""
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for row in rows:
        yield f"| {' | '.join(cell(item) for item in row)} |"
    yield ""


def cell(item: object) -> str:
    """Return the text of a cell, in one line."""
    return " ".join(str(item).split()).replace("|", "\\|")
