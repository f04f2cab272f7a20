"""Asynchronous copies (`cp.async`), which are pending until their thread waits for them.

A copy may read its source and write its destination at any time between the instruction and the
wait. So until the wait no thread may read or write the destination, and the source must not
change; to the race detection the copy reads and writes at both ends. It is carried out at the
wait, in the order of the instructions.

Each thread counts its own groups: a copy belongs to the group that the thread's next commit closes.
An arrival at an mbarrier takes place at any time after the copies that its thread started before
(`cp.async.mbarrier.arrive`); who finds the phase complete knows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Batch, Lanes
from tileir.codegen.emulator.threads.schedules import Completion

from .mbarriers import Mbarriers
from .phases import Mbarrier
from .scratch import Scratch
from .spaces import GlobalMemory

WORD = 4
"""Bytes; every size of a copy is a multiple of it."""


@dataclass(slots=True)
class AsyncCopy:
    """One instruction, for the lanes (`numbers`) that have not waited for it yet.

    The first `length` of `size` bytes come from the source, the others are zero. `before` has the
    words of the source when the copy started: shape (lanes, words). All arrays are over these
    lanes.
    """

    size: int
    numbers: np.ndarray
    group: np.ndarray
    source: np.ndarray
    target: np.ndarray
    length: np.ndarray
    before: np.ndarray
    place: int = 0
    """The number of the instruction among those executed."""

    def part(self, chosen: np.ndarray) -> AsyncCopy:
        """Return the copy for some of its lanes only."""
        arrays = (self.numbers, self.group, self.source, self.target, self.length, self.before)
        return AsyncCopy(self.size, *(each[chosen] for each in arrays), place=self.place)


@dataclass(slots=True)
class Arrival:
    """An arrival of lanes at an mbarrier when the copies before `place` are there."""

    numbers: np.ndarray
    bar: Mbarrier
    place: int
    statement: Statement


class Copies:
    """The pending copies of a batch, in the order of their instructions."""

    def __init__(
        self,
        batch: Batch,
        source: GlobalMemory,
        target: Scratch,
        mbarriers: Mbarriers,
        completion: Completion,
    ) -> None:
        self.batch, self.source, self.target = batch, source, target
        self.mbarriers, self.completion = mbarriers, completion
        self.started = 0
        self.arrivals: list[Arrival] = []
        self.closed = np.zeros(batch.count, np.int64)
        """How many groups each thread has committed."""
        self.pending: list[AsyncCopy] = []

    def start(
        self, lanes: Lanes, statement: Statement, target: Any, source: Any, size: int, length: Any
    ) -> None:
        """Start a copy of `length` of `size` bytes for each lane."""
        target, source, length = (lanes.broadcast(each) for each in (target, source, length))
        wrong = (source % np.uint64(size) != 0) | (length > size)
        if wrong.any():
            message = f"source or number of bytes do not fit a copy of {size} bytes"
            raise lanes.error("alignment", message, statement, wrong, int(source[wrong][0]))
        before = self._read(lanes, statement, source, size, length)
        self.target.lock(lanes, statement, target, _access(size))
        numbers = lanes.numbers
        group = self.closed[numbers]
        copy = AsyncCopy(size, numbers, group, source, target, length, before, self.started)
        self.pending.append(copy)
        self.started += 1

    def commit(self, lanes: Lanes) -> None:
        """Close a group: the copies that the lanes have started since their last commit."""
        self.closed[lanes.numbers] += 1

    def wait(self, lanes: Lanes, statement: Statement, newest: int | None) -> None:
        """Finish all but the `newest` groups of each lane; None: all copies, in groups or not."""
        limit = np.full(self.batch.count, -1, np.int64)
        numbers = lanes.numbers
        limit[numbers] = self.closed[numbers] + (1 if newest is None else -newest)
        pending = []
        for copy in self.pending:
            done = copy.group < limit[copy.numbers]
            if done.any():
                self._finish(copy.part(done), statement)
            if not done.all():
                pending.append(copy.part(~done))
        self.pending = pending

    def arrive(self, lanes: Lanes, statement: Statement, address: np.ndarray, counts: bool) -> None:
        """Let lanes arrive at an mbarrier when their copies so far are there.

        `counts`: whether the phase was told to expect them; if not, it expects so many more.
        """
        for bar, here in self.mbarriers.find(lanes, statement, address):
            if not counts:
                bar.pending += len(here)
            self.arrivals.append(Arrival(lanes.numbers[here], bar, self.started, statement))
            if self.completion.early():
                self._arrive(self.arrivals.pop())

    def arrive_some(self) -> bool:
        """Carry out one arrival at each mbarrier, and the copies before; False if there is none."""
        waited: dict[int, list[Arrival]] = {}
        for each in self.arrivals:
            waited.setdefault(id(each.bar), []).append(each)
        for arrivals in waited.values():
            chosen = arrivals[self.completion.next_of(len(arrivals))]
            self.arrivals = [each for each in self.arrivals if each is not chosen]
            self._arrive(chosen)
        return bool(waited)

    def _arrive(self, arrival: Arrival) -> None:
        pending = []
        for copy in self.pending:
            done = np.isin(copy.numbers, arrival.numbers) & (copy.place < arrival.place)
            if done.any():
                part = copy.part(done)
                self._finish(part, arrival.statement)
                lanes = Lanes(self.batch, part.numbers)
                offset, _ = self.target.where(
                    lanes, arrival.statement, part.target, _access(part.size)
                )
                if self.target.shadow is not None:
                    key = self.mbarriers.key(arrival.bar)
                    self.target.shadow.sign(offset, part.size, key)
            if not done.all():
                pending.append(copy.part(~done))
        self.pending = pending
        self.mbarriers.count_arrivals(
            Lanes(self.batch, arrival.numbers), arrival.statement, arrival.bar
        )

    def _finish(self, copy: AsyncCopy, statement: Statement) -> None:
        lanes = Lanes(self.batch, copy.numbers)
        words = self._read(lanes, statement, copy.source, copy.size, copy.length)
        changed = (words != copy.before).any(axis=1)
        if changed.any():
            message = "the source of a copy was written while the copy was under way"
            first = int(copy.source[changed][0])
            raise lanes.error("race", message, statement, changed, first)
        shared = self.target
        shared.unlock(lanes, copy.target, _access(copy.size))
        shared.store(lanes, statement, None, copy.target, tuple(words.T), _access(copy.size))

    def _read(
        self, lanes: Lanes, statement: Statement, source: np.ndarray, size: int, length: np.ndarray
    ) -> np.ndarray:
        """Return the words to write: the first `length` bytes of the source, then zeros."""
        out = np.zeros((lanes.count, size), np.uint8)
        step = gcd(size, *np.unique(length).tolist())
        access = _access(step, writes=False)
        for start in range(0, size, step):
            mask = length > start
            address = source + np.uint64(start)
            words = self.source.load(lanes, statement, mask, address, access)
            columns = [lanes.broadcast(word)[:, None] for word in words]
            out[:, start : start + step] = np.hstack(columns).view(np.uint8)
        return out.view(f"u{WORD}")


def _access(size: int, writes: bool = True) -> Access:
    word = min(size, WORD)
    return Access(word, size // word, writes=writes)
