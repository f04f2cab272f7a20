"""Which accesses nothing orders: vector clocks of threads, and the last accesses of every granule.

Each thread counts its own time; a barrier makes what its threads did before it happen before what
they do after it, and so does a release that an acquire reads from (`releases.py`), between blocks
too. A granule of memory (the smallest word the kernel accesses) remembers its last write and two
reads, each as lane, time and scope. A new access races with one of them if another thread did it,
one of both writes, not both are strong with each other in their scopes, and the time of that thread
which the own thread knows of is earlier.

Two writes of the same value are no race: neither order changes the outcome. Two reads suffice
where barriers are for all threads of a block: whoever writes later is not both of the readers.
Where three threads read and then some thread writes, a race with the first may be missed.

In launches of so many threads that their clocks would fill memory, threads that are next to each
other share one in the eyes of other blocks: a warp, a block, or several. Then some races between
blocks are missed; none is reported that is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .lanes import Lanes
from .learnt import Learnt
from .releases import Releases, Rows
from .scopes import GPU, WEAK, Grid

if TYPE_CHECKING:
    from .memory import Access
    from .syntax import Statement

SCOPE_SHIFT, LANE_SHIFT = 22, 24
TIMES, SCOPES = (1 << SCOPE_SHIFT) - 1, (1 << LANE_SHIFT - SCOPE_SHIFT) - 1
"""A key is lane, scope and time of an access, from the highest bits to the lowest."""
NEVER = -1
PAGE = 1 << 12
"""Granules of a space that are remembered together: a multiple of any access."""


class Clocks:
    """What each thread of a batch knows of the times of others."""

    def __init__(self, first: int, blocks: int, grid: Grid) -> None:
        """`first` is the number in the grid of the batch's first block."""
        self.grid, self.threads = grid, grid.threads
        self.lane = np.arange(blocks * self.threads, dtype=np.int64) + first * self.threads
        self.time = np.ones(len(self.lane), np.int64)
        self.all_know = np.zeros(len(self.lane), np.int64)
        """The time of each lane that all of its block know of: barriers for all need no more."""
        self.known: np.ndarray | None = None
        """What each lane knows of its block beyond that: shape (lanes, threads of a block)."""
        self.learnt: Learnt | None = None
        """What it has from acquires."""
        self.block = self.lane // self.threads
        self.promised: dict[int, Rows] = {}
        """What the fences of a lane add to its later strong writes."""
        self.seen: dict[int, Rows] = {}
        """What its relaxed reads have found, for a later fence."""

    def key(self, lanes: Lanes, scope: int) -> np.ndarray:
        """An access now, as one number for each active lane."""
        numbers = lanes.numbers
        return (self.lane[numbers] << LANE_SHIFT) | (scope << SCOPE_SHIFT) | self.time[numbers]

    def meet(self, members: np.ndarray, waiting: np.ndarray, whole: bool = False) -> None:
        """Those who wait know of everything that any member knows of, and of the members' past.

        `whole`: all of a block that have not ended wait.
        """
        if self.learnt is not None:
            self.learnt.meet(members, waiting)
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

    def publish(self, number: int) -> np.ndarray:
        """All that a lane knows of, itself included, as a row over the columns of the grid."""
        start = number // self.threads * self.threads
        own = self.all_know[start : start + self.threads].astype(np.int32)
        if self.known is not None:
            np.maximum(own, self.known[number], out=own)
        own[number - start] = self.time[number]
        self.time[number] += 1
        row = np.zeros(self.grid.columns, np.int32)
        if self.learnt is not None:
            row[:] = self.learnt.row(number)
        grain = min(self.grid.grain, self.threads)
        first = int(self.lane[start]) // self.grid.grain
        here = row[first : first + self.threads // grain]
        np.maximum(here, own if grain == 1 else own.reshape(-1, grain).max(axis=1), out=here)
        return row

    def learn(self, number: int, rows: Rows, scope: int) -> None:
        """A lane acquires, at a scope, what was published."""
        block = int(self.block[number])
        for key, row in rows.items():
            if self.grid.mutual(*key, scope, block):
                if self.learnt is None:
                    self.learnt = Learnt(len(self.lane), self.grid.columns)
                self.learnt.learn(number, row)

    def fence(self, numbers: np.ndarray, scope: int, acquires: bool, releases: bool) -> None:
        """What the lanes have read counts from now on, and what they have done goes with what
        they write."""
        for number in numbers.tolist():
            if acquires:
                self.learn(number, self.seen.get(number, {}), scope)
            if releases:
                key = scope, int(self.block[number])
                self.promised.setdefault(number, {})[key] = self.publish(number)

    def unordered(self, numbers: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Whether nothing orders these earlier accesses (keys) before the lanes."""
        lane, time = earlier >> LANE_SHIFT, earlier & TIMES
        foreign = (lane != self.lane[numbers]) & (earlier != NEVER)
        if not foreign.any():
            return foreign
        same_block = lane // self.threads == self.block[numbers]
        known = self.all_know[np.where(same_block, lane - self.lane[0], 0)]
        if self.known is not None:
            known = np.maximum(known, self.known[numbers, lane % self.threads])
        known = np.where(same_block, known, 0)
        if self.learnt is not None:
            column = np.where(foreign, lane // self.grid.grain, 0)
            known = np.maximum(known, self.learnt.times(numbers, column))
        return foreign & (time > known)

    def both_strong(self, numbers: np.ndarray, earlier: np.ndarray, scope: int) -> np.ndarray:
        """Whether the earlier accesses and these, of a scope, have each other in their scopes."""
        block = np.where(earlier == NEVER, 0, earlier >> LANE_SHIFT) // self.threads
        scopes = np.minimum(earlier >> SCOPE_SHIFT & SCOPES, scope)
        return scopes >= self.grid.needed(block, self.block[numbers])


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
        keys = lanes.batch.clocks.key(lanes, access.scope)[:, None]
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
