"""Where pieces of text go: into a text of limited size, or on to a file.

A file may name one long string or constant very often, so its text can be as long as the square of
its size. A text in memory is limited by `Limits.text_growth`; what is written on is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tileir.bytecode import Bytecode
from tileir.formats.errors import BytecodeError
from tileir.formats.limits import TEXT_ALLOWANCE


class Pieces(Protocol):
    """What takes the pieces of a text in order: a list, or one of the classes below."""

    def append(self, piece: str, /) -> None: ...


def longest_text(bytecode: Bytecode) -> int:
    """Return the most characters of a module's text in memory."""
    return TEXT_ALLOWANCE + bytecode.limits.text_growth * len(bytecode.data)


class BoundedText:
    """A text of a module in memory; one that grows too long is a BytecodeError.

    If it does not `keep` the pieces, it only counts them.
    """

    def __init__(self, bytecode: Bytecode, keep: bool = True) -> None:
        self._most = self._left = longest_text(bytecode)
        self._keep = keep
        self._pieces: list[str] = []
        sections = (section for section in bytecode.sections if section.name == "Func")
        self._offset = next((section.offset for section in sections), 0)

    def append(self, piece: str) -> None:
        """Add a piece."""
        self._left -= len(piece)
        if self._left < 0:
            raise BytecodeError(
                "limit",
                offset=self._offset,
                section="Func",
                expected=f"a text of at most {self._most} characters",
                found="more, as ops and kernels share long names, types or constants",
                hint="Limits(text_growth=...) allows more; tileir dis writes any text to a pipe",
            )
        if self._keep:
            self._pieces.append(piece)

    def __str__(self) -> str:
        return "".join(self._pieces)


class WrittenText:
    """A text that is held until it has more than `most` characters, and from then on written."""

    def __init__(self, write: Callable[[str], object], most: int) -> None:
        self._write = write
        self._left = self._most = most
        self._pieces: list[str] = []

    def append(self, piece: str) -> None:
        """Add a piece."""
        self._pieces.append(piece)
        self._left -= len(piece)
        if self._left < 0:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        for piece in self._pieces:
            self._write(piece)
        self._pieces.clear()
        self._left = min(self._most, BUFFERED)


BUFFERED = 1 << 16
"""Characters that are collected before they are written on."""
