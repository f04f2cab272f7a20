"""Barriers of blocks, and the convergence of a warp's lanes before an exchange."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.blocks import BasicBlock
from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement

from .lanes import WARP, WARPGROUP, Batch, Lanes

KEYS = 1 << 32
"""Above every barrier number, valid or not."""


@dataclass(slots=True)
class Barrier:
    """One of the 16 barriers of a block, from the first arrival to its completion."""

    expected: int | None
    waiting: list[np.ndarray] = field(default_factory=list)
    arrived: list[np.ndarray] = field(default_factory=list)
    statement: Any = None

    @property
    def count(self) -> int:
        """Number of lanes that wait or have arrived."""
        return sum(map(len, self.waiting)) + sum(map(len, self.arrived))

    def members(self) -> np.ndarray:
        """Return the lanes that wait or have arrived."""
        return np.concatenate([*self.waiting, *self.arrived])


class Barriers:
    """The barriers of all blocks of a batch."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.open: dict[tuple[int, int], Barrier] = {}
        """By block and barrier number."""
        self.flags = np.zeros(batch.count, bool)
        self.counted = np.zeros(batch.count, np.int64)
        """For each lane: threads whose predicate was set at its last barrier."""
        self.members = np.zeros(batch.count, np.int64)
        """For each lane: threads that waited at its last barrier."""

    def arrive(
        self,
        lanes: Lanes,
        statement: Statement,
        number: Any,
        count: Any,
        aligned: bool,
        waits: bool = True,
        flag: Any = None,
    ) -> None:
        """Let lanes arrive at barrier `number`, which `count` threads (None: the block's) complete.

        `flag` is the predicate that a barrier with a reduction counts.
        """
        numbers = lanes.numbers
        if flag is not None:
            self.flags[numbers] = flag
        names = lanes.broadcast(number)
        blocks = self.batch.block_of[numbers]
        if aligned:
            self.check_whole_warps(lanes, statement)
        keys = blocks * KEYS + names
        for key in np.unique(keys).tolist():
            block, name = divmod(key, KEYS)
            here = keys == key
            expected = None if count is None else int(lanes.broadcast(count)[here][0])
            barrier = self.open.setdefault((block, name), Barrier(expected))
            if name > 15 or (expected is not None and (expected % WARP or not expected)):
                raise lanes.error(
                    "barrier", f"barrier {name} for {expected} threads", statement, here
                )
            if barrier.expected != expected:
                message = f"barrier {name} is for {barrier.expected} threads, not {expected}"
                raise lanes.error("barrier", message, statement, here)
            (barrier.waiting if waits else barrier.arrived).append(numbers[here])
            barrier.statement = statement
            if waits:
                self.batch.waiting[numbers[here]] = True
        self.release()

    def check_whole_warps(self, lanes: Lanes, statement: Statement) -> None:
        """EmulationError unless all threads of a warp that have not ended arrive at once."""
        batch = self.batch
        active = np.zeros(batch.count, bool)
        active[lanes.numbers] = True
        alive = (batch.next != DONE).reshape(-1, WARP)
        active = active.reshape(-1, WARP)
        torn = active.any(axis=1) & (alive & ~active).any(axis=1)
        if torn.any():
            wrong = torn[lanes.numbers // WARP]
            message = "only a part of the warp comes to an aligned barrier"
            raise lanes.error("barrier", message, statement, wrong)

    def release(self) -> None:
        """Release every barrier that is complete; threads that have ended are not waited for."""
        batch = self.batch
        alive = (batch.next != DONE).reshape(batch.blocks, -1).sum(axis=1).tolist()
        for (block, name), barrier in list(self.open.items()):
            expected = alive[block] if barrier.expected is None else barrier.expected
            if barrier.count < expected:
                continue
            members = barrier.members()
            if len(members) > expected:
                threads = tuple(batch.thread_of[members].tolist())
                raise emulation_error(
                    "barrier",
                    f"{len(members)} threads at a barrier for {expected}",
                    line=barrier.statement.line,
                    text=barrier.statement.text,
                    block=batch.coordinates(batch.first + block),
                    threads=threads,
                    schedule=batch.schedule,
                )
            if barrier.waiting:
                del self.open[block, name]
                waiting = np.concatenate(barrier.waiting)
                batch.waiting[waiting] = False
                self.counted[waiting] = np.count_nonzero(self.flags[waiting])
                self.members[waiting] = len(waiting)
                whole = len(waiting) == alive[block]
                batch.clocks.synchronize(np.sort(members), np.sort(waiting), whole)

    def who_waits(self) -> Iterator[str]:
        """Yield for each barrier at which threads wait how many do."""
        for (block, name), barrier in self.open.items():
            expected = "all" if barrier.expected is None else barrier.expected
            where = self.batch.coordinates(self.batch.first + block)
            yield f"{barrier.count} of {expected} threads of block {where} at barrier {name}"

    def synchronize_warps(self, lanes: Lanes, members: Any) -> None:
        """Order the accesses of the lanes of each warp that have the same member mask."""
        numbers = lanes.numbers
        masks = lanes.broadcast(members).astype(np.int64)
        keys = numbers // WARP << 32 | masks
        for key in np.unique(keys):
            together = numbers[keys == key]
            self.batch.clocks.synchronize(together, together)

    def converged(self, block: BasicBlock, index: np.ndarray) -> np.ndarray:
        """Return those lanes at the start of a block whose partners are there too.

        Partners are the other lanes of the warp, or of the warpgroup.
        """
        batch = self.batch
        if not len(index):
            return index
        missing = batch.next != DONE
        missing[index] = False
        if not np.count_nonzero(missing):
            return index
        if block.warpgroup:
            groups = self._warpgroups
            torn = np.zeros(groups[-1] + 1, bool)
            torn[groups[missing]] = True
            return index[~torn[groups[index]]]
        return index[(self._masks(block, index) & _bits(missing)[index // WARP]) == 0]

    @cached_property
    def _warpgroups(self) -> np.ndarray:
        """The number of each lane's warpgroup in the batch."""
        batch = self.batch
        in_a_block = -(-batch.count // batch.blocks // WARPGROUP)
        return np.asarray(batch.block_of * in_a_block + batch.thread_of // WARPGROUP)

    def _masks(self, block: BasicBlock, index: np.ndarray) -> np.ndarray:
        """Return each lane's member mask: the last operand of the first statement, or all lanes."""
        if block.aligned:
            return np.full(len(index), 0xFFFFFFFF, np.int64)
        batch, statement = self.batch, block.statements[0]
        register = batch.scope.register(statement.operands[-1], statement.scope)
        if register is None:
            return np.full(len(index), int(statement.operands[-1], 0) & 0xFFFFFFFF, np.int64)
        held = batch.registers[register]
        return np.broadcast_to(held, batch.count)[index].astype(np.int64)


def _bits(flags: np.ndarray) -> np.ndarray:
    """Return one mask for each warp, lane 0 in the lowest bit."""
    return flags.reshape(-1, WARP).astype(np.int64) @ (np.int64(1) << np.arange(WARP))
