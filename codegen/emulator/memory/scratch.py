"""Memory that begins with the kernel: shared by a block, or local to a thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .races import Shadow
from .releases import Releases
from .spaces import PAGE, Memory


class Scratch(Memory):
    """Shared or local memory: `owners` pieces of `size` bytes; a byte must be written first.

    `owner` is the number of the piece of each lane of the batch.
    """

    def __init__(
        self, name: str, owners: int, owner: np.ndarray, size: int, granule: int | None,
        orders: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.size, self.owner = name, size, owner
        self.pitch = -(-size // PAGE) * PAGE
        total = self.pitch * owners
        room = np.full(total + PAGE, 0xA5, np.uint8)
        start = -room.ctypes.data % PAGE
        releases = Releases() if orders else None
        shadow = Shadow(total, granule, name, releases) if granule and total else None
        super().__init__(room[start : start + total], 0, shadow)
        self.known = np.zeros(total, bool)
        self.closed: np.ndarray | None = None
        """Bytes that a copy may be writing at any time: nobody else may touch them."""

    def close(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> None:
        """From now on, something writes here on behalf of the lanes."""
        offset = self.reach(lanes, statement, address, access)
        if self.closed is None:
            self.closed = np.zeros(len(self.known), bool)
        place = offset // access.nbytes
        rows = self.closed.reshape(-1, access.nbytes)
        rows[place] = True
        self.known.reshape(rows.shape)[place] = False

    def open(self, lanes: Lanes, address: Any, access: Access) -> None:
        """That has come to its end."""
        place = self._offset(lanes, address) // access.nbytes
        self.closed.reshape(-1, access.nbytes)[place] = False

    def find(self, lanes: Lanes, statement: Statement, address: Any, access: Access) -> Any:
        end = address + np.uint64(access.nbytes)
        wrong = (end > np.uint64(self.size)) | (end < address)
        if np.any(wrong):
            expected = f"there are {self.size} bytes"
            raise self.outside(lanes, statement, address, wrong, access, expected)
        offset = self._offset(lanes, address)
        if self.closed is not None:
            closed = self.closed.reshape(-1, access.nbytes)[offset // access.nbytes].any(axis=1)
            if closed.any():
                message = f"{self.name} memory to which a copy is under way"
                kind = "race" if access.writes else "poison"
                raise lanes.error(kind, message, statement, closed, int(offset[closed][0]))
        known = self.known.reshape(-1, access.nbytes)
        if access.reads or not access.writes:
            written = known[offset // access.nbytes].all(axis=1)
            if not written.all():
                message = f"{self.name} memory that was never written"
                raise lanes.error("poison", message, statement, ~written, int(offset[~written][0]))
        if access.writes:
            known[offset // access.nbytes] = True
        return offset, offset

    def _offset(self, lanes: Lanes, address: Any) -> np.ndarray:
        return address.astype(np.int64) + self.owner[lanes.numbers] * self.pitch
