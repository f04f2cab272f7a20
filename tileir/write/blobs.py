"""Strings and constants to be written: byte strings, each with an index."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.errors import BuildError
from tileir.formats.cursor import Slice
from tileir.formats.nodes import Malformed
from tileir.messages.texts import display

ENDS = 16
"""Bytes at either end of a long blob that serve as its key, with its size."""

SHORT = 4096
"""Bytes of a blob that is its own key, or many that are alike at the ends would all be compared."""


class Blobs:
    """Strings or constants by index: byte strings that are compared by content, never copied."""

    def __init__(self, entries: Sequence[Slice] = ()) -> None:
        self._entries: list[Slice] = list(entries)
        self._kept = len(self._entries)
        self._by_key: dict[object, list[int]] = {}
        self._by_identity: dict[int, int] = {}
        self._by_text: dict[str, int] = {}
        for index, entry in enumerate(self._entries):
            if not isinstance(entry, Malformed):
                self._note(entry.data, index)

    @property
    def added(self) -> list[Slice]:
        """The entries that have been added since the start, in order."""
        return self._entries[self._kept :]

    def index(self, data: bytes | memoryview) -> int:
        """Return the index of these bytes, which must not change until the file is written."""
        known = self._by_identity.get(id(data))
        if known is not None:
            return known
        for index in self._by_key.get(_key(data), ()):
            if self._entries[index].data == data:
                return index
        self._entries.append(Slice(0, data))
        self._note(data, len(self._entries) - 1)
        return len(self._entries) - 1

    def text(self, text: str) -> int:
        """Return the index of a text, which is encoded once however many parts share it."""
        known = self._by_text.get(text) if isinstance(text, str) else None
        if known is None:
            known = self._by_text[text] = self.index(encode_text(text))
        return known

    def _note(self, data: bytes | memoryview, index: int) -> None:
        self._by_identity.setdefault(id(data), index)
        self._by_key.setdefault(_key(data), []).append(index)


def _key(data: bytes | memoryview) -> object:
    if len(data) <= SHORT:
        return bytes(data)
    return len(data), bytes(data[:ENDS]), bytes(data[-ENDS:])


def encode_text(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates become the invalid bytes that they were read from."""
    if not isinstance(text, str):
        raise BuildError(f"expected a text, found {text!r}")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise BuildError(f"{display(text)} cannot be written as UTF-8: {error.reason}") from None
