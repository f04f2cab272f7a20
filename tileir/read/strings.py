"""The string table of a file; a string is decoded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tileir.formats.cursor import Slice
from tileir.messages.texts import decode_text

from .bad_reference import BadReference


class Strings(Sequence[str]):
    """The string table. Bytes that are not UTF-8 survive as lone surrogates.

    A decoded string is kept, so that many references to a long one cost its length once.
    """

    def __init__(self, entries: Sequence[Slice]) -> None:
        self._entries = entries
        self._texts: dict[int, str] = {}

    @property
    def entries(self) -> Sequence[Slice]:
        """The encoded strings, as slices of the file."""
        return self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.at(range(len(self))[index])

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Strings {list(self)!r}>"

    def at(self, index: int, path: str = "") -> str:
        """Return the string of that index; `path` is the field that holds the index."""
        if index >= len(self._entries):
            raise BadReference("string", index, len(self._entries), path=path)
        text = self._texts.get(index)
        if text is None:
            text = self._texts[index] = decode_text(self._entries[index].data)
        return text
