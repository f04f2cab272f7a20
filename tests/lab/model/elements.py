"""Elements of tiles as NumPy has them, as numbers of Python, and as bits.

A tile is an array of `dtype(element)`. Pointers are addresses; tf32 is float32 whose low bits are
zero; fnv8E5M3FNU, for which NumPy has nothing, stays bits, and `floats` are its numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tileir.ir.arrays import DTYPES, TF32_FRACTION_CUT
from tileir.ir.floats import value_of
from tileir.types import Element, Pointer, Scalar

PACKED = ("i4", "f4E2M1FN")
"""Two of them share a byte of memory, the first in the low half."""

BITS_ONLY = "fnv8E5M3FNU"
_NUMBERS = np.array([value_of(BITS_ONLY, pattern) for pattern in range(256)])
"""Pattern -> number, which grows with it; the last one is the NaN."""


def dtype(element: Element) -> np.dtype:
    """The NumPy type of a tile of that element type."""
    return np.dtype(np.uint64) if isinstance(element, Pointer) else DTYPES[element.name]


def stored_bits(element: Element) -> int:
    """How many bits an element takes in memory; i1 takes a byte, tf32 four."""
    if isinstance(element, Pointer):
        return 64
    return {"i1": 8, "tf32": 32}.get(element.name, element.bits)


def each(function: Callable, kind: np.dtype | Element, *arrays: np.ndarray) -> np.ndarray:
    """A function of Python numbers applied to each element; the results as an array of `kind`."""
    results = np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays))
    if isinstance(kind, np.dtype):
        return results.astype(kind)
    if isinstance(kind, Scalar) and kind.name == BITS_ONLY:
        return np.searchsorted(_NUMBERS, results.astype(np.float64)).astype(np.uint8)
    return results.astype(dtype(kind))


def floats(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Floats of any type as f64, exactly."""
    return _NUMBERS[array] if element.name == BITS_ONLY else array.astype(np.float64)


# Integers -----------------------------------------------------------------------------------------


def unsigned(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Integers read as unsigned, as numbers of Python without limits."""
    patterns = array.astype(np.int64).astype(object)
    return np.asarray(patterns & ((1 << element.bits) - 1), object)


def signed(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Integers read in two's complement: an i1 that is set is minus one."""
    half = 1 << (element.bits - 1)
    return np.asarray((unsigned(array, element) ^ half) - half, object)


def read(array: np.ndarray, element: Scalar, signedness: str) -> np.ndarray:
    """Integers read as the attribute `signedness` says."""
    return (signed if signedness == "signed" else unsigned)(array, element)


def wrapped(numbers: np.ndarray | int, element: Scalar) -> np.ndarray:
    """Numbers of any size modulo 2**bits, as a tile."""
    half = 1 << (element.bits - 1)
    patterns = np.asarray(numbers, object) & (2 * half - 1)
    if element.bits == 1:
        return np.asarray(patterns).astype(bool)
    return np.asarray((np.asarray(patterns, object) ^ half) - half).astype(np.int64).astype(
        dtype(element)
    )  # fmt: skip


def index(array: np.ndarray, element: Scalar) -> int:
    """A scalar tile as an unsigned number."""
    return int(unsigned(array, element)[()])


# Bits ---------------------------------------------------------------------------------------------


def bits(array: np.ndarray, element: Element) -> np.ndarray:
    """The pattern of each element as memory has it."""
    if isinstance(element, Pointer):
        return array.astype(object)
    if element.name in ("i1", "i4"):
        return unsigned(array, element)
    patterns = array.view(f"u{array.dtype.itemsize}").astype(object)
    return patterns & 0x0F if element.name == "f4E2M1FN" else patterns


def of_bits(patterns: np.ndarray, element: Element) -> np.ndarray:
    """The elements of those patterns; an i1 is set by any pattern but zero."""
    patterns = np.asarray(patterns, object)
    if isinstance(element, Pointer):
        return patterns.astype(np.uint64)
    if element.name == "i1":
        return patterns.astype(np.uint64) != 0
    if element.name == "i4":
        return wrapped(patterns, element)
    return patterns.astype(f"u{dtype(element).itemsize}").view(dtype(element))


def is_tf32(array: np.ndarray) -> bool:
    """Whether floats have no more digits than tf32."""
    return not (array.view(np.uint32) & ((1 << TF32_FRACTION_CUT) - 1)).any()
