"""The positions of a module's parts in the text that it was assembled from.

Bytecode cannot hold them, so they lie beside a `Bytecode` and give diagnostics about the module
their line and column. Parts that have been edited since keep their positions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from tileir.errors import Diagnostic, TextPlace
from tileir.formats.forks import Lock

from .once import once

if TYPE_CHECKING:
    from .original import OriginalFile


@dataclass
class TextPositions:
    """Offsets into `text`, in characters, of the parts of a module; `name` is the text's name.

    original    the module as it was written
    symbols     name of an entry or global -> its offset
    ops         for each entry, in the order of the file, the offsets of its ops in pre-order
    attributes  launch attributes: entry, or "" for the module -> name -> offset
    """

    name: str
    text: str = field(repr=False)
    original: OriginalFile = field(repr=False)
    symbols: Mapping[str, int]
    ops: Sequence[Sequence[int]] = field(repr=False)
    attributes: Mapping[str, Mapping[str, int]]
    _lock = Lock()

    def __reduce__(self) -> tuple:
        """A copy is without the module, which the copied `Bytecode` puts in its place."""
        attributes = {entry: dict(named) for entry, named in self.attributes.items()}
        return TextPositions, (self.name, self.text, None, dict(self.symbols), self.ops, attributes)

    def position(self, offset: int) -> TextPlace:
        """Return the line and column of an offset into the text."""
        line = bisect_right(self._lines, offset)
        return TextPlace(self.name, line, offset - self._lines[line - 1] + 1)

    @once
    def _lines(self) -> list[int]:
        """The offsets at which lines begin."""
        return [0, *(end + 1 for end, char in enumerate(self.text) if char == "\n")]

    @once
    def _text_offsets(self) -> dict[int, int]:
        """Offset of an op in the file, in bytes -> its offset in the text."""
        return {
            op.offset: offset
            for function, offsets in zip(self.original.functions, self.ops, strict=True)
            for op, offset in zip(function.original().walk(), offsets, strict=True)
        }

    def attribute(self, name: str, entry: str = "") -> TextPlace | None:
        """Return the position of a launch attribute of an entry, or else of the module."""
        for owner in (entry, ""):
            if name in self.attributes.get(owner, {}):
                return self.position(self.attributes[owner][name])
        return None

    def of(self, diagnostic: Diagnostic) -> TextPlace | None:
        """Return the position of an op, or else of an attribute, entry or global that is named."""
        if diagnostic.offset is not None:
            offset = self._text_offsets.get(diagnostic.offset)
            return None if offset is None else self.position(offset)
        for word in diagnostic.message.split():
            if position := self.attribute(word, diagnostic.function):
                return position
        symbol = diagnostic.function or diagnostic.op.removeprefix("global ")
        return self.position(self.symbols[symbol]) if symbol in self.symbols else None


class HasText(Protocol):
    """A module that may have been assembled from a text: a `Bytecode`."""

    @property
    def text(self) -> TextPositions | None: ...


def located(diagnostics: Iterable[Diagnostic], bytecode: HasText | None) -> list[Diagnostic]:
    """Return diagnostics about a module, with positions in its text if it was made from one."""
    text = bytecode.text if bytecode is not None else None
    if text is None:
        return list(diagnostics)
    return [one if one.text else replace(one, text=text.of(one)) for one in diagnostics]
