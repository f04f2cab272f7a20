"""Tiles in shared memory from which matrix products read their operands.

A product needs each operand in a layout of its own, and most elements in several warps. So the tile
that an operand comes from, its *root*, is *staged*: it is written to shared memory once, and each
thread loads the fragments that it multiplies just before it does. The ops between the root and the
operand only renumber elements: they move nothing, but compose the map from elements to offsets.

Offsets are swizzled in chunks of 16 bytes: eight lanes that access neighbouring chunks of a row, or
the same chunk of neighbouring rows, access different banks (see `swizzle` for the theory; here the
readers are always the same, so the map is fixed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits, log2
from tileir.codegen.layouts.renumber import element_images
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value

CHUNK_BITS = 4
"""Log2 of the bytes that one lane accesses at most; swizzling moves whole chunks of this size."""
LINE_BITS = 7
"""Log2 of the width of the 32 banks, in bytes."""
ALIGNMENT = 1 << LINE_BITS
"""Alignment of staged tiles, in bytes."""
SCRATCH = 34 << 10
"""Bytes of shared memory that tiles which are staged as a whole leave to conversions, to pieces of
other operands, and to reductions."""


@dataclass(frozen=True, slots=True)
class Staging:
    """The plan to stage a tile.

    It is stored from `layout`, as elements of `operand_type` with `size` bytes each: the operand
    type of an atom, or the element type that the tile was loaded with. `bases[b]` is
    what bit b of an element's number contributes to its offset, counted in elements, by exclusive
    or. If one piece is staged at a time, `piece_mask` is the mask of the element bits that number
    the pieces; their bases are 0.
    """

    layout: LinearLayout
    operand_type: str
    size: int
    bases: tuple[int, ...]
    piece_mask: int = 0

    @property
    def bytes(self) -> int:
        return self.size << len(self.bases) - self.piece_mask.bit_count()


def staged_bases(
    shape: Sequence[int], inner: int, size: int, piece_mask: int = 0
) -> tuple[int, ...]:
    """Return the bases of a staged tile's offsets: rows along the dimension `inner`, swizzled.

    Elements that differ only in bits of `piece_mask` have the same offset.

    The four lowest bits of a row's number move its chunks of 16 bytes within a line of all banks:
    eight rows, or every fourth pair of sixteen, have the same chunk in different banks. Where a row
    fills a line, its lowest bits move the higher bits of a chunk's number: then lanes that load
    single words of four rows may go through two chunks as well.
    """
    low, count = dim_bits(shape, inner)
    bits = prod(shape).bit_length() - 1
    order = [*range(low, low + count), *range(low), *range(low + count, bits)]
    order = [bit for bit in order if not piece_mask >> bit & 1]
    count -= (piece_mask >> low & (1 << count) - 1).bit_count()
    unit = size.bit_length() - 1
    row = max(count + unit, CHUNK_BITS)
    chunks = list(range(CHUNK_BITS, min(row, LINE_BITS)))
    # Rows that share a line are in different banks as they are.
    banks = [*range(row, LINE_BITS), *chunks[1:], *chunks[:1]]
    banks.append(banks[1])
    bases = [0] * bits
    for position, bit in enumerate(order):
        bases[bit] = 1 << position
        number = position + unit - row
        if position + unit >= LINE_BITS and 0 <= number < len(banks):
            bases[bit] |= 1 << banks[number] - unit
    return tuple(bases)


def root_of(value: Value) -> Value:
    """Return the tile that an operand is a renumbering of."""
    while isinstance(value.owner, Op) and family_of(value.owner) is Family.RENUMBERING:
        source = next(value.owner.operand_list())
        if source.type.size == 1:
            break
        value = source
    return value


def bases_in_root(value: Value) -> tuple[int, ...]:
    """Return, for each bit of an operand's element number, that of the element of its root."""
    return seen_as(value, tuple(1 << bit for bit in range(log2(root_of(value).type.size))))


def seen_as(value: Value, bases: Sequence[int], root: Value | None = None) -> tuple[int, ...]:
    """Return the bases of an operand's offsets, given those of its root's.

    Another root may be given that the operand is a renumbering and a conversion of.
    """
    root = root or root_of(value)
    if root is value:
        return tuple(bases)
    op = cast(Op, value.owner)
    source = seen_as(next(op.operand_list()), bases, root)
    images = element_images(op) if family_of(op) is Family.RENUMBERING else None
    return source if images is None else tuple(combine(source, image) for image in images)
