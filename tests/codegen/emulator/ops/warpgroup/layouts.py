"""Matrices in shared memory as the PTX ISA lays them out for `wgmma`: by its table, word for word.

A layout of the table is CuTe's: shapes and strides of elements, for rows (m or n) and columns (k),
and a swizzle of byte addresses. Nothing here is taken from the emulator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np

CANONICAL = {
    # major, swizzle mode: canonical layout, swizzle
    ("mn", 0): ("((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))", (0, 4, 3)),
    ("mn", 3): ("((T,2,m),(8,k)):((1,T,LBO),(2T,SBO))", (1, 4, 3)),
    ("mn", 2): ("((T,4,m),(8,k)):((1,T,LBO),(4T,SBO))", (2, 4, 3)),
    ("mn", 1): ("((T,8,m),(8,k)):((1,T,LBO),(8T,SBO))", (3, 4, 3)),
    ("k", 0): ("((8,m),(T,2k)):((1T,SBO),(1,LBO))", (0, 4, 3)),
    ("k", 3): ("((8,m),(T,2k)):((2T,SBO),(1,T))", (1, 4, 3)),
    ("k", 2): ("((8,m),(T,2k)):((4T,SBO),(1,T))", (2, 4, 3)),
    ("k", 1): ("((8,m),(T,2k)):((8T,SBO),(1,T))", (3, 4, 3)),
}
SPANS = {0: 16, 1: 128, 2: 64, 3: 32}
"""Bytes of a line, by swizzle mode."""


def numbers(text: str) -> list[list[int]]:
    """Two lists of numbers in parentheses."""
    return [[int(part) for part in each.split(",")] for each in re.findall(r"\(([\d,]+)\)", text)]


def swizzled(address: int, bits: int, base: int, shift: int) -> int:
    """CuTe's Swizzle<bits, base, shift> of a byte address."""
    taken = address >> (base + shift) & ((1 << bits) - 1)
    return address ^ taken << base


def place(shape: list[int], stride: list[int], index: int) -> int:
    """The offset of an index in one mode of a layout; the last extent is open."""
    total = 0
    for extent, step in zip(shape[:-1], stride[:-1], strict=True):
        total += index % extent * step
        index //= extent
    return total + index * stride[-1]


@cache
def offsets(layout: str, swizzle: tuple[int, int, int], rows: int, depth: int,
            size: int) -> np.ndarray:  # fmt: skip
    """Byte offsets (rows, depth) by a layout of numbers, of elements of `size` bytes."""
    shapes, strides = (numbers(part) for part in layout.split(":"))
    out = np.zeros((rows, depth), np.int64)
    for row in range(rows):
        for column in range(depth):
            element = place(shapes[0], strides[0], row) + place(shapes[1], strides[1], column)
            out[row, column] = swizzled(element * size, *swizzle)
    return out


@dataclass(frozen=True)
class Tile:
    """A matrix of `rows` (m or n) by `depth` (k) elements of `size` bytes, and its byte offsets.

    The pattern of the swizzle starts at the tile's first byte.
    """

    major: str
    mode: int
    rows: int
    depth: int
    size: int
    leading: int
    stride: int

    @property
    def offsets(self) -> np.ndarray:
        """Where each element is: shape (rows, depth)."""
        text, swizzle = CANONICAL[self.major, self.mode]
        each = 16 // self.size
        words = {"T": each, "LBO": self.leading // self.size, "SBO": self.stride // self.size,
                 "m": 1, "k": 1}  # fmt: skip
        filled = re.sub(r"(\d+)T", lambda m: str(int(m[1]) * each), text)
        filled = re.sub(r"\d[mk]|[A-Za-z]+", lambda m: str(words.get(m[0], 2)), filled)
        return offsets(filled, swizzle, self.rows, self.depth, self.size)

    @property
    def nbytes(self) -> int:
        """Bytes up to the end of the last one, in whole patterns."""
        return -(-(int(self.offsets.max()) + self.size) // 1024) * 1024

    def image(self, matrix: np.ndarray) -> np.ndarray:
        """The bytes of a matrix (rows, depth); 0xff where there is no element."""
        bits = np.ascontiguousarray(matrix).view(f"u{self.size}")
        out = np.full(self.nbytes, 0xFF, np.uint8)
        out.view(f"u{self.size}")[self.offsets // self.size] = bits
        return out

    def descriptor(self, start: int, base: int = 0) -> int:
        """The descriptor of the tile at an address, bit by bit as the ISA has it."""
        encoded = [(each & 0x3FFFF) >> 4 for each in (start, self.leading, self.stride)]
        return encoded[0] | encoded[1] << 16 | encoded[2] << 32 | base << 49 | self.mode << 62


def dense(major: str, mode: int, rows: int, depth: int, size: int, gap: int = 0) -> Tile:
    """A tile whose cores or atoms follow each other, with gaps (in cores or atoms) between them."""
    line = SPANS[mode]
    if major == "k" and mode == 0:
        stride = 128 * (1 + gap)
        return Tile(major, mode, rows, depth, size, stride * (rows // 8 + gap), stride)
    if major == "k":
        return Tile(major, mode, rows, depth, size, 16, 8 * line * (1 + gap))
    atoms = -(-rows * size // line)
    near = 8 * line * (1 + gap)
    far = near * (atoms + gap)
    leading, stride = (far, near) if mode == 0 else (near, far)
    return Tile(major, mode, rows, depth, size, leading, stride)
