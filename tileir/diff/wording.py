"""What changed in an op or a part of a module, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.formats.errors import shorten
from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.messages.texts import printable
from tileir.text.printer import values

from .printed import PrintedModule
from .rows import Change, Row

LONGEST = 120
"""Characters of a value that are spelled out; of longer ones, both ends."""

LARGE = 2000
"""Characters from which on the text of a value is not made at all."""

NOTHING = "nothing"


class Wording:
    """Spells changes, with the names that values have in the texts of the two modules.

    whole  strings are whole, and other values up to `LARGE`, as programs want them
    """

    def __init__(self, before: PrintedModule, after: PrintedModule, *, whole: bool = False) -> None:
        self._texts = before, after
        self._whole = whole

    def change(self, row: Row, change: Change) -> str:
        """Return a change in words: ``rhs: %4 = muli -> %5 = subi``."""
        before, after = self.sides(row, change)
        label = f"{change.what} {change.name}".rstrip()
        if change.what in ("operand", "attribute", "field"):
            label = change.name
        return f"{label}: {before} -> {after}"

    def sides(self, row: Row, change: Change) -> tuple[str, str]:
        """Return what was there before and after, in words."""
        before, after = change.before, change.after
        if change.what == "operand":
            one, two = self._operand(before, 0), self._operand(after, 1)
            if one == two:  # another value that has the same name and op in its own text
                one, two = one + self._line(before, 0), two + self._line(after, 1)
            return one, two
        one, two = self._said(row, change, before), self._said(row, change, after)
        return (one, f"another {two}") if one == two else (one, two)

    def _operand(self, value: Any, side: int) -> str:
        if not isinstance(value, Value):
            return NOTHING
        name = self._texts[side].name.get(value, "?")
        if isinstance(value.owner, Op):
            return f"{name} = {value.owner.name}"
        around = value.owner.parent_op
        return f"{name}, argument of {around.name}" if around is not None else name

    def _line(self, value: Any, side: int) -> str:
        owner = value.owner if isinstance(value, Value) else None
        lines = self._texts[side].lines_of(owner) if isinstance(owner, Op) else range(0)
        return f" (line {lines.start + 1})" if lines else ""

    def _said(self, row: Row, change: Change, value: object) -> str:
        if value is None:
            return NOTHING
        if values.extent(value) > LARGE and not (self._whole and isinstance(value, str)):
            return f"{_kind(value)} of {values.extent(value)} bytes"
        if change.what == "attribute" and isinstance(row.before, Op):
            slot = row.before.spec.attribute(change.name)
            text = _yes_or_no(value) if slot.node is None else values.speller(slot)(value)
        else:
            text = _plain(value)
        return printable(text if self._whole else shorten(text, LONGEST))


def _kind(value: object) -> str:
    return "a constant" if isinstance(value, Constant) else "a value"


def _plain(value: Any) -> str:
    """Return a field of a module's part."""
    if isinstance(value, Constant):
        return values.constant(value)
    if isinstance(value, bool):
        return _yes_or_no(value)
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name} = {_plain(item)}' for name, item in value.items())}}}"
    return str(value)


def _yes_or_no(value: object) -> str:
    return "yes" if value else "no"
