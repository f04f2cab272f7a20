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

BUFFERED = 1 << 16
"""Characters that are collected before they are written on."""


class Pieces(Protocol):
    """What takes the pieces of a text in order: a list, or one of the classes below."""

    def append(self, piece: str, /) -> None: ...


def longest_text(bytecode: Bytecode) -> int:
    """Return the most characters of a module's text in memory."""
    return TEXT_ALLOWANCE + bytecode.limits.text_growth * len(bytecode.data)


def too_long(bytecode: Bytecode) -> BytecodeError:
    """Return the error of a text that is longer than it may be in memory."""
    sections = (section for section in bytecode.sections if section.name == "Func")
    return BytecodeError(
        "limit",
        offset=next((section.offset for section in sections), 0),
        section="Func",
        expected=f"a text of at most {longest_text(bytecode)} characters",
        found="more, as kernels and ops share long names or constants",
        hint="Limits(text_growth=...) allows more, and tileir dis writes longer ones to a pipe",
    )


class BoundedText:
    """A text of a module in memory; one that grows too long is a BytecodeError.

    If it does not `keep` the pieces, it only counts them.
    """

    def __init__(self, bytecode: Bytecode, keep: bool = True) -> None:
        self._bytecode = bytecode
        self._left = longest_text(bytecode)
        self._keep = keep
        self._pieces: list[str] = []

    def append(self, piece: str) -> None:
        """Add a piece."""
        self.reserve(len(piece))
        self._left -= len(piece)
        if self._keep:
            self._pieces.append(piece)

    def reserve(self, characters: int) -> None:
        """Raise BytecodeError if a piece of so many characters is too long; it is not made then."""
        if characters > self._left:
            raise too_long(self._bytecode)

    def __str__(self) -> str:
        return "".join(self._pieces)


class WrittenText:
    """A text that is held while it is no longer than one in memory may be, and then written on.

    So what ends in an error soon writes nothing.
    """

    def __init__(self, bytecode: Bytecode, write: Callable[[str], object]) -> None:
        self._bytecode = bytecode
        self._write = write
        self._left = longest_text(bytecode)
        self._pieces: list[str] = []

    def append(self, piece: str) -> None:
        """Add a piece."""
        self._pieces.append(piece)
        self._left -= len(piece)
        if self._left < 0:
            self.flush()

    def reserve(self, characters: int) -> None:
        """Raise BytecodeError if one piece of so many characters is too long to be made."""
        if characters > longest_text(self._bytecode):
            raise too_long(self._bytecode)

    def __str__(self) -> str:
        """The end of the text, which has not been written."""
        return "".join(self._pieces)

    def flush(self) -> None:
        """Write what is held."""
        for piece in self._pieces:
            self._write(piece)
        self._pieces.clear()
        self._left = BUFFERED
