"""Barriers in shared memory (`mbarrier`): phases, pending arrivals, and bytes of copies under way.

A phase is complete when nobody is still to arrive and the bytes that were expected have come. What
those who arrive know is handed over to those who find the phase complete, and so is the knowledge
that the bulk copies of the phase are there. An mbarrier lives in its 8 bytes from `init` to
`inval`; nothing else may access them meanwhile.

A thread that tries to wait does not run again until the phase is complete, or until nobody else can
run, when it fails once, as it may after some time; in some schedules it fails before that, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.clocks import LANE_SHIFT
from tileir.codegen.emulator.threads.lanes import Batch, Lanes
from tileir.codegen.emulator.threads.schedules import Completion

from .phases import MOST, Mbarrier
from .scratch import Scratch

SIZE = 8
"""Bytes of an mbarrier, and the alignment."""
INIT, USE = Access(SIZE, writes=True, to_mbarrier=True), Access(SIZE, to_mbarrier=True)
BY_COPY = Access(SIZE, to_mbarrier=True, later=True)
"""What `init` and `inval` do, all others, and a bulk copy when it has ended."""
AGENTS = 1024
"""How many mbarriers of a batch have a clock of their own; others share one, which may only hide
races."""


class Mbarriers:
    """The mbarriers of a batch."""

    def __init__(self, batch: Batch, shared: Scratch, completion: Completion) -> None:
        self.batch, self.shared, self.completion = batch, shared, completion
        self._tried = np.full((2, batch.count), -1, np.int64)
        """Mbarrier and phase at which each lane has tried to wait last."""
        self.living: dict[int, Mbarrier] = {}
        """By the offset in the shared memory of the batch."""
        self.made = 0
        self.changes = 0
        """Arrivals, bytes and lives so far: whether anything has happened."""
        self._seen = -1

    # Lives ------------------------------------------------------------------------------------

    def init(self, lanes: Lanes, statement: Statement, address: Any, count: Any) -> None:
        """Begin the life of an mbarrier for each lane."""
        clocks = self.batch.clocks
        counts = lanes.broadcast(count).astype(np.int64)
        self._check_count(lanes, statement, counts)
        for one, at, number in self._one_by_one(lanes, address, counts):
            offset = int(self.shared.reach(one, statement, at, INIT)[0])
            if offset in self.living:
                message = "an mbarrier lives there already"
                raise one.error("barrier", message, statement, None, int(at[0]))
            lane = int(one.numbers[0])
            made = int(clocks.lane[lane]), int(clocks.time[lane])
            block, agent = offset // self.shared.pitch, self.made % AGENTS
            self.living[offset] = Mbarrier(
                block, offset % self.shared.pitch, number, number, agent, made
            )
            self.shared.reserve(offset, SIZE, True)
            self.made += 1
            self.changes += 1

    def inval(self, lanes: Lanes, statement: Statement, address: Any) -> None:
        """End the lives of mbarriers."""
        for one, at, _ in self._one_by_one(lanes, address, np.zeros(lanes.count)):
            ((bar, _),) = self.find(one, statement, at)
            if bar.bytes or bar.waiting:
                what = "threads wait at it" if bar.waiting else "copies to it are under way"
                message = f"an mbarrier is invalidated while {what}"
                raise one.error("barrier", message, statement, None, int(at[0]))
            offset = int(self.shared.reach(one, statement, at, INIT)[0])
            del self.living[offset]
            self.shared.reserve(offset, SIZE, False)
            self.changes += 1

    def _one_by_one(
        self, lanes: Lanes, address: Any, numbers: np.ndarray
    ) -> Iterator[tuple[Lanes, np.ndarray, int]]:
        """Yield each lane, its address and its number."""
        address = lanes.broadcast(address)
        for index, lane in enumerate(lanes.numbers.tolist()):
            here = slice(index, index + 1)
            yield Lanes(self.batch, np.array([lane])), address[here], int(numbers[index])

    def find(
        self, lanes: Lanes, statement: Statement, address: Any, access: Access = USE
    ) -> list[tuple[Mbarrier, np.ndarray]]:
        """Return the mbarriers, each with the indices of the lanes that name it.

        EmulationError where there is none, or where nothing orders its `init` before.
        """
        address = lanes.broadcast(address)
        offset = lanes.broadcast(self.shared.where(lanes, statement, address, access)[0])
        missing = np.array([each not in self.living for each in offset.tolist()])
        if missing.any():
            first = int(address[missing][0])
            message = f"there is no mbarrier at {first:#x}"
            raise lanes.error("barrier", message, statement, missing, first)
        self.shared.reach(lanes, statement, address, access)
        return [
            (self.living[each], np.flatnonzero(offset == each))
            for each in np.unique(offset).tolist()
        ]

    # Arrivals ---------------------------------------------------------------------------------

    def _check_count(self, lanes: Lanes, statement: Statement, counts: np.ndarray) -> None:
        wrong = (counts < 1) | (counts > MOST)
        if wrong.any():
            message = f"a count of {int(counts[wrong][0])}, which is not 1 to {MOST}"
            raise lanes.error("barrier", message, statement, wrong)

    def arrive(
        self,
        lanes: Lanes,
        statement: Statement,
        address: Any,
        count: Any = 1,
        *,
        bytes_expected: Any = 0,
        drops: bool = False,
        completes: bool = True,
        releases: bool = True,
    ) -> np.ndarray:
        """Let each lane arrive `count` times; return the states before that, as u64.

        `drops`: later phases expect so many fewer. `completes`: whether a phase may be complete by
        it.
        """
        counts = lanes.broadcast(count).astype(np.int64)
        self._check_count(lanes, statement, counts)
        more = lanes.broadcast(bytes_expected).astype(np.int64)
        states = np.zeros(lanes.count, np.uint64)
        for bar, here in self.find(lanes, statement, address):
            while len(here):
                # Those that arrive before the phase is complete, then those of the next phase.
                before = np.cumsum(counts[here]) - counts[here]
                now = here[before < bar.pending] if bar.pending else here[:1]
                total = int(counts[now].sum())
                if total > bar.pending or (not completes and total == bar.pending):
                    raise self._too_many(lanes, statement, bar, now)
                states[now] = bar.state()
                self.count_bytes(lanes, statement, bar, int(more[now].sum()))
                if releases:
                    members = np.unique(lanes.numbers[now])
                    taken = self.batch.clocks.snapshot(members)
                    bar.gathered = bar.gathered.joined(taken)
                bar.pending -= total
                bar.expected -= total if drops else 0
                self.settle(bar)
                here = here[len(now) :]
        return states

    def count_arrivals(self, lanes: Lanes, statement: Statement, bar: Mbarrier) -> None:
        """Let lanes arrive once each, after the fact: they hand over nothing."""
        for _ in range(lanes.count):
            if not bar.pending:
                raise self._too_many(lanes, statement, bar, np.arange(lanes.count))
            bar.pending -= 1
            self.settle(bar)

    def key(self, bar: Mbarrier) -> int:
        """Return the key of accesses that those know who find this phase complete."""
        return (self.batch.clocks.grid.count + bar.agent) << LANE_SHIFT | bar.phase + 1

    def _too_many(
        self, lanes: Lanes, statement: Statement, bar: Mbarrier, wrong: np.ndarray
    ) -> Exception:
        message = (
            f"more arrivals than the {bar.expected} that the mbarrier at {bar.address:#x}"
            f" expects: {bar.pending} are pending in phase {bar.phase}"
        )
        where = np.isin(np.arange(lanes.count), wrong)
        return lanes.error("barrier", message, statement, where, bar.address)

    def transfer(self, lanes: Lanes, statement: Statement, address: Any, more: np.ndarray) -> None:
        """Expect more bytes for each lane, or fewer if negative."""
        for bar, here in self.find(lanes, statement, address):
            for each in more[here].tolist():
                self.count_bytes(lanes, statement, bar, each)
                self.settle(bar)

    def count_bytes(self, lanes: Lanes, statement: Statement, bar: Mbarrier, more: int) -> None:
        """Expect more bytes, or fewer if negative; whether a phase is complete is not asked."""
        bar.bytes += more
        self.changes += 1
        if abs(bar.bytes) > MOST:
            message = f"{bar.bytes} bytes are pending at an mbarrier, at most {MOST} can be"
            raise lanes.error("barrier", message, statement, None, bar.address)

    def settle(self, bar: Mbarrier) -> None:
        """Begin the next phase if this one is complete, and wake those that wait for it."""
        self.changes += 1
        if bar.pending or bar.bytes:
            return
        grid = self.batch.clocks.grid
        bar.advance(int(grid.column(grid.count + bar.agent)), grid.width)
        self._wake(bar)

    def _wake(self, bar: Mbarrier) -> None:
        for numbers in bar.waiting:
            self.batch.waiting[numbers] = False
        bar.waiting.clear()

    # Waits ------------------------------------------------------------------------------------

    def _asked(
        self, lanes: Lanes, statement: Statement, address: Any, phase: Any, parity: bool
    ) -> Iterator[tuple[Mbarrier, np.ndarray, np.ndarray]]:
        """Yield the mbarriers, the indices of lanes, and whether the phases they ask for are over.

        `phase` is a state that an arrival returned or, with `parity`, the parity of a phase.
        """
        asked = lanes.broadcast(phase).astype(np.uint64)
        for bar, here in self.find(lanes, statement, address):
            if parity:
                yield bar, here, bar.past_parity(asked[here])
                continue
            past, wrong = bar.past(asked[here])
            if wrong.any():
                message = "that is no state of this or the last phase of the mbarrier"
                where = np.isin(np.arange(lanes.count), here[wrong])
                raise lanes.error("barrier", message, statement, where, bar.address)
            yield bar, here, past

    def ask(
        self, lanes: Lanes, statement: Statement, address: Any, phase: Any, parity: bool
    ) -> None:
        """Let lanes wait whose phase is not complete (`mbarrier.try_wait`, its first half)."""
        for bar, here, past in self._asked(lanes, statement, address, phase, parity):
            numbers = lanes.numbers[here[~past]]
            if len(numbers) and not self.completion.patient():
                before = self._tried[:, numbers]
                again = (before[0] == bar.address) & (before[1] == bar.phase)
                self._tried[0, numbers], self._tried[1, numbers] = bar.address, bar.phase
                numbers = numbers[again]
            if len(numbers):
                bar.waiting.append(numbers)
                self.batch.waiting[numbers] = True

    def test(
        self,
        lanes: Lanes,
        statement: Statement,
        address: Any,
        phase: Any,
        parity: bool,
        acquires: bool,
    ) -> np.ndarray:
        """Return whether each lane's phase is complete; those learn what arrivals handed over."""
        found = np.zeros(lanes.count, bool)
        for bar, here, past in self._asked(lanes, statement, address, phase, parity):
            found[here] = past
            if acquires and past.any():
                self.batch.clocks.take(lanes.numbers[here[past]], bar.complete)
        return found

    def give_up(self) -> bool:
        """Let all that wait fail once; False if nothing has happened since the last time."""
        held = [bar for bar in self.living.values() if bar.waiting]
        if not held or self._seen == self.changes:
            return False
        self._seen = self.changes
        for bar in held:
            self._wake(bar)
        return True

    def who_waits(self) -> Iterator[str]:
        """Yield for each mbarrier what is known of those who wait there."""
        batch = self.batch
        for bar in self.living.values():
            numbers = np.concatenate([np.zeros(0, np.int64), *bar.waiting])
            numbers = numbers[batch.next[numbers] != DONE]
            if len(numbers):
                block, threads = batch.block_and_threads(numbers)
                yield (
                    f"{len(threads)} threads of block {block} at the mbarrier at"
                    f" {bar.address:#x}, in phase {bar.phase} with {bar.pending} arrivals and"
                    f" {bar.bytes} bytes pending"
                )
