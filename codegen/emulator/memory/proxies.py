"""Accesses of the asynchronous proxy to shared and global memory, for a thread that starts them.

Such an access needs that each thread that wrote the bytes by ordinary stores has executed
`fence.proxy.async` since. While memory is read asynchronously it must not be written: a read holds
its bytes from the instruction that starts it to the wait that finishes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.clocks import LANE_SHIFT, NEVER, TIMES
from tileir.codegen.emulator.threads.lanes import Batch, Lanes
from tileir.codegen.emulator.threads.proxies import CLUSTER, FENCED, GLOBAL, SHARED

from .scratch import Scratch
from .spaces import Memory

PIECE = Access(4, 4)
"""The unit of asynchronous reads: 16 bytes at a multiple of 16."""
_FENCES = {GLOBAL: ".global", SHARED: ".shared::cta", CLUSTER: ".shared::cluster"}


@dataclass(slots=True)
class AsyncRead:
    """Pieces of shared memory that are read asynchronously.

    `numbers` has the lanes, `address` a row of addresses for each: shape (lanes, pieces).
    """

    numbers: np.ndarray
    address: np.ndarray
    statement: Statement

    def part(self, chosen: np.ndarray) -> AsyncRead:
        """Return the read for some of its lanes only."""
        return AsyncRead(self.numbers[chosen], self.address[chosen], self.statement)


class AsyncProxy:
    """The asynchronous proxy of a batch: what it may see, and what it reads now."""

    def __init__(self, batch: Batch, shared: Scratch, memory: Memory) -> None:
        self.batch, self.shared, self.memory = batch, shared, memory
        self.fences = batch.clocks.grid.proxy_fences

    def fence(self, lanes: Lanes, suffix: str) -> None:
        """Let the asynchronous proxy see what the lanes have written so far (`fence.proxy.async`).

        `suffix` is a key of `FENCED`.
        """
        self.fence_only(lanes, FENCED[suffix])

    def fence_only(self, lanes: Lanes, names: tuple[str, ...]) -> None:
        """Record a fence for some of what a fence can be for."""
        clocks = self.batch.clocks
        self.fences.fence(names, clocks.lane[lanes.numbers], clocks.time[lanes.numbers])
        clocks.time[lanes.numbers] += 1

    def check(
        self,
        lanes: Lanes,
        statement: Statement,
        memory: Memory,
        address: np.ndarray,
        offset: np.ndarray,
        access: Access,
    ) -> None:
        """EmulationError if an access reaches bytes that a thread wrote and has not fenced.

        `address` and `offset` (in the memory's shadow) are arrays over the lanes.
        """
        if memory.shadow is None:
            return
        keys = memory.shadow.last_writes(offset, access.nbytes)
        if keys.max() == NEVER:
            return
        writer, time = keys >> LANE_SHIFT, keys & TIMES
        if isinstance(memory, Scratch):
            threads = self.batch.clocks.threads
            block = (self.batch.first + offset // memory.pitch)[:, None]
            own = writer // threads == block
            wrong = self.fences.unfenced(SHARED, np.where(own, writer, NEVER), time)
            names = np.where(wrong, SHARED, CLUSTER)
            wrong |= self.fences.unfenced(CLUSTER, np.where(own, NEVER, writer), time)
        else:
            wrong = self.fences.unfenced(GLOBAL, writer, time)
            names = np.full(wrong.shape, GLOBAL)
        if wrong.any():
            lane, piece = (int(each[0]) for each in np.nonzero(wrong))
            thread = int(writer[lane, piece]) % self.batch.clocks.threads
            message = (
                f"{memory.name} address {int(address[lane]):#x} was written by thread {thread},"
                " and the asynchronous proxy does not see it: that thread has executed no"
                f" fence.proxy.async or fence.proxy.async{_FENCES[str(names[lane, piece])]} since"
            )
            wrong_lanes = wrong.any(axis=1)
            raise lanes.error("proxy", message, statement, wrong_lanes, int(address[lane]))

    def start_read(
        self, lanes: Lanes, statement: Statement, address: np.ndarray
    ) -> tuple[AsyncRead, np.ndarray]:
        """Start a read of shared memory: addresses of shape (lanes, pieces), each of 16 bytes.

        Checks bounds, alignment, bytes never written, races and fences, and holds the bytes. The
        words are those that are there now: shape (lanes, pieces, 4), u32.
        """
        read = AsyncRead(lanes.numbers, address.astype(np.uint64), statement)
        flat, many = read.address.ravel(), _repeated(self.batch, read)
        offset = self.shared.reach(many, statement, flat, PIECE)
        self.check(many, statement, self.shared, flat, offset, PIECE)
        self.shared.hold(offset, 1)
        words = self.shared.rows(PIECE.word, PIECE.count)[offset // PIECE.nbytes]
        return read, words.reshape(*address.shape, PIECE.count)

    def finish_read(self, read: AsyncRead, statement: Statement) -> None:
        """Finish a read at the wait of its lanes: from now on the bytes may be written.

        To the race detection the lanes read them now.
        """
        many, flat = _repeated(self.batch, read), read.address.ravel()
        offset = self.shared.reach(many, statement, flat, PIECE)
        self.shared.hold(offset, -1)


def _repeated(batch: Batch, read: AsyncRead) -> Lanes:
    """Return each lane of a read as often as it has pieces."""
    return Lanes(batch, np.repeat(read.numbers, read.address.shape[1]))
