"""Bulk copies (`cp.async.bulk`) of a batch: started by a thread, carried out at any time after.

A copy ends at an mbarrier, which counts its bytes, or in a group of its thread, which waits for it.
Until then its destination must not be accessed, nor its source written: in shared memory, bytes
are locked or held; in global memory, the race detection takes accesses for those of nobody whom a
thread knows. Who finds the phase of the mbarrier complete, or waits for the group, knows them.

The schedule decides whether a copy is carried out when it starts, or as late as can be: when no
thread can run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.clocks import LANE_SHIFT, SCOPE_SHIFT
from tileir.codegen.emulator.threads.lanes import Batch, Lanes
from tileir.codegen.emulator.threads.proxies import BARRIERS, GLOBAL
from tileir.codegen.emulator.threads.schedules import Completion
from tileir.codegen.emulator.threads.scopes import GPU, WEAK

from .mbarriers import Mbarriers
from .phases import Mbarrier
from .proxies import AsyncProxy
from .scratch import Scratch
from .spans import Span

Convert = Callable[[np.ndarray], np.ndarray]
"""From the bytes of the source to as many."""
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From the old bytes of a destination and those of the source to the new ones."""


@dataclass(slots=True, eq=False)
class Transfer:
    """A copy from one span to others, of which each has its mbarrier, or of a group."""

    lane: int
    statement: Statement
    source: Span
    targets: list[Span]
    bars: list[Mbarrier]
    combine: Combine | None
    convert: Convert | None
    group: int
    before: np.ndarray
    """The bytes of the source when the copy started."""
    data: np.ndarray | None = None
    """The bytes of the source, once they are read."""
    held: bool = False
    """Whether the source is held until its thread knows that it is read."""
    written: bool = False


