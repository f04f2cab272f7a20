"""Entries of a long table, each read when somebody first asks for it.

Nobody looks at an entry that nothing refers to, and of a chain that is too deep only its beginning
is followed. So what a file of very many records costs is what is used of them. NVIDIA's readers
work that way too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .cursor import Oddity, Span

Quick = Callable[[int, int], object]
"""Reads the entry between two offsets, or gives None where there is more to say about it."""

Careful = Callable[[int, list[Span] | None, list[Oddity] | None], tuple[object, bool]]
"""Reads the entry of an index into a trace and warnings; also says whether it fills its bytes."""


class Deferred(Sequence):
    """The entries of a table whose offsets are in order.

    There is one more of the offsets: the end of the last entry. Reading never fails: what cannot be
    read is a `Malformed` record. `loose` is what to say if an entry does not fill its bytes.
    `found` has the entries that have been asked for, by index.
    """

    def __init__(
        self, offsets: Sequence[int], quick: Quick, careful: Careful, loose: Oddity
    ) -> None:
        self._offsets = offsets
        self._quick = quick
        self._careful = careful
        self._loose = loose
        self.found: dict[int, object] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        entry = self.found.get(index)
        if entry is None:
            index = range(len(self))[index]
            entry = self._quick(self._offsets[index], self._offsets[index + 1])
            if entry is None:
                entry, _ = self._careful(index, None, None)
            entry = self.found.setdefault(index, entry)
        return entry

    def trace(self, index: int, spans: list[Span]) -> None:
        """Read one entry into a trace."""
        self._careful(index, spans, None)

    def oddities(self) -> Iterator[Oddity]:
        """What there is to say about the entries and their layout; nothing of it is kept."""
        all_filled = True
        for index in range(len(self)):
            if self._quick(self._offsets[index], self._offsets[index + 1]) is None:
                warnings: list[Oddity] = []
                _, filled = self._careful(index, None, warnings)
                all_filled &= filled
                yield from warnings
        if not all_filled:
            yield self._loose
