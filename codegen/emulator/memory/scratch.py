"""Memory that exists as long as the kernel runs: shared by a block, or local to a thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .races import Shadow
from .releases import Releases
from .spaces import CLUSTER_STEP, PAGE, Memory
from .visits import Visits

HELD = 16
_STEP_BITS = CLUSTER_STEP.bit_length() - 1


_FULL = 0x0101_0101_0101_0101
"""Eight bytes of truths."""


def _rows(truths: np.ndarray, size: int) -> np.ndarray:
    """Return truths about bytes as words, in rows for accesses of `size` bytes."""
    word = min(size, 8)
    return truths.view(f"u{word}").reshape(-1, size // word)


class Scratch(Memory):
    """Shared or local memory: `owners` pieces of `size` bytes, each byte undefined until written.

    `owner` is the number of the piece that each lane of the batch has.
    """

    def __init__(
        self,
        name: str,
        owners: int,
        owner: np.ndarray,
        size: int,
        granule: int | None,
        orders: bool = False,
        cluster: int = 1,
    ) -> None:
        """`cluster`: how many pieces have addresses for each other, 0 for none."""
        self.name, self.size, self.owner, self.cluster = name, size, owner, cluster
        self.pitch = -(-size // PAGE) * PAGE
        total = self.pitch * owners
        room = np.full(total + PAGE, 0xA5, np.uint8)
        start = -room.ctypes.data % PAGE
        releases = Releases() if orders else None
        shadow = Shadow(total, granule, name, releases) if granule and total else None
        super().__init__(room[start : start + total], 0, shadow)
        self.defined = np.zeros(total, bool)
        self.visits = Visits(cluster, len(owner)) if cluster > 1 else None
        self.locked: np.ndarray | None = None
        """Bytes that a pending copy may write at any time: no other access is allowed."""
        self.held: np.ndarray | None = None
        """How many asynchronous reads of each `HELD` bytes are under way: no write is allowed."""
        self.holds = 0
        """The sum of all of them."""
        self.barriers: np.ndarray | None = None
        """Bytes of living mbarriers: no other access is allowed."""

    def lock(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> None:
        """Forbid accesses to the target of copies that the lanes start."""
        self.close(self.reach(lanes, statement, address, access), access.nbytes)

    def unlock(self, lanes: Lanes, address: Any, access: Access) -> None:
        """Allow accesses again when the copies end."""
        far = address.max() >= CLUSTER_STEP
        self.open(self._offset(lanes, address, far), access.nbytes)

    def close(self, offset: np.ndarray, size: int) -> None:
        """Forbid accesses to `size` bytes at each offset, which a copy may write at any time."""
        if self.locked is None:
            self.locked = np.zeros(len(self.defined), bool)
        rows = self.locked.reshape(-1, size)
        rows[offset // size] = True
        self.defined.reshape(rows.shape)[offset // size] = False

    def open(self, offset: np.ndarray, size: int) -> None:
        """Allow accesses again to bytes that a copy has written."""
        if self.locked is not None:
            self.locked.reshape(-1, size)[offset // size] = False
        self.defined.reshape(-1, size)[offset // size] = True

    def hold(self, offset: np.ndarray, more: int) -> None:
        """Count reads of `HELD` bytes at each offset: `more` is 1 when they start, then -1."""
        if self.held is None:
            self.held = np.zeros(len(self.defined) // HELD, np.int32)
        np.add.at(self.held, offset // HELD, more)
        self.holds += more * len(offset)

    def reserve(self, offset: int, size: int, living: bool) -> None:
        """Begin or end the life of an mbarrier; bytes of a dead one are undefined."""
        if self.barriers is None:
            self.barriers = np.zeros(len(self.defined), bool)
        self.barriers[offset : offset + size] = living
        self.defined[offset : offset + size] = living

    def _check_barriers(
        self, lanes: Lanes, statement: Statement, offset: np.ndarray, access: Access
    ) -> None:
        """EmulationError for an ordinary access to an mbarrier that lives."""
        if self.barriers is None or access.to_mbarrier:
            return
        flags = _rows(self.barriers, access.nbytes)[offset // access.nbytes]
        if flags.any():
            taken = flags.any(axis=1)
            message = f"{self.name} memory of an mbarrier, which no mbarrier.inval has ended"
            raise lanes.error("barrier", message, statement, taken, int(offset[taken][0]))

    def where(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        far = address.max() >= CLUSTER_STEP
        within = address & np.uint64(CLUSTER_STEP - 1) if far else address
        wrong = within > np.int64(self.size - access.nbytes)
        if far:
            wrong |= address >> np.uint64(_STEP_BITS) > np.uint64(self.cluster)
        if np.count_nonzero(wrong):
            expected = f"there are {self.size} bytes"
            raise self.outside(lanes, statement, address, wrong, access, expected)
        offset = self._offset(lanes, address, far)
        if far and self.visits is not None:
            owner = offset // self.pitch
            self.visits.check(lanes, statement, lanes.broadcast(address), owner, access)
        return offset, offset

    def locate(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        offset, _ = self.where(lanes, statement, address, access)
        self._check_barriers(lanes, statement, offset, access)
        if self.locked is not None:
            flags = _rows(self.locked, access.nbytes)[offset // access.nbytes]
            if flags.any():
                locked = flags.any(axis=1)
                message = f"{self.name} memory to which a copy is under way"
                kind = "race" if access.writes else "poison"
                raise lanes.error(kind, message, statement, locked, int(offset[locked][0]))
        if access.writes and self.holds and self.held is not None:
            held = self.held[offset // HELD] > 0
            if held.any():
                message = f"{self.name} memory that is still read asynchronously"
                raise lanes.error("race", message, statement, held, int(offset[held][0]))
        defined, row = _rows(self.defined, access.nbytes), offset // access.nbytes
        full = _FULL & (1 << 8 * defined.itemsize) - 1
        if access.reads or not access.writes:
            missing = defined[row] != full
            if np.count_nonzero(missing):
                wrong = missing.any(axis=1)
                message = f"{self.name} memory that was never written"
                raise lanes.error("poison", message, statement, wrong, int(offset[wrong][0]))
        if access.writes:
            defined[row] = full
        return offset, offset

    def _offset(self, lanes: Lanes, address: Any, far: bool) -> np.ndarray:
        """Return offsets in `data`; `far` says whether some are in other blocks of the cluster."""
        owner = self.owner[lanes.numbers] if lanes.index is not None else self.owner
        if far:
            rank = (address >> np.uint64(_STEP_BITS)).astype(np.int64)
            first = owner // self.cluster * self.cluster
            owner = np.where(rank, first + rank - 1, owner)
            address = address & np.uint64(CLUSTER_STEP - 1)
        return address.astype(np.int64) + owner * self.pitch
