"""Accesses of threads to the shared memory of other blocks of their cluster.

The other block must have begun before, and must not end until after: its threads and the one that
accesses its memory must have synchronized on both sides (PTX ISA, "Cluster of Cooperative Thread
Arrays").
"""

from __future__ import annotations

import numpy as np

from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.ptx.control import DONE
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Batch, Lanes
from tileir.errors import EmulationError


class Visits:
    """The last access of each lane to each other block of its cluster."""

    def __init__(self, cluster: int, lanes: int) -> None:
        """`cluster` is the number of its blocks."""
        self.cluster = cluster
        self.times = np.zeros((cluster, lanes), np.int64)
        """By rank of the block and lane; 0 if there was none."""

    def check(
        self,
        lanes: Lanes,
        statement: Statement,
        address: np.ndarray,
        owner: np.ndarray,
        access: Access,
    ) -> None:
        """Record accesses at addresses to the blocks `owner` of the batch.

        EmulationError if one has ended, or if nothing tells a lane that it has begun. Whether bulk
        copies come too late is seen when they are carried out.
        """
        batch, clocks = lanes.batch, lanes.batch.clocks
        remote = owner != batch.block_of[lanes.numbers]
        ended = (batch.next == DONE).reshape(batch.blocks, -1).all(axis=1)[owner] & remote
        known = np.zeros(lanes.count, bool)
        for block in np.unique(owner[remote]).tolist():
            here = owner == block
            known[here] = clocks.knows_block(lanes.numbers[here], block)
        for wrong, what in ((ended, "has ended"), (remote & ~known, "may not have begun yet")):
            if np.count_nonzero(wrong):
                first = int(address[wrong][0])
                message = f"the block {what} whose shared memory is at {first:#x}"
                raise lanes.error("bounds", message, statement, wrong, first)
        if access.later:
            return
        numbers = lanes.numbers[remote]
        self.times[owner[remote] % self.cluster, numbers] = clocks.time[numbers]

    def end(self, batch: Batch) -> EmulationError | None:
        """Return the error of a block that may have ended before the last access to its memory."""
        if not self.times.any():
            return None
        for rank, lane in np.argwhere(self.times).tolist():
            block = int(batch.block_of[lane]) // self.cluster * self.cluster + rank
            if not batch.clocks.block_knows(block, lane, int(self.times[rank, lane])):
                where, threads = batch.block_and_threads(np.array([lane]))
                owner = batch.coordinates(batch.first + block)
                message = (
                    f"block {owner} may end before this thread accesses its shared memory for the"
                    " last time"
                )
                return emulation_error(
                    "bounds", message, block=where, threads=threads, schedule=batch.schedule
                )
        return None
