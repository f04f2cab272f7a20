"""Addresses in shared memory, free of bank conflicts, for moving elements between threads.

Shared memory has 32 banks of four bytes. Lanes that access it together must hit different banks,
when the tile is written in one layout and when it is read in another. Element numbers are vectors
over GF(2), and so are addresses; an address is a linear, invertible map of the element number. Such
a map is a basis of the element space: the elements at offsets 1, 2, 4, ... from the first one.

The bank bits of an address must differ between lanes of the writing layout, and between lanes of
the reading layout. If `a` is the base of a writing lane and `b` that of a reading one, then making
`a` a bank bit and `a ^ b` a bit above the banks does both: modulo the bits above the banks, `a` and
`b` are the same. This is a swizzle. If several elements are read at once that are written one by
one, the same is done between bits within such a vector and a lane.

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from .linear_layout import LinearLayout, log2
from .linear_maps import Space, combine, right_inverse

BANK_BYTES = 4
BANK_BITS = 5
WIDEST = 16
"""The most bytes that one lane accesses at once."""


@dataclass(frozen=True, slots=True)
class Swizzle:
    """A linear map of element numbers to offsets in shared memory, in elements.

    `images[b]` is what bit b of an element number contributes to the offset. Elements whose numbers
    combine the bases `read` are contiguous, so that one access, at the lowest offset of them, reads
    them; the first of those bases are `written`, also by one access.
    """

    images: tuple[int, ...]
    written: tuple[int, ...]
    read: tuple[int, ...]

    def place(self, element: int) -> int:
        """Return the offset of an element, in elements."""
        return combine(self.images, element)


def swizzle(source: LinearLayout, target: LinearLayout, size: int) -> Swizzle:
    """Return offsets for elements of `size` bytes that are written in `source`, read in `target`.

    There are no gaps between them, even if both layouts lack some bits of the element number.
    """
    bits = max(source.bits, target.bits)
    most = log2(WIDEST // size)
    written = [base for base in source.register if base in target.register][:most]
    others = [base for base in target.register if base not in source.register]
    read = [*written, *others[: most - len(written)]]
    while True:
        width = max(size << len(read), BANK_BYTES)
        writing = _together(source, size << len(written))
        reading = _together(target, width)
        rest = _mixed(writing, read, len(written), target, size)
        if len(writing) <= BANK_BITS - log2(width // BANK_BYTES) or len(read) == len(written):
            break
        read.pop()
    shared = [base for base in writing if base in reading]
    only_written = [base for base in writing if base not in shared]
    only_read = [base for base in reading if base not in shared]
    pairs = min(len(only_written), len(only_read))
    banks = [*shared, *only_written, *only_read[pairs:]]
    rest += [a ^ b for a, b in zip(only_written, only_read, strict=False)]
    taken = Space([*read, *banks, *rest])
    present = reduce(or_, (*source.register, *source.thread, *target.register, *target.thread), 0)
    units = [1 << bit for bit in range(bits)]
    rest += [unit for unit in units if unit & present and taken.add(unit)]
    missing = [unit for unit in units if not unit & present]
    within = log2(width // (size << len(read)))
    order = [*read, *rest[:within], *banks, *rest[within:], *missing]
    return Swizzle(right_inverse(order, bits), tuple(written), tuple(read))


def _mixed(
    writing: list[int], read: list[int], written: int, target: LinearLayout, size: int
) -> list[int]:
    """Return sums of bases of lanes that write parts of a vector and of bits within the vector.

    Such lanes are removed from `writing`, and so are those that differ in bits within the vector.
    Lanes whose bits distinguish reading threads are not used: vectors would be misaligned.
    """
    lanes = _together(target, max(size << len(read), BANK_BYTES))
    capacity = BANK_BITS - log2(max(size << len(read), BANK_BYTES) // BANK_BYTES)
    within = [base for base in writing if base in read]
    writing[:] = [base for base in writing if base not in read]
    free = [base for base in writing if base in target.register and base not in lanes]
    rest = []
    for bit, base in enumerate(read):
        usable = bit >= written and size << bit >= BANK_BYTES and base not in within
        if usable and free and len(writing) > capacity:
            rest.append(free[-1] ^ base)
            writing.remove(free.pop())
    return rest


def _together(layout: LinearLayout, width: int) -> list[int]:
    """Return the bases of the lanes that access `width` bytes each in one transaction."""
    count = BANK_BITS - log2(max(width, BANK_BYTES) // BANK_BYTES)
    return [base for base in layout.lane[:count] if base]
