"""Where the parts of a module stand in the text that it was assembled from.

Bytes have no room for that, so it lies beside a Bytecode, and findings about the module are given
their line and column from here. What has been edited since keeps the places that it had.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tileir.errors import Diagnostic, TextPlace

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

    from .original import AsFound


@dataclass
class TextPlaces:
    """Positions count characters of `text`, which `name` names in messages.

    found       the module as it was written
    symbols     name of an entry or global -> position
    ops         for each entry, in the order of the file, the positions of its ops in pre-order
    attributes  launch attributes: entry, or "" for the module -> name -> position
    """

    name: str
    text: str = field(repr=False)
    found: AsFound = field(repr=False)
    symbols: Mapping[str, int]
    ops: Sequence[Sequence[int]] = field(repr=False)
    attributes: Mapping[str, Mapping[str, int]]

    def place(self, position: int) -> TextPlace:
        """Line and column of a position."""
        line = bisect_right(self._lines, position)
        return TextPlace(self.name, line, position - self._lines[line - 1] + 1)

    @cached_property
    def _lines(self) -> list[int]:
        """Where lines begin."""
        return [0, *(at + 1 for at, char in enumerate(self.text) if char == "\n")]

    @cached_property
    def _offsets(self) -> dict[int, int]:
        """Offset of an op in the file -> position in the text."""
        return {
            op.offset: position
            for function, positions in zip(self.found.functions, self.ops, strict=True)
            for op, position in zip(function.original().walk(), positions, strict=True)
        }

    def attribute(self, name: str, entry: str = "") -> TextPlace | None:
        """The place of a launch attribute of an entry, or else of the module."""
        for owner in (entry, ""):
            if name in self.attributes.get(owner, {}):
                return self.place(self.attributes[owner][name])
        return None

    def of(self, found: Diagnostic) -> TextPlace | None:
        """What a finding is about: an op, an attribute that it names, an entry or a global."""
        if found.offset is not None:
            position = self._offsets.get(found.offset)
            return None if position is None else self.place(position)
        for word in found.message.split():
            if place := self.attribute(word, found.function):
                return place
        symbol = found.function or found.op.removeprefix("global ")
        return self.place(self.symbols[symbol]) if symbol in self.symbols else None


def located(found: Iterable[Diagnostic], bytecode: Bytecode | None) -> list[Diagnostic]:
    """Findings about a module, with places in its text if it was made from one."""
    text = bytecode.text if bytecode is not None else None
    if text is None:
        return list(found)
    return [one if one.text else replace(one, text=text.of(one)) for one in found]
