"""Vector clocks: for each thread, the times of other threads that happened before its own.

Where the clocks of a launch would fill memory, neighbouring threads share one towards other blocks:
a warp, a block, or several. Then some races between blocks are missed; none is reported wrongly.
"""

from __future__ import annotations

import numpy as np

from .learnt import Learnt
from .scopes import Grid
from .snapshots import Snapshot

SCOPE_SHIFT, LANE_SHIFT = 22, 24
TIMES, SCOPES = (1 << SCOPE_SHIFT) - 1, (1 << LANE_SHIFT - SCOPE_SHIFT) - 1
"""A key is lane, scope and time of an access, from the highest bits to the lowest."""
NEVER = -1
"""In place of a key: there was no access."""

Rows = dict[tuple[int, int], np.ndarray]
"""Published rows of times, by the scope and the block of the release or fence."""


class Clocks:
    """The vector clocks of the threads of a batch."""

    def __init__(self, first: int, blocks: int, grid: Grid) -> None:
        """`first` is the number of the batch's first block in the grid."""
        self.grid, self.threads = grid, grid.threads
        self.lane = np.arange(blocks * self.threads, dtype=np.int64) + first * self.threads
        self.time = np.ones(len(self.lane), np.int64)
        self.all_know = np.zeros(len(self.lane), np.int64)
        """The time of each lane that all of its block know: enough for barriers of whole blocks."""
        self.known: np.ndarray | None = None
        """Times of its block that a lane knows beyond that: shape (lanes, threads of a block)."""
        self.learnt: Learnt | None = None
        """Times that lanes have learnt by acquires."""
        self.block = self.lane // self.threads
        self.promised: dict[int, Rows] = {}
        """Rows from the fences of a lane, which its later strong writes publish."""
        self.seen: dict[int, Rows] = {}
        """Rows that a lane's relaxed reads saw, for a later fence."""

    def key(self, numbers: np.ndarray, scope: int) -> np.ndarray:
        """Return the key of an access that each of the lanes makes now."""
        return (self.lane[numbers] << LANE_SHIFT) | (scope << SCOPE_SHIFT) | self.time[numbers]

    def synchronize(self, members: np.ndarray, waiting: np.ndarray, whole: bool = False) -> None:
        """Let the `waiting` members of a barrier learn the times of all members, and what they
        know.

        `whole`: all threads of a block wait that have not ended.
        """
        if self.learnt is not None:
            self.learnt.synchronize(members, waiting)
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
        """Return all times that a lane knows, its own too, as a row over the grid's columns."""
        start = number // self.threads * self.threads
        own = self.all_know[start : start + self.threads].astype(np.int32)
        if self.known is not None:
            np.maximum(own, self.known[number], out=own)
        own[number - start] = self.time[number]
        self.time[number] += 1
        row = np.zeros(self.grid.width, np.int32)
        if self.learnt is not None:
            row[:] = self.learnt.row(number)
        self._enter(row, start, own)
        return row

    def _enter(self, row: np.ndarray, start: int, own: np.ndarray) -> None:
        """Join the times of a block's threads, the first of which is lane `start`, to a row."""
        grain = min(self.grid.grain, self.threads)
        first = int(self.lane[start]) // self.grid.grain
        here = row[first : first + self.threads // grain]
        np.maximum(here, own if grain == 1 else own.reshape(-1, grain).max(axis=1), out=here)

    def snapshot(self, members: np.ndarray) -> Snapshot:
        """Return what lanes know together, their own times too; those go on."""
        taken = Snapshot(learnt=None if self.learnt is None else self.learnt.joined(members))
        for block in np.unique(members // self.threads).tolist():
            start = block * self.threads
            here = members[members // self.threads == block]
            row = self.all_know[start : start + self.threads].astype(np.int32)
            if self.known is not None:
                np.maximum(row, self.known[here].max(axis=0), out=row)
            row[here - start] = self.time[here]
            taken.blocks[block] = row
        self.time[members] += 1
        return taken

    def take(self, waiting: np.ndarray, snapshot: Snapshot) -> None:
        """Let lanes learn what a snapshot has."""
        for block in np.unique(waiting // self.threads).tolist():
            here = waiting[waiting // self.threads == block]
            if block in snapshot.blocks:
                if self.known is None:
                    self.known = np.zeros((len(self.lane), self.threads), np.int32)
                self.known[here] = np.maximum(self.known[here], snapshot.blocks[block])
            others = [each for each in snapshot.blocks if each != block]
            row = snapshot.learnt
            if others:
                row = np.zeros(self.grid.width, np.int32) if row is None else row.copy()
                for each in others:
                    self._enter(row, each * self.threads, snapshot.blocks[each])
            if row is not None:
                self._learnt().learn_all(here, row)

    def _learnt(self) -> Learnt:
        if self.learnt is None:
            self.learnt = Learnt(len(self.lane), self.grid.width)
        return self.learnt

    def learn(self, number: int, rows: Rows, scope: int) -> None:
        """Let a lane acquire published rows at a scope."""
        block = int(self.block[number])
        for key, row in rows.items():
            if self.grid.mutual(*key, scope, block):
                self._learnt().learn(number, row)

    def fence(self, numbers: np.ndarray, scope: int, acquires: bool, releases: bool) -> None:
        """Apply a fence: lanes learn the rows that they have read, and publish by later writes."""
        for number in numbers.tolist():
            if acquires:
                self.learn(number, self.seen.get(number, {}), scope)
            if releases:
                key = scope, int(self.block[number])
                self.promised.setdefault(number, {})[key] = self.publish(number)

    def knows_block(self, numbers: np.ndarray, block: int) -> np.ndarray:
        """Whether each lane knows a time of any thread of another block of the batch."""
        if self.learnt is None:
            return np.zeros(len(numbers), bool)
        lanes = self.lane[block * self.threads : (block + 1) * self.threads]
        columns = np.unique(lanes // self.grid.grain)
        return np.asarray(self.learnt.times(numbers[:, None], columns).any(axis=1))

    def block_knows(self, block: int, number: int, time: int) -> bool:
        """Whether any thread of another block knows a time of a lane."""
        if self.learnt is None:
            return False
        members = np.arange(block * self.threads, (block + 1) * self.threads)
        column = np.array(self.lane[number] // self.grid.grain)
        return bool(self.learnt.times(members, column).max() >= time)

    def unordered(self, numbers: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """Whether nothing orders these earlier accesses (keys) before the lanes' next ones."""
        lane = earlier >> LANE_SHIFT
        foreign = (lane != self.lane[numbers]) & (earlier != NEVER)
        if not np.count_nonzero(foreign):
            return foreign
        time = earlier & TIMES
        same_block = lane // self.threads == self.block[numbers]
        whole = np.count_nonzero(same_block) == same_block.size
        known = self.all_know[lane - self.lane[0] if whole else same_block * (lane - self.lane[0])]
        if self.known is not None:
            known = np.maximum(known, self.known[numbers, lane % self.threads])
        if not whole:
            known = known * same_block
        if self.learnt is not None:
            column = self.grid.column(np.where(foreign, lane, 0))
            known = np.maximum(known, self.learnt.times(numbers, column))
        return foreign & (time > known)

    def both_strong(self, numbers: np.ndarray, earlier: np.ndarray, scope: int) -> np.ndarray:
        """Whether earlier accesses and new ones of a scope include each other in their scopes."""
        lane = np.where(earlier == NEVER, 0, earlier >> LANE_SHIFT)
        block = np.minimum(lane, self.grid.count - 1) // self.threads
        scopes = np.minimum(earlier >> SCOPE_SHIFT & SCOPES, scope)
        return scopes >= self.grid.needed(block, self.block[numbers])
