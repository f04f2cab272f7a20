"""The swizzled rows that tensor cores read from shared memory: 32, 64 or 128 bytes each.

Rows lie one below the other; the bits of an address from 7 on that say which of eight lines of 128
bytes it is in are added, by exclusive or, to the bits that number the 16-byte chunks of a row (PTX
ISA, "Swizzling modes"). So rows of one column lie in different banks. The pattern is one of
absolute addresses: a tile begins at a multiple of its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .linear_layout import dim_bits

SPANS = (128, 64, 32)
"""The widths of rows, in bytes; wider first."""
_LINE_BITS, _CHUNK_BITS = 7, 4
LINE_BYTES = 1 << _LINE_BITS
"""Bytes of a line of all banks."""
_SHIFT = _LINE_BITS - _CHUNK_BITS


def swizzled(address: int, span: int) -> int:
    """Return where the byte lies that would lie at an address without a swizzle."""
    chunks = span - (1 << _CHUNK_BITS)
    return address ^ (address >> _SHIFT & chunks)


def pattern_bytes(span: int) -> int:
    """Return the bytes after which a swizzle repeats: the alignment of what has it."""
    return span << _SHIFT


def swizzled_rows(shape: Sequence[int], inner: int, size: int) -> tuple[int, ...] | None:
    """Return the offsets of a tile's elements, as in the type `Shared`, in swizzled rows.

    A row has elements of `size` bytes along the dimension `inner`, of which the part beyond a row
    lies behind all other elements. None if that dimension is too short for a row.
    """
    low, count = dim_bits(shape, inner)
    span = next((each for each in SPANS if each <= size << count), None)
    if span is None:
        return None
    in_row = (span // size).bit_length() - 1
    bits = prod(shape).bit_length() - 1
    order = [*range(low, low + in_row), *range(low), *range(low + count, bits)]
    order += range(low + in_row, low + count)
    offsets = [0] * bits
    for position, bit in enumerate(order):
        offsets[bit] = swizzled(size << position, span) // size
    return tuple(offsets)


def span_of(offsets: Sequence[int], size: int) -> int | None:
    """Return the width of the rows that offsets of elements of `size` bytes are swizzled in.

    None if they are in no swizzled rows, whatever the dimensions of the tile.
    """
    addresses = sorted((offset * size for offset in offsets), key=int.bit_length)
    for span in SPANS:
        plain = [1 << address.bit_length() - 1 for address in addresses if address]
        if max(plain, default=0) < 1 << _LINE_BITS:
            continue
        if all(
            swizzled(line, span) == address
            for line, address in zip(plain, filter(None, addresses), strict=True)
        ):
            return span
    return None
