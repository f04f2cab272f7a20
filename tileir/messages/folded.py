"""What Jupyter shows of an object: a title to click on, and plain lines below it.

It is HTML without scripts, styles or links. Texts of files are escaped, and what cannot be seen, or
turns others around, is shown as an escape.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from tileir.formats.errors import shorten

from .texts import printable

MOST_LINES = 200
"""Most lines below a title; the rest is counted."""

LONGEST_LINE = 300
"""Most characters of a title or a line."""


def folded(title: str, lines: Iterable[str], inside: Iterable[str] = ()) -> str:
    """Return a title with lines below it, as HTML; `inside` is HTML that `folded` returned."""
    shown, more = [], 0
    for line in lines:
        if len(shown) < MOST_LINES:
            shown.append(_escaped(line))
        else:
            more += 1
    if more:
        shown.append(f"... {more} more")
    text = f"<pre>{chr(10).join(shown)}</pre>" if shown else ""
    head = f"<summary><code>{_escaped(title)}</code></summary>"
    return f"<details>{head}{text}{''.join(inside)}</details>"


def folded_op(op: Any) -> str:
    """Return an op as HTML: operands, results, attributes that are there, and the location."""
    rows = [("operand", repr(value)) for value in op.operand_list()]
    rows += [("result", repr(value)) for value in op.results]
    rows += [
        (name, str(value))
        for name, value in op.attributes.items()
        if value is not None and value is not False
    ]
    if op.regions:
        rows.append(("regions", str(len(op.regions))))
    if op.location_text:
        rows.append(("source", op.location_text))
    return folded(repr(op), [f"{word:28} {text}" for word, text in rows])


def _escaped(line: str) -> str:
    return html.escape(printable(shorten(line, LONGEST_LINE)))
