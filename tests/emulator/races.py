"""Which accesses nothing orders: vector clocks of threads, and the last accesses of every granule.

Each thread counts its own time; a barrier makes what its threads did before it happen before what
they do after it. A granule of memory (the smallest word the kernel accesses) remembers its last
write and two reads, each as lane, time and strength. A new access races with one of them if
another thread did it, one of both writes, not both are strong, and the time of that thread which
the own thread knows of is earlier.

Two writes of the same value are no race: neither order changes the outcome. Two reads suffice
where barriers are for all threads of a block: whoever writes later is not both of the readers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .lanes import Lanes

if TYPE_CHECKING:
    from .memory import Access
    from .syntax import Statement

TIME_BITS, STRONG = 22, 1 << 22
LANE_SHIFT = 23
NEVER = -1
PAGE = 1 << 12
"""Granules of a space that are remembered together: a multiple of any access."""


class Clocks:
    """What each thread of a batch knows of the times of the threads of its block."""

    def __init__(self, first: int, blocks: int, threads: int, between_blocks: bool) -> None:
        """`first` is the number in the grid of the batch's first block."""
        self.threads, self.between_blocks = threads, between_blocks
        self.lane = np.arange(blocks * threads, dtype=np.int64) + first * threads
        self.time = np.ones(blocks * threads, np.int64)
        self.all_know = np.zeros(blocks * threads, np.int64)
        """The time of each lane that all of its block know of: barriers for all need no more."""
        self.known: np.ndarray | None = None
        """What each lane knows beyond that: shape (lanes, threads of a block)."""
        self.block = self.lane // threads

    def key(self, lanes: Lanes, strong: bool) -> np.ndarray:
        """An access now, as one number for each active lane."""
        numbers = lanes.numbers
        return (self.lane[numbers] << LANE_SHIFT) | (STRONG * strong) | self.time[numbers]

    def meet(self, members: np.ndarray, waiting: np.ndarray, whole: bool = False) -> None:
        """Those who wait know of everything that any member knows of, and of the members' past.

        `whole`: all of a block that have not ended wait.
        """
        if whole and self.known is None:
            self.all_know[members] = self.time[members]
            self.time[members] += 1
            return
        if self.known is None:
            self.known = np.zeros((len(self.lane), self.threads), np.int32)
        joined = self.known[members].max(axis=0)
        own = members % self.threads
        joined[own] = np.maximum(joined[own], self.time[members])
        self.known[waiting] = np.maximum(self.known[waiting], joined)
        self.time[members] += 1

    def unordered(self, numbers: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Whether nothing orders these earlier accesses (keys) before the lanes."""
        lane, time = earlier >> LANE_SHIFT, earlier & (STRONG - 1)
        foreign = (lane != self.lane[numbers]) & (earlier != NEVER)
        if not foreign.any():
            return foreign
        same_block = lane // self.threads == self.block[numbers]
        known = self.all_know[np.where(same_block, lane - self.lane[0], 0)]
        if self.known is not None:
            known = np.maximum(known, self.known[numbers, lane % self.threads])
        return foreign & np.where(same_block, time > known, self.between_blocks)


class Shadow:
    """The last accesses to each granule of a space, in pages that come with their first access."""

    def __init__(self, size: int, granule: int, name: str) -> None:
        self.granule, self.name = granule, name
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
        keys = lanes.batch.clocks.key(lanes, access.strong)[:, None]
        pieces = np.arange(max(access.nbytes // self.granule, 1))
        place = self._granules(lanes.spread(place))[:, None] + pieces
        self._against(lanes, statement, address, self.writes[place], access, changes)
        if access.writes:
            for reads in self.reads:
                self._against(lanes, statement, address, reads[place], access, None)
            self.writes[place] = keys
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
        if access.strong:
            wrong &= (earlier & STRONG) == 0
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
