"""Asynchronous copies from global to shared memory: under way until their thread waits for them.

A copy may read its source and write its destination at any time between the instruction and the
wait. So the destination is neither to be read nor written in between, by nobody; the source must
hold the same at both ends; and to the race detection the copy reads and writes at both ends. It
is carried out at the wait, in the order of the instructions.

Copies belong to groups, which each thread counts for itself: a copy is of the group that the
thread's next commit closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Batch, Lanes

from .scratch import Scratch
from .spaces import HostMemory

WORD = 4
"""Sizes are multiples of it."""


@dataclass(slots=True)
class Copy:
    """One instruction, for the lanes (`numbers`) that have not waited for it yet.

    `length` bytes of the source are read, the others of `size` become zeros. `seen`: the words at
    the start, shape (lanes, words). All arrays are over these lanes.
    """

    size: int
    numbers: np.ndarray
    group: np.ndarray
    source: np.ndarray
    target: np.ndarray
    length: np.ndarray
    seen: np.ndarray

    def part(self, chosen: np.ndarray) -> Copy:
        """Of some lanes only."""
        arrays = (self.numbers, self.group, self.source, self.target, self.length, self.seen)
        return Copy(self.size, *(each[chosen] for each in arrays))


class Copies:
    """All copies of a batch that are under way, in the order of their instructions."""

    def __init__(self, batch: Batch, source: HostMemory, target: Scratch) -> None:
        self.batch, self.source, self.target = batch, source, target
        self.closed = np.zeros(batch.count, np.int64)
        """How many groups each thread has committed."""
        self.open: list[Copy] = []

    def start(
        self, lanes: Lanes, statement: Statement, target: Any, source: Any, size: int, length: Any
    ) -> None:
        """Copy `length` of `size` bytes, for each lane."""
        target, source, length = (lanes.spread(each) for each in (target, source, length))
        wrong = (source % np.uint64(size) != 0) | (length > size)
        if wrong.any():
            message = f"source or number of bytes do not fit a copy of {size} bytes"
            raise lanes.error("alignment", message, statement, wrong, int(source[wrong][0]))
        seen = self._read(lanes, statement, source, size, length)
        self.target.close(lanes, statement, target, _access(size))
        numbers = lanes.numbers
        group = self.closed[numbers]
        copy = Copy(size, numbers, group, source, target, length, seen)
        self.open.append(copy)

    def commit(self, lanes: Lanes) -> None:
        """What the lanes have started since their last commit is a group."""
        self.closed[lanes.numbers] += 1

    def wait(self, lanes: Lanes, statement: Statement, newest: int | None) -> None:
        """Until at most the newest groups are under way; None: and no copy without a group."""
        limit = np.full(self.batch.count, -1, np.int64)
        numbers = lanes.numbers
        limit[numbers] = self.closed[numbers] + (1 if newest is None else -newest)
        still = []
        for copy in self.open:
            done = copy.group < limit[copy.numbers]
            if done.any():
                self._finish(copy.part(done), statement)
            if not done.all():
                still.append(copy.part(~done))
        self.open = still

    def _finish(self, copy: Copy, statement: Statement) -> None:
        lanes = Lanes(self.batch, copy.numbers)
        words = self._read(lanes, statement, copy.source, copy.size, copy.length)
        changed = (words != copy.seen).any(axis=1)
        if changed.any():
            message = "the source of a copy was written while the copy was under way"
            first = int(copy.source[changed][0])
            raise lanes.error("race", message, statement, changed, first)
        shared = self.target
        shared.open(lanes, copy.target, _access(copy.size))
        shared.store(lanes, statement, None, copy.target, tuple(words.T), _access(copy.size))

    def _read(
        self, lanes: Lanes, statement: Statement, source: np.ndarray, size: int, length: np.ndarray
    ) -> np.ndarray:
        """Words with zeros where nothing is read; not a byte beyond `length` is touched."""
        out = np.zeros((lanes.count, size), np.uint8)
        step = gcd(size, *np.unique(length).tolist())
        access = _access(step, writes=False)
        for start in range(0, size, step):
            mask = length > start
            address = source + np.uint64(start)
            words = self.source.load(lanes, statement, mask, address, access)
            spread = [lanes.spread(word)[:, None] for word in words]
            out[:, start : start + step] = np.hstack(spread).view(np.uint8)
        return out.view(f"u{WORD}")


def _access(size: int, writes: bool = True) -> Access:
    word = min(size, WORD)
    return Access(word, size // word, writes=writes)
