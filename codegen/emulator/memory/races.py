"""Race detection: the last accesses to every granule of memory, compared with vector clocks.

Each thread counts its own time. At a barrier, everything its threads did before happens before
everything they do after it; the same holds for a release and the acquire that reads from it
(`releases.py`), between blocks too. A granule (the smallest word that the kernel accesses)
remembers its last write and two reads, each as lane, time and scope. A new access races with such
an earlier one if another thread made that, at least one of the two writes, they are not both strong
with each other in their scopes, and the new access's thread does not know the time of the earlier
one, only earlier times of that thread.

Two writes of the same value are not a race: the order does not change the outcome. Two reads
suffice where barriers are for all threads of a block: a later writer is not both of the readers.
Where three threads read and then another one writes, a race with the first may be missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.clocks import LANE_SHIFT, NEVER
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.scopes import GPU, WEAK

from .releases import Releases

PAGE = 1 << 12
"""Granules of a page: a multiple of the granules of any access."""


class Shadow:
    """The last accesses to each granule of a space, in pages created at their first access."""

    def __init__(self, size: int, granule: int, name: str, releases: Releases | None) -> None:
        """`size` and `granule` in bytes; `releases` if an operation of the kernel orders others."""
        self.granule, self.name, self.releases = granule, name, releases
        self.page = max(min(PAGE, -(-size // granule)), 1)
        self.starts = np.full(-(-size // (self.page * granule)), NEVER)
        """Index of the first granule of each page in `writes` and `reads`."""
        self.end = 0
        self.writes = np.zeros(0, np.int64)
        self.reads = (self.writes, self.writes)
        self._numbers: dict[int, np.ndarray] = {}

    def record(
        self,
        lanes: Lanes,
        statement: Statement,
        address: Any,
        offset: Any,
        access: Access,
        changes: Callable[[], Any],
        keys: Any = None,
    ) -> None:
        """Check an access against earlier ones, and remember it.

        `offset` is in bytes, within the shadowed space; `changes` tells which lanes would write
        another value than is there; `keys`, of shape (lanes, 1), are in place of the lanes' own.
        """
        if keys is None:
            keys = lanes.batch.clocks.key(lanes.numbers, access.scope)[:, None]
        index = self._indices(lanes.broadcast(offset))[:, None] + self._pieces(access.nbytes)
        self._check(lanes, statement, address, self.writes[index], access, changes)
        if access.writes:
            for reads in self.reads:
                self._check(lanes, statement, address, reads[index], access, None)
            self.writes[index] = keys
            if WEAK < access.scope < GPU:
                self._check(lanes, statement, address, self.writes[index], access, changes)
        else:
            self._remember_read(lanes, index, keys)

    def sign(self, offset: np.ndarray, size: int, key: int) -> None:
        """Make an access of this key the last write to `size` bytes at each offset."""
        index = self._indices(offset)[:, None] + self._pieces(size)
        self.writes[index] = key

    def last_writes(self, offset: np.ndarray, size: int) -> np.ndarray:
        """Return the keys of the last writes to `size` bytes at each offset: (lanes, granules)."""
        index = self._indices(offset)[:, None] + self._pieces(size)
        return self.writes[index]

    def _pieces(self, size: int) -> np.ndarray:
        """Return the numbers of the granules of an access of so many bytes."""
        pieces = self._numbers.get(size)
        if pieces is None:
            pieces = self._numbers[size] = np.arange(max(size // self.granule, 1))
        return pieces

    def _indices(self, offset: np.ndarray) -> np.ndarray:
        """Return the index in `writes` and `reads` of the granule at each byte offset.

        An aligned access lies in one page.
        """
        granule = offset // self.granule
        page = granule // self.page
        start = self.starts[page]
        if start.min() == NEVER:
            self._add_pages(page[start == NEVER])
            start = self.starts[page]
        return start + (granule - page * self.page)

    def _add_pages(self, pages: np.ndarray) -> None:
        """Make room for pages that are accessed for the first time; they may be repeated."""
        new = np.unique(pages[np.diff(pages, prepend=NEVER) != 0])
        self.starts[new] = self.end + np.arange(len(new)) * self.page
        self.end += len(new) * self.page
        if self.end > len(self.writes):
            more = np.full(max(self.end, 2 * len(self.writes)), NEVER)
            grown = [np.concatenate([each, more]) for each in (self.writes, *self.reads)]
            self.writes, self.reads = grown[0], tuple(grown[1:])

    def _remember_read(self, lanes: Lanes, index: np.ndarray, keys: np.ndarray) -> None:
        first, second = self.reads
        earlier = first[index]
        first[index] = keys
        other = first[index] != keys
        if np.count_nonzero(other):
            second[index[other]] = np.broadcast_to(keys, index.shape)[other]
        if earlier.max() != NEVER:
            still = lanes.batch.clocks.unordered(lanes.numbers[:, None], earlier)
            second[index[still]] = earlier[still]

    def _check(
        self,
        lanes: Lanes,
        statement: Statement,
        address: Any,
        earlier: np.ndarray,
        access: Access,
        changes: Callable[[], Any] | None,
    ) -> None:
        if earlier.max() == NEVER:
            return
        wrong: Any = lanes.batch.clocks.unordered(lanes.numbers[:, None], earlier)
        if access.scope and wrong.any():
            numbers = lanes.numbers[:, None]
            wrong &= ~lanes.batch.clocks.both_strong(numbers, earlier, access.scope)
        if changes is not None and wrong.any():
            wrong &= np.asarray(changes()).reshape(-1, 1)
        if np.count_nonzero(wrong):
            lane, piece = (int(each[0]) for each in np.nonzero(wrong))
            self._report(lanes, statement, address, wrong.any(axis=1), int(earlier[lane, piece]))

    def _report(
        self, lanes: Lanes, statement: Statement, address: Any, wrong: np.ndarray, earlier: int
    ) -> None:
        clocks = lanes.batch.clocks
        index = int(np.flatnonzero(wrong)[0])
        other, lane = earlier >> LANE_SHIFT, int(clocks.lane[lanes.numbers[index]])
        where = f"thread {other % clocks.threads}"
        if other >= clocks.grid.count:
            where = "a bulk copy"
        elif other // clocks.threads != lane // clocks.threads:
            block = lanes.batch.coordinates(other // clocks.threads)
            where += f" of block {block}"
        first = int(lanes.broadcast(address)[index])
        raise lanes.error(
            "race",
            f"{self.name} address {first:#x} was accessed by {where}, and nothing orders the two",
            statement,
            wrong,
            first,
        )
