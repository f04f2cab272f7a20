"""Tiles that lie in shared memory so that matrix products can read their factors from there.

A product wants each factor in a layout of its own, and wants most elements in several warps. So the
tile that a factor is made of is *staged*: it is written to shared memory once, and each thread
reads the fragments it multiplies just before it does. Ops that only renumber elements stand between
the tile and the factor; they move nothing, they compose the map from elements to places.

Who writes and who reads do not know of each other: a `Staged` is all that they share. Threads have
to meet between the one and the other, which `shared.SharedMemory` sees to.

Places are swizzled in pieces of 16 bytes: eight lanes that access neighbouring pieces of a row, or
the same piece of neighbouring rows, all meet different banks (see `swizzle` for the theory; here
the readers are always the same, so the map is fixed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits
from tileir.codegen.layouts.renumber import element_images
from tileir.codegen.ops import Family, family_of
from tileir.ir import Op, Value

CHUNK_BITS = 4
"""Sixteen bytes are what one lane accesses at most, and what stays together."""
LINE_BITS = 7
"""The 32 banks are 128 bytes wide."""
ALIGNMENT = 1 << LINE_BITS
"""Of staged tiles."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A tile in shared memory.

    `base` is its address (i32), a multiple of 16; element number e lies `place(e) * size` bytes
    behind it. `images[b]` is what bit b of an element number contributes to its place, by exclusive
    or; `size` is the bytes of one element, as products read it.
    """

    base: ir.Value
    images: tuple[int, ...]
    size: int

    def place(self, element: int) -> int:
        """Where an element lies, counted in elements."""
        return combine(self.images, element)

    def renumbered(self, images: Sequence[int]) -> Staged:
        """The same memory, as the tile whose element bit b is `images[b]` of this one."""
        return replace(self, images=tuple(self.place(image) for image in images))


@dataclass(slots=True)
class Staging:
    """A tile to be staged: the layout that it is written from, how it is read, the bytes of an
    element then, and where it lies among the bytes that are kept.

    `cut` is a mask of the element bits that number pieces, if one piece is staged at a time; their
    images are 0, and the place is that among the pieces of a product.
    """

    layout: LinearLayout
    reading: str
    size: int
    images: tuple[int, ...]
    place: int = 0
    cut: int = 0

    @property
    def bytes(self) -> int:
        return self.size << len(self.images) - self.cut.bit_count()

    @property
    def range(self) -> tuple[int, int]:
        return self.place, self.place + self.bytes


def staged_images(shape: Sequence[int], inner: int, size: int, cut: int = 0) -> tuple[int, ...]:
    """Where the elements of a tile are staged: rows along the dimension `inner`, swizzled.

    Elements that differ in bits of the mask `cut` only, have the same place.

    The number of a row, its four lowest bits, moves pieces of 16 bytes within a line of all banks:
    eight rows, or every fourth pair of sixteen, have the same piece in different banks. Where a row
    fills a line its lowest bits move the higher bits of a piece's number: then lanes that read
    single words of four rows may go through two pieces as well.
    """
    low, count = dim_bits(shape, inner)
    bits = prod(shape).bit_length() - 1
    order = [*range(low, low + count), *range(low), *range(low + count, bits)]
    order = [bit for bit in order if not cut >> bit & 1]
    count -= (cut >> low & (1 << count) - 1).bit_count()
    unit = size.bit_length() - 1
    row = max(count + unit, CHUNK_BITS)
    pieces = list(range(CHUNK_BITS, min(row, LINE_BITS)))
    # Rows that share a line are in different banks as they are.
    banks = [*range(row, LINE_BITS), *pieces[1:], *pieces[:1]]
    banks.append(banks[1])
    images = [0] * bits
    for place, bit in enumerate(order):
        images[bit] = 1 << place
        number = place + unit - row
        if place + unit >= LINE_BITS and 0 <= number < len(banks):
            images[bit] |= 1 << banks[number] - unit
    return tuple(images)


def root_of(value: Value) -> Value:
    """The tile that a factor is a renumbering of."""
    while isinstance(value.owner, Op) and family_of(value.owner) is Family.RENUMBERING:
        source = next(value.owner.operand_list())
        if source.type.size == 1:
            break
        value = source
    return value


def images_in_root(value: Value) -> tuple[int, ...]:
    """The image of each bit of a factor's element number in that of the tile it is made of."""
    root = root_of(value)
    same = tuple(1 << bit for bit in range(root.type.size.bit_length() - 1))
    return find({root: Staged(None, same, 1)}, value).images


def find(staged: Mapping[Value, Staged], value: Value) -> Staged | None:
    """Where the elements of a factor lie, if what it is made of is staged."""
    if value in staged:
        return staged[value]
    root = root_of(value)
    if root not in staged:
        return None
    source = find(staged, next(value.owner.operand_list()))
    images = element_images(value.owner)
    return source if source is None or images is None else source.renumbered(images)
