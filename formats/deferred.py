"""Deferred tables: entries of a long table, each read when it is first used.

An entry that nothing refers to is never read, and of a chain that is too deep only the beginning is
followed. So a file of very many records costs as much as the records in use. NVIDIA's readers do
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .cursor import Oddity, Span

Quick = Callable[[int, int], object]
"""From two offsets to the entry between them; None if it needs the careful reader."""

Careful = Callable[[int, list[Span] | None, list[Oddity] | None], tuple[object, bool]]
"""From an index, a trace and warnings to the entry, and whether it fills its bytes."""


class Deferred(Sequence):
    """The entries of a table whose offsets are in order.

    `offsets` has one more: the end of the last entry. Reading never fails: an entry that cannot be
    read is a `Malformed` record. `loose` is the warning if an entry does not fill its bytes.
    `known` has the entries that have been used, by index.
    """

    def __init__(
        self, offsets: Sequence[int], quick: Quick, careful: Careful, loose: Oddity
    ) -> None:
        self._offsets = offsets
        self._quick = quick
        self._careful = careful
        self._loose = loose
        self.known: dict[int, object] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        entry = self.known.get(index)
        if entry is None:
            index = range(len(self))[index]
            entry = self._quick(self._offsets[index], self._offsets[index + 1])
            if entry is None:
                entry, _ = self._careful(index, None, None)
            entry = self.known.setdefault(index, entry)
        return entry

    def trace(self, index: int, spans: list[Span]) -> None:
        """Read one entry into a trace."""
        self._careful(index, spans, None)

    def oddities(self) -> Iterator[Oddity]:
        """Yield the warnings about the entries and their layout, which are not stored."""
        all_filled = True
        for index in range(len(self)):
            if self._quick(self._offsets[index], self._offsets[index + 1]) is None:
                warnings: list[Oddity] = []
                _, filled = self._careful(index, None, warnings)
                all_filled &= filled
                yield from warnings
        if not all_filled:
            yield self._loose
