"""The device's heap: what malloc and free of a driver manage."""

from __future__ import annotations

import numpy as np

ALIGNMENT = 16


class Heap:
    """Memory that kernels of one launch may take; what was given back is not given out again."""

    def __init__(self, size: int) -> None:
        self.room = np.zeros(size, np.uint8)
        self.taken: set[int] = set()
        self._next = 0

    def take(self, size: int) -> int:
        """The address of so many bytes, 0 if there are not as many left."""
        address = -(-(self.room.ctypes.data + self._next) // ALIGNMENT) * ALIGNMENT
        end = address - self.room.ctypes.data + size
        if size == 0 or end > len(self.room):
            return 0
        self._next = end
        self.taken.add(address)
        return address

    def give_back(self, address: int) -> bool:
        """Whether there is something to give back at this address; for 0 nothing happens."""
        if address and address not in self.taken:
            return False
        self.taken.discard(address)
        return True
