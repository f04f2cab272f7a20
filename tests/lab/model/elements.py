"""Elements of tiles as numbers of Python; `tileir.smith.elements` has them as NumPy does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tileir.ir.arrays import TF32_FRACTION_CUT
from tileir.smith.elements import (
    BITS_ONLY,
    NUMBERS_OF_BITS,
    PACKED,
    bits,
    dtype,
    floats,
    of_bits,
    wrapped,
)
from tileir.types import Element, Pointer, Scalar

__all__ = [
    "BITS_ONLY", "PACKED", "bits", "dtype", "each", "floats", "index", "is_tf32", "of_bits",
    "read", "signed", "stored_bits", "unsigned", "wrapped",
]  # fmt: skip


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
        return np.searchsorted(NUMBERS_OF_BITS, results.astype(np.float64)).astype(np.uint8)
    return results.astype(dtype(kind))


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


def index(array: np.ndarray, element: Scalar) -> int:
    """A scalar tile as an unsigned number."""
    return int(unsigned(array, element)[()])


def is_tf32(array: np.ndarray) -> bool:
    """Whether floats have no more digits than tf32."""
    return not (array.view(np.uint32) & ((1 << TF32_FRACTION_CUT) - 1)).any()
