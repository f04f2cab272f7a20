"""Offsets of tiles in shared memory: their inverse, and the swizzles that hardware knows.

Where a tile lies is a linear map, too: from the bits of an element number to an offset from the
tile's address, counted in elements. A bit with offset 0 makes no difference: the tile repeats, or
is there in pieces.

Tensor copies and the matrix instructions that read shared memory know four such maps. They have
rows of 32, 64 or 128 bytes, or of the tile's whole extent, along one dimension, one behind the
other, and a tile of longer rows is cut into boxes with such rows. In rows of 16 << b bytes the
chunks of 16 bytes are then permuted: the b bits of the address from bit 7 on, which number groups
of rows, are added to those from bit 4 on, which number the chunks of a row. This is what CUTLASS
calls Swizzle<b, 4, 3>. It concerns bits of addresses; it is a map of offsets if the tile's address
is a multiple of 128 << b bytes.

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .linear_layout import LinearLayout, dim_bits, log2
from .linear_maps import combine, right_inverse
from .swizzle import WIDEST
from .warp_conversions import mask_of

SWIZZLE_BITS = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
"""Swizzle -> the number of address bits that are added to others."""
_CHUNK_BIT, _LINE_BIT = 4, 7


def elements_at(offsets: Sequence[int]) -> tuple[int, ...]:
    """Return the map from offsets to elements; of several at one offset, the first in the tile.

    ValueError if there are gaps between elements.
    """
    return right_inverse(offsets, max((offset.bit_length() for offset in offsets), default=0))


def parts_of(offsets: Sequence[int]) -> int:
    """Return the mask of the bits of element numbers that say which part is there."""
    return sum(1 << bit for bit, offset in enumerate(offsets) if not offset)


def side_by_side(
    layout: LinearLayout, offsets: Sequence[int], size: int, moving: int = 0
) -> list[int]:
    """Return the register bases of the elements that a thread accesses at once: 16 bytes at most.

    They lie one behind the other, the elements of `size` bytes of each vector at a multiple of its
    size. `moving` is the mask of the bits of a distance, in bytes, that is added to all of them.
    """
    parts = parts_of(offsets)
    at = {combine(offsets, base): base for base in layout.register if not base & parts}
    others = mask_of(tuple(combine(offsets, base) for base in layout.thread)) | moving // size
    vector: list[int] = []
    while len(vector) < log2(WIDEST // size):
        step = 1 << len(vector)
        if step not in at or others & step:
            break
        vector.append(at[step])
    return vector


def row_bytes(swizzle: str) -> int:
    """Return the bytes of a row whose chunks are permuted."""
    return 1 << _CHUNK_BIT << SWIZZLE_BITS[swizzle]


def alignment(swizzle: str) -> int:
    """Return what the address of a swizzled tile has to be a multiple of, in bytes.

    For tensor copies, this holds without a swizzle as well.
    """
    return 1 << _LINE_BIT << SWIZZLE_BITS[swizzle]


def swizzled(offset: int, swizzle: str) -> int:
    """Return where the byte at an offset goes. The same swizzle takes it back."""
    moving = offset >> _LINE_BIT & (1 << SWIZZLE_BITS[swizzle]) - 1
    return offset ^ moving << _CHUNK_BIT


def swizzled_offsets(
    shape: Sequence[int], inner: int, size: int, swizzle: str, absent: int = 0
) -> tuple[int, ...]:
    """Return the offsets of a swizzled tile with elements of `size` bytes, rows along `inner`.

    The bits of the mask `absent` have offset 0. ValueError if the tile's rows are too short.
    """
    low, count = dim_bits(shape, inner)
    present = [bit for bit in range(log2(prod(shape))) if not absent >> bit & 1]
    along = [bit for bit in present if low <= bit < low + count]
    rows = [bit for bit in present if bit not in along]
    own = log2(row_bytes(swizzle) // size) if SWIZZLE_BITS[swizzle] else len(along)
    if own > len(along):
        raise ValueError(f"the rows have fewer than {row_bytes(swizzle)} bytes")
    offsets = [0] * log2(prod(shape))
    for place, bit in enumerate([*along[:own], *rows, *along[own:]]):
        offsets[bit] = swizzled(size << place, swizzle) // size
    return tuple(offsets)


def swizzle_of(offsets: Sequence[int], shape: Sequence[int], size: int) -> str:
    """Return which swizzle these offsets are, with rows along any dimension: "none", "32B", "64B",
    "128B", or "linear" for all other maps. Too small a tile to be changed has "none".
    """
    absent = sum(1 << bit for bit, offset in enumerate(offsets) if offset == 0)
    for swizzle in SWIZZLE_BITS:
        for inner in range(len(shape) or 1):
            try:
                known = swizzled_offsets(shape or (1,), inner, size, swizzle, absent)
            except ValueError:
                continue
            if known == tuple(offsets):
                return swizzle
    return "linear"
