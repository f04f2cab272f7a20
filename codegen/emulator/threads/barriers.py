"""Where threads wait for each other: the barriers of a block, and exchanges within a warp."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.blocks import Block
from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement

from .lanes import WARP, Batch, Lanes

KEYS = 1 << 32
"""More than any number of a barrier, right or wrong."""


@dataclass(slots=True)
class Barrier:
    """One of the 16 barriers of a block, while threads arrive at it."""

    expected: int | None
    waiting: list[np.ndarray] = field(default_factory=list)
    arrived: list[np.ndarray] = field(default_factory=list)
    statement: Any = None

    @property
    def count(self) -> int:
        """How many lanes wait or have arrived."""
        return sum(map(len, self.waiting)) + sum(map(len, self.arrived))

    def members(self) -> np.ndarray:
        """The lanes that wait or have arrived."""
        return np.concatenate([*self.waiting, *self.arrived])


class Barriers:
    """The barriers of all blocks of a batch."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.open: dict[tuple[int, int], Barrier] = {}
        self.flags = np.zeros(batch.count, bool)
        self.counted = np.zeros(batch.count, np.int64)
        self.members = np.zeros(batch.count, np.int64)

    def arrive(
        self, lanes: Lanes, statement: Statement, number: Any, count: Any, aligned: bool,
        waits: bool = True, flag: Any = None,
    ) -> None:  # fmt: skip
        """Lanes come to barrier `number`; `count` threads (None: all of the block) open it.

        Of those who wait, `flag` is counted.
        """
        numbers = lanes.numbers
        if flag is not None:
            self.flags[numbers] = flag
        names = lanes.spread(number)
        blocks = self.batch.block_of[numbers]
        if aligned:
            self._whole_warps(lanes, statement)
        keys = blocks * KEYS + names
        for key in np.unique(keys).tolist():
            block, name = divmod(key, KEYS)
            here = keys == key
            expected = None if count is None else int(lanes.spread(count)[here][0])
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

    def _whole_warps(self, lanes: Lanes, statement: Statement) -> None:
        """`bar` is for all threads of a warp that have not ended, at once."""
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
        """Open every barrier that is complete; ended threads are not waited for."""
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
                    "barrier", f"{len(members)} threads at a barrier for {expected}",
                    line=barrier.statement.line, text=barrier.statement.text,
                    block=batch.coordinates(batch.first + block), threads=threads,
                    schedule=batch.schedule,
                )  # fmt: skip
            if barrier.waiting:
                del self.open[block, name]
                waiting = np.concatenate(barrier.waiting)
                batch.waiting[waiting] = False
                self.counted[waiting] = np.count_nonzero(self.flags[waiting])
                self.members[waiting] = len(waiting)
                whole = len(waiting) == alive[block]
                batch.clocks.meet(np.sort(members), np.sort(waiting), whole)

    def meet_in_warps(self, lanes: Lanes, members: Any) -> None:
        """Order the accesses of the lanes of each warp that are here with one mask."""
        numbers = lanes.numbers
        masks = lanes.spread(members).astype(np.int64)
        keys = numbers // WARP << 32 | masks
        for key in np.unique(keys):
            met = numbers[keys == key]
            self.batch.clocks.meet(met, met)

    def gathered(self, block: Block, index: np.ndarray) -> np.ndarray:
        """Of lanes before an exchange within a warp, those whose partners are there too."""
        batch = self.batch
        if not len(index):
            return index
        present = np.zeros(batch.count, bool)
        present[index] = True
        bits = _bits(present)
        alive = _bits(batch.next != DONE)
        mask = self._masks(block, index)
        warp = index // WARP
        return index[(mask & alive[warp] & ~bits[warp]) == 0]

    def _masks(self, block: Block, index: np.ndarray) -> np.ndarray:
        """The member mask of each lane: the last operand of the first instruction, or everyone."""
        if block.aligned:
            return np.full(len(index), 0xFFFFFFFF, np.int64)
        batch, statement = self.batch, block.statements[0]
        register = batch.scope.register(statement.operands[-1], statement.scope)
        if register is None:
            return np.full(len(index), int(statement.operands[-1], 0) & 0xFFFFFFFF, np.int64)
        held = batch.registers[register]
        return np.broadcast_to(held, batch.count)[index].astype(np.int64)


def _bits(flags: np.ndarray) -> np.ndarray:
    """One number a warp, lane 0 in the lowest bit."""
    return flags.reshape(-1, WARP).astype(np.int64) @ (np.int64(1) << np.arange(WARP))