class BulkCopies:
    """The bulk copies of a batch that are under way, in the order in which they started."""

    def __init__(
        self, batch: Batch, proxy: AsyncProxy, mbarriers: Mbarriers, completion: Completion
    ) -> None:
        self.batch, self.proxy, self.mbarriers = batch, proxy, mbarriers
        self.completion = completion
        self.closed = np.zeros(batch.count, np.int64)
        """How many groups each thread has committed."""
        self.pending: list[Transfer] = []

    # Starts -----------------------------------------------------------------------------------

    def start(
        self,
        lane: int,
        statement: Statement,
        source: Span,
        targets: list[Span],
        bars: list[Mbarrier],
        combine: Combine | None = None,
        convert: Convert | None = None,
    ) -> None:
        """Start a copy of a lane, to each target; without mbarriers it is of the lane's group."""
        for bar in bars:
            self._check_made(lane, statement, bar)
        lanes = source.lanes(self.batch, lane)
        key = None if not bars else self.mbarriers.key(bars[0])
        offset = self._reach(lanes, statement, source, key, writes=False)
        memory = source.memory
        held = isinstance(memory, Scratch)
        if isinstance(memory, Scratch):
            memory.hold(offset, 1)
        before = source.read(offset)
        for target in targets:
            self._close(lane, statement, target, combine is not None)
        group = int(self.closed[lane])
        transfer = Transfer(lane, statement, source, targets, bars, combine, convert, group, before)
        transfer.held = held
        self.pending.append(transfer)
        if self.completion.early():
            self._write(transfer)

    def _check_made(self, lane: int, statement: Statement, bar: Mbarrier) -> None:
        """EmulationError if the asynchronous proxy does not see the `init` of an mbarrier."""
        made, time = (np.array([each]) for each in bar.made)
        if self.proxy.fences.unfenced(BARRIERS, made, time)[0]:
            message = (
                f"the asynchronous proxy does not see the init of the mbarrier at {bar.address:#x}:"
                " its thread has executed no fence.mbarrier_init or fence.proxy.async since"
            )
            one = Lanes(self.batch, np.array([lane]))
            raise one.error("proxy", message, statement, None, bar.address)

    def _reach(
        self, lanes: Lanes, statement: Statement, span: Span, key: int | None, **how: Any
    ) -> np.ndarray:
        """Check the accesses of a span, and remember them under a key; return the offsets."""
        if not lanes.count:
            return np.zeros(0, np.int64)
        memory, access = span.memory, span.access(**how)
        _, place = memory.where(lanes, statement, span.address, access)
        if place is not None:
            self.proxy.check(lanes, statement, memory, span.address, place, access)
        keys = None if key is None else np.full((lanes.count, 1), key)
        return memory.reach(lanes, statement, span.address, access, None, keys)

    def _close(self, lane: int, statement: Statement, target: Span, combines: bool) -> None:
        """Forbid accesses to the target of a copy."""
        lanes, memory = target.lanes(self.batch, lane), target.memory
        scope = GPU if combines else WEAK
        key = self.batch.clocks.grid.nobody << LANE_SHIFT | scope << SCOPE_SHIFT | 1
        how = {"writes": True, "reads": combines, "scope": scope}
        offset = self._reach(lanes, statement, target, key, **how)
        if isinstance(memory, Scratch) and not combines:
            memory.close(offset, target.unit)

    # Groups -----------------------------------------------------------------------------------

    def commit(self, lanes: Lanes) -> None:
        """Close a group: the copies that the lanes have started since their last commit."""
        self.closed[lanes.numbers] += 1

    def wait(self, lanes: Lanes, statement: Statement, newest: int, reads_only: bool) -> None:
        """Finish all but the `newest` groups of each lane, or only their reads."""
        limit = np.zeros(self.batch.count, np.int64)
        limit[lanes.numbers] = self.closed[lanes.numbers] - newest
        still = []
        for transfer in self.pending:
            if transfer.bars or transfer.group >= limit[transfer.lane]:
                still.append(transfer)
                continue
            self._read(transfer)
            self._let_go(transfer)
            if reads_only:
                still.append(transfer)
            else:
                self._write(transfer)
                self._open(transfer)
        self.pending = still

    # Ends -------------------------------------------------------------------------------------

    def finish_some(self) -> bool:
        """Carry out one copy of each block that an mbarrier waits for; False if there is none."""
        waited: dict[int, list[Transfer]] = {}
        for each in self.pending:
            if each.bars:
                waited.setdefault(int(self.batch.block_of[each.lane]), []).append(each)
        for transfers in waited.values():
            self._write(transfers[self.completion.next_of(len(transfers))])
        return bool(waited)

    def end(self) -> None:
        """Carry out what is left when all threads have ended; EmulationError if that is too late.

        A block that has ended has no shared memory any more.
        """
        for transfer in self.pending:
            one = Lanes(self.batch, np.array([transfer.lane]))
            if transfer.bars:
                message = "a block ended while a copy to its shared memory was under way"
                raise one.error("race", message, transfer.statement)
            if transfer.held:
                message = "a block ended without waiting until a copy had read its shared memory"
                raise one.error("race", message, transfer.statement)
            self._write(transfer)
        self.pending = []

    def _read(self, transfer: Transfer) -> np.ndarray:
        """Return the bytes of the source, which are read now if they have not been."""
        if transfer.data is not None:
            return transfer.data
        source = transfer.source
        lanes = source.lanes(self.batch, transfer.lane)
        transfer.data = source.read(source.offsets(lanes, transfer.statement))
        changed = (transfer.data != transfer.before).any(axis=1)[source.index]
        if changed.any():
            message = "the source of a copy was written while the copy was under way"
            first = int(source.address[changed][0])
            raise lanes.error("race", message, transfer.statement, changed, first)
        return transfer.data

    def _let_go(self, transfer: Transfer) -> None:
        """Allow writes to the source."""
        memory = transfer.source.memory
        if transfer.held and isinstance(memory, Scratch):
            lanes = transfer.source.lanes(self.batch, transfer.lane)
            offset = transfer.source.offsets(lanes, transfer.statement)
            transfer.held = False
            memory.hold(offset, -1)
            if not transfer.bars:
                # To the race detection, the thread that waits reads now.
                piece = transfer.source.access()
                memory.reach(lanes, transfer.statement, transfer.source.address, piece)

    def _write(self, transfer: Transfer) -> None:
        if transfer.written:
            return
        transfer.written = True
        data = self._read(transfer)
        if transfer.convert is not None:
            data = transfer.convert(data)
        for target, bar in zip(transfer.targets, transfer.bars or [None], strict=False):
            lanes = target.lanes(self.batch, transfer.lane)
            self._check_alive(transfer, bar)
            offset = target.offsets(lanes, transfer.statement)
            combine = transfer.combine
            target.write(offset, data if combine is None else combine(target.read(offset), data))
            if bar is None:
                continue
            memory = target.memory
            if isinstance(memory, Scratch):
                memory.open(offset, target.unit)
                if memory.shadow is not None:
                    memory.shadow.sign(offset, target.unit, self.mbarriers.key(bar))
            one = Lanes(self.batch, np.array([transfer.lane]))
            self.mbarriers.count_bytes(one, transfer.statement, bar, -target.size)
            self.mbarriers.settle(bar)
        if transfer.bars:
            self._let_go(transfer)
            self.pending.remove(transfer)

    def _check_alive(self, transfer: Transfer, bar: Mbarrier | None) -> None:
        """EmulationError if the block with the mbarrier has ended."""
        here = self.batch.block_of == bar.block if bar else None
        if here is not None and (self.batch.next[here] == DONE).all():
            one = Lanes(self.batch, np.array([transfer.lane]))
            message = "a copy to the shared memory of a block that has ended"
            raise one.error("bounds", message, transfer.statement)

    def _open(self, transfer: Transfer) -> None:
        """Let the thread that has waited for a copy to global memory know it."""
        clocks = self.batch.clocks
        one = Lanes(self.batch, np.array([transfer.lane]))
        scope = GPU if transfer.combine is not None else WEAK
        key = int(clocks.key(one.numbers, scope)[0])
        for target in transfer.targets:
            shadow = target.memory.shadow
            if shadow is not None and len(target.address):
                lanes = target.lanes(self.batch, transfer.lane)
                _, place = target.memory.where(
                    lanes, transfer.statement, target.address, target.access(writes=True)
                )
                shadow.sign(place, target.unit, key)
        # The bytes came through the asynchronous proxy, which needs no fence to see them.
        self.proxy.fence_only(one, (GLOBAL,))
