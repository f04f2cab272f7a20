"""The bytes at one end of a bulk copy: where each of its units lies in a memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Batch, Lanes

from .spaces import Memory


@dataclass(slots=True)
class Span:
    """Units of a copy that a memory has, and which they are.

    A unit is what one access moves. `index` numbers the units of the copy that are here, `address`
    says where; all others of the `count` units are `fill` when the span is read, and are not
    written.
    """

    memory: Memory
    address: np.ndarray
    index: np.ndarray
    count: int
    unit: int
    """Bytes: a power of two."""
    fill: np.ndarray
    """The bytes of a unit."""

    @property
    def size(self) -> int:
        """Bytes of the copy."""
        return self.count * self.unit

    def access(self, **more: bool | int) -> Access:
        """Return the access of one unit."""
        word = min(self.unit, 4)
        return Access(word, self.unit // word, later=True, **more)  # type: ignore[arg-type]

    def lanes(self, batch: Batch, lane: int) -> Lanes:
        """Return a lane as often as there are units here."""
        return Lanes(batch, np.full(len(self.address), lane))

    def offsets(self, lanes: Lanes, statement: Statement) -> np.ndarray:
        """Return the offsets of the units in the memory's data."""
        if not len(self.address):
            return np.zeros(0, np.int64)
        return self.memory.where(lanes, statement, self.address, self.access())[0]

    def _rows(self) -> np.ndarray:
        access = self.access()
        return self.memory.rows(access.word, access.count).reshape(-1, access.count)

    def read(self, offset: np.ndarray) -> np.ndarray:
        """Return the bytes of the copy: shape (units, bytes of one)."""
        out = np.empty((self.count, self.unit), np.uint8)
        out[:] = self.fill
        if len(offset):
            words = np.ascontiguousarray(self._rows()[offset // self.unit])
            out[self.index] = words.view(np.uint8).reshape(-1, self.unit)
        return out

    def write(self, offset: np.ndarray, data: np.ndarray) -> None:
        """Write the units that are here; `data` has the bytes of the copy."""
        if len(offset):
            rows = self._rows()
            units = np.ascontiguousarray(data.reshape(-1, self.unit)[self.index])
            rows[offset // self.unit] = units.view(rows.dtype)


def contiguous(memory: Memory, address: int, size: int) -> Span:
    """Return the span of bytes in a row, a multiple of 16, from an aligned address on."""
    count = size // 16
    at = np.uint64(address) + np.arange(0, size, 16, dtype=np.uint64)
    return Span(memory, at, np.arange(count), count, 16, np.zeros(16, np.uint8))
