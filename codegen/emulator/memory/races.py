"""Which accesses nothing orders: the last ones of every granule, held against threads' clocks.

Each thread counts its own time; a barrier makes what its threads did before it happen before what
they do after it, and so does a release that an acquire reads from (`releases.py`), between blocks
too. A granule of memory (the smallest word the kernel accesses) remembers its last write and two
reads, each as lane, time and scope. A new access races with one of them if another thread did it,
one of both writes, not both are strong with each other in their scopes, and the time of that thread
which the own thread knows of is earlier.

Two writes of the same value are no race: neither order changes the outcome. Two reads suffice
where barriers are for all threads of a block: whoever writes later is not both of the readers.
Where three threads read and then some thread writes, a race with the first may be missed.
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
"""Granules of a space that are remembered together: a multiple of any access."""


class Shadow:
    """The last accesses to each granule of a space, in pages that come with their first access."""

    def __init__(self, size: int, granule: int, name: str, releases: Releases | None) -> None:
        """`releases` if the kernel has any operation that orders others."""
        self.granule, self.name, self.releases = granule, name, releases
        self.page = max(min(PAGE, -(-size // granule)), 1)
        self.found = np.full(-(-size // (self.page * granule)), NEVER)
        """Where the granules of each page begin in the arrays of accesses."""
        self.end = 0
        self.writes = np.zeros(0, np.int64)
        self.reads = (self.writes, self.writes)

    def record(
        self, lanes: Lanes, statement: Statement, address: Any, place: Any, access: Access,
        changes: Callable[[], Any],
    ) -> None:  # fmt: skip
        """Check an access against earlier ones, and remember it; `changes`: where a write does."""
        keys = lanes.batch.clocks.key(lanes.numbers, access.scope)[:, None]
        pieces = np.arange(max(access.nbytes // self.granule, 1))
        place = self._granules(lanes.spread(place))[:, None] + pieces
        self._against(lanes, statement, address, self.writes[place], access, changes)
        if access.writes:
            for reads in self.reads:
                self._against(lanes, statement, address, reads[place], access, None)
            self.writes[place] = keys
            if WEAK < access.scope < GPU:
                self._against(lanes, statement, address, self.writes[place], access, changes)
        else:
            self._remember_read(lanes, place, keys)

    def _granules(self, place: np.ndarray) -> np.ndarray:
        """Where the granule at each byte of the space is; an aligned access stays in its page."""
        granule = place // self.granule
        page = granule // self.page
        start = self.found[page]
        if start.min() == NEVER:
            self._open(page[start == NEVER])
            start = self.found[page]
        return start + (granule - page * self.page)

    def _open(self, pages: np.ndarray) -> None:
        """Room for pages that were not accessed so far; the same one may be there many times."""
        new = np.unique(pages[np.diff(pages, prepend=NEVER) != 0])
        self.found[new] = self.end + np.arange(len(new)) * self.page
        self.end += len(new) * self.page
        if self.end > len(self.writes):
            more = np.full(max(self.end, 2 * len(self.writes)), NEVER)
            grown = [np.concatenate([each, more]) for each in (self.writes, *self.reads)]
            self.writes, self.reads = grown[0], tuple(grown[1:])

    def _remember_read(self, lanes: Lanes, place: np.ndarray, keys: np.ndarray) -> None:
        first, second = self.reads
        earlier = first[place]
        first[place] = keys
        other = first[place] != keys
        if other.any():
            second[place[other]] = np.broadcast_to(keys, place.shape)[other]
        if earlier.max() != NEVER:
            still = lanes.batch.clocks.unordered(lanes.numbers[:, None], earlier)
            second[place[still]] = earlier[still]

    def _against(
        self, lanes: Lanes, statement: Statement, address: Any, earlier: np.ndarray,
        access: Access, changes: Callable[[], Any] | None,
    ) -> None:  # fmt: skip
        if earlier.max() == NEVER:
            return
        wrong = lanes.batch.clocks.unordered(lanes.numbers[:, None], earlier)
        if access.scope and wrong.any():
            numbers = lanes.numbers[:, None]
            wrong &= ~lanes.batch.clocks.both_strong(numbers, earlier, access.scope)
        if changes is not None and wrong.any():
            wrong &= np.asarray(changes()).reshape(-1, 1)
        if wrong.any():
            lane, piece = (int(each[0]) for each in np.nonzero(wrong))
            self._report(lanes, statement, address, wrong.any(axis=1), int(earlier[lane, piece]))

    def _report(
        self, lanes: Lanes, statement: Statement, address: Any, wrong: np.ndarray, earlier: int
    ) -> None:
        clocks = lanes.batch.clocks
        position = int(np.flatnonzero(wrong)[0])
        other, lane = earlier >> LANE_SHIFT, int(clocks.lane[lanes.numbers[position]])
        where = f"thread {other % clocks.threads}"
        if other // clocks.threads != lane // clocks.threads:
            block = lanes.batch.coordinates(other // clocks.threads)
            where += f" of block {block}"
        first = int(lanes.spread(address)[position])
        raise lanes.error(
            "race", f"{self.name} address {first:#x} was accessed by {where}, and nothing orders"
            " the two", statement, wrong, first,
        )  # fmt: skip
