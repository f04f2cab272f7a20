"""Elements of tiles as NumPy has them, and as the bits that memory has.

A tile is an array of `dtype(element)`. Pointers are addresses; tf32 is float32 whose low bits are
zero; fnv8E5M3FNU, for which NumPy has nothing, stays bits, and `floats` are its numbers.
"""

from __future__ import annotations

import numpy as np

from tileir.ir.arrays import DTYPES
from tileir.ir.floats import value_of
from tileir.types import Element, Pointer, Scalar

PACKED = ("i4", "f4E2M1FN")
"""Two of them share a byte of memory, the first in the low half."""

BITS_ONLY = "fnv8E5M3FNU"
NUMBERS_OF_BITS = np.array([value_of(BITS_ONLY, pattern) for pattern in range(256)])
"""Pattern of `BITS_ONLY` -> number, which grows with it; the last one is the NaN."""


def pointee(element: Element) -> Scalar:
    """Return what a pointer points to."""
    assert isinstance(element, Pointer)
    return element.pointee


def dtype(element: Element) -> np.dtype:
    """Return the NumPy type of a tile of that element type."""
    return np.dtype(np.uint64) if isinstance(element, Pointer) else DTYPES[element.name]


def floats(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Return floats of any type as f64, exactly."""
    if element.name == BITS_ONLY:
        return NUMBERS_OF_BITS[array]
    with np.errstate(invalid="ignore"):  # of NaNs that signal
        return array.astype(np.float64)


def wrapped(numbers: np.ndarray | int, element: Scalar) -> np.ndarray:
    """Return numbers of any size modulo 2**bits, as a tile."""
    half = 1 << (element.bits - 1)
    patterns = np.asarray(numbers, object) & (2 * half - 1)
    if element.bits == 1:
        return np.asarray(patterns).astype(bool)
    return np.asarray((np.asarray(patterns, object) ^ half) - half).astype(np.int64).astype(
        dtype(element)
    )  # fmt: skip


def bits(array: np.ndarray, element: Element) -> np.ndarray:
    """Return the pattern of each element as memory has it."""
    if isinstance(element, Pointer):
        return array.astype(object)
    if element.name in ("i1", "i4"):
        patterns = array.astype(np.int64).astype(object)
        return np.asarray(patterns & ((1 << element.bits) - 1), object)
    patterns = array.view(f"u{array.dtype.itemsize}").astype(object)
    return patterns & 0x0F if element.name == "f4E2M1FN" else patterns


def of_bits(patterns: np.ndarray, element: Element) -> np.ndarray:
    """Return the elements of those patterns; an i1 is set by any pattern but zero."""
    patterns = np.asarray(patterns, object)
    if isinstance(element, Pointer):
        return patterns.astype(np.uint64)
    if element.name == "i1":
        return patterns.astype(np.uint64) != 0
    if element.name == "i4":
        return wrapped(patterns, element)
    return patterns.astype(f"u{dtype(element).itemsize}").view(dtype(element))
