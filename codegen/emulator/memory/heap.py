"""The device's heap, which `malloc` and `free` of a kernel manage."""

from __future__ import annotations

import numpy as np

ALIGNMENT = 16
"""Bytes, of every allocation."""


class Heap:
    """The heap of one launch; freed memory is not allocated again."""

    def __init__(self, size: int) -> None:
        self.memory = np.zeros(size, np.uint8)
        self.allocated: set[int] = set()
        self._next = 0

    def allocate(self, size: int) -> int:
        """Return the address of `size` bytes, 0 if there is not so much left."""
        address = -(-(self.memory.ctypes.data + self._next) // ALIGNMENT) * ALIGNMENT
        end = address - self.memory.ctypes.data + size
        if size == 0 or end > len(self.memory):
            return 0
        self._next = end
        self.allocated.add(address)
        return address

    def free(self, address: int) -> bool:
        """Free an allocation; False if there is none at this address. Freeing 0 does nothing."""
        if address and address not in self.allocated:
            return False
        self.allocated.discard(address)
        return True
