"""Bytes of elements in memory, for callers that move them without generating code."""

from __future__ import annotations

from tileir.types import Element, Pointer, Scalar

WIDER_IN_MEMORY = {"tf32": 32}
"""Bits in memory of the types that have more there than their own width."""


def memory_bytes(element: Element) -> int:
    """Return the size and natural alignment of an element in memory, in bytes; at least one."""
    if isinstance(element, Pointer):
        return 8
    return (packed_bits(element) + 7) // 8


def packed_bits(element: Element) -> int:
    """Return the bits of one element in the bytes of `pack` and `unpack`."""
    return WIDER_IN_MEMORY.get(element.name, element.bits)


def is_packed(element: Element) -> bool:
    """Whether two elements share a byte in tensors."""
    return isinstance(element, Scalar) and element.bits == 4
