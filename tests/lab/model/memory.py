"""Memory: arrays at their own addresses, and nothing between them.

Every access must lie in one array, be aligned, and read nothing that was never written. Positions
are counted in bits, because elements of 4 bits have no address of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from tileir.types import Element

from .elements import bits, dtype, of_bits, stored_bits
from .undefined import Undefined

POISON = 0xA5
"""What every byte of a value is that nothing specifies."""


@dataclass(slots=True)
class _Region:
    """Bytes at an address, and which of them hold anything; `writable` by kernels or not."""

    start: int
    data: np.ndarray
    known: np.ndarray | None
    writable: bool


class Memory:
    """All that a launch can reach."""

    def __init__(self) -> None:
        self._regions: list[_Region] = []

    def add(self, array: np.ndarray, *, known: bool = True, writable: bool = True) -> int:
        """Make an array accessible, in place; its address. Not `known`: nothing is in it yet."""
        start = array.__array_interface__["data"][0]
        if not array.size or any(region.start == start for region in self._regions):
            return start
        data = array.reshape(-1).view(np.uint8)
        assert np.shares_memory(data, array), "an array with gaps is no memory"
        region = _Region(start, data, None if known else np.zeros(data.size, bool), writable)
        self._regions.append(region)
        self._regions.sort(key=lambda region: region.start)
        return start

    def remove(self, start: int) -> None:
        """The array at that address lives no longer."""
        self._regions = [region for region in self._regions if region.start != start]

    def _locate(self, position: int, width: int) -> tuple[_Region, int, int]:
        """The region, where in it the element's bytes start, and how many they are."""
        address, size = position // 8, max(width // 8, 1)
        if position % width or address % size:
            raise Undefined(f"address {address:#x} is not aligned")
        at = bisect_right(self._regions, address, key=lambda region: region.start) - 1
        if at >= 0:
            region = self._regions[at]
            if address - region.start + size <= region.data.size:
                return region, address - region.start, size
        raise Undefined(f"address {address:#x} is out of bounds")

    def read(self, position: int, element: Element) -> int:
        """The pattern of the element there."""
        width = stored_bits(element)
        region, at, size = self._locate(position, width)
        if region.known is not None and not region.known[at : at + size].all():
            raise Undefined("memory that was never written")
        pattern = int.from_bytes(region.data[at : at + size].tobytes(), "little")
        return pattern >> position % 8 & (1 << width) - 1

    def write(self, position: int, element: Element, pattern: int) -> None:
        """Put a pattern there."""
        width = stored_bits(element)
        region, at, size = self._locate(position, width)
        if not region.writable:
            raise Undefined("a constant is written to")
        if width < 8:
            shift = position % 8
            pattern = int(region.data[at]) & ~(0x0F << shift) | pattern << shift
        region.data[at : at + size] = np.frombuffer(int(pattern).to_bytes(size, "little"), np.uint8)
        if region.known is not None:
            region.known[at : at + size] = True

    def load(
        self, positions: np.ndarray, element: Element, mask: np.ndarray, otherwise: np.ndarray
    ) -> np.ndarray:
        """The elements at positions; `otherwise` where the mask is not set."""
        positions = np.asarray(positions, object)
        patterns = np.asarray(bits(otherwise, element), object).copy()
        for at in np.ndindex(patterns.shape):
            if mask[at]:
                patterns[at] = self.read(int(positions[at]), element)
        return of_bits(patterns, element)

    def store(self, positions: np.ndarray, value: np.ndarray, element: Element, mask) -> None:
        """Elements to positions, where the mask is set. Undefined if two differ about one."""
        positions, written = np.asarray(positions, object), {}
        patterns = np.asarray(bits(value, element), object)
        for at in np.ndindex(patterns.shape):
            if mask[at]:
                position = int(positions[at])
                if written.setdefault(position, patterns[at]) != patterns[at]:
                    raise Undefined("two values for one place")
                self.write(position, element, patterns[at])


def unspecified(element: Element, shape: tuple[int, ...]) -> np.ndarray:
    """A tile of which nobody may look at an element."""
    size = dtype(element).itemsize
    return of_bits(np.full(shape, int.from_bytes([POISON] * size, "little"), object), element)
