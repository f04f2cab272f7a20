"""Vector clocks: what each thread knows of the times of others.

In launches of so many threads that their clocks would fill memory, threads that are next to each
other share one in the eyes of other blocks: a warp, a block, or several. Then some races between
blocks are missed; none is reported that is none.
"""

from __future__ import annotations

import numpy as np

from .learnt import Learnt
from .scopes import Grid

SCOPE_SHIFT, LANE_SHIFT = 22, 24
TIMES, SCOPES = (1 << SCOPE_SHIFT) - 1, (1 << LANE_SHIFT - SCOPE_SHIFT) - 1
"""A key is lane, scope and time of an access, from the highest bits to the lowest."""
NEVER = -1
"""In place of the key of an access that there was not."""

Rows = dict[tuple[int, int], np.ndarray]
"""What was published, by the scope and the block of the release or fence."""


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

    def key(self, numbers: np.ndarray, scope: int) -> np.ndarray:
        """An access of these lanes now, as one number for each."""
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
