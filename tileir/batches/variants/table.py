"""Variants as a table: a column for each name and each figure, and below what was dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tileir.messages.texts import printable

from .figures import FIGURES
from .space import spelled, value_spelled


def lines(
    found: Sequence[tuple[Mapping[str, Any], Mapping[str, int]]],
    dropped: Sequence[tuple[Mapping[str, Any], str]],
) -> Iterator[str]:
    """Yield the lines for configurations with their figures, and for those with a reason."""
    names = list(dict.fromkeys(name for configuration, _ in found for name in configuration))
    figures = [name for name in FIGURES if any(name in known for _, known in found)]
    rows = [[*names, *(FIGURES[name].head for name in figures)]] if found else []
    for configuration, known in found:
        chosen = [value_spelled(configuration[n]) if n in configuration else "" for n in names]
        rows.append([*chosen, *(f"{known[name]:,}" if name in known else "?" for name in figures)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (printable(cell).rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "   ".join(cells)
    for configuration, reason in dropped:
        first = reason.partition("\n")[0]
        yield printable(f"dropped: {spelled(configuration)}: {first}")
