"""Arrays of element types that NumPy lacks, as their bits, filled the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np

BITS = {
    "float32": np.float32, "float16": np.float16, "bfloat16": np.uint16, "e4m3": np.uint8,
    "int32": np.int32, "int8": np.int8,
}  # fmt: skip
"""Name of an element type -> what an array of it is of."""
PERIOD = 1_000_003
"""So many random numbers are drawn; being prime, it makes no two rows of an array alike."""


def _e4m3_values() -> np.ndarray:
    code = np.arange(256)
    exponent, mantissa = code >> 3 & 15, code & 7
    size = np.where(exponent, 1 + mantissa / 8, mantissa / 4) * 2.0 ** (exponent - 7)
    size[code & 0x7F == 0x7F] = np.nan
    return np.where(code & 0x80, -size, size).astype(np.float32)


E4M3 = _e4m3_values()
"""The value of each code."""


def decoded(dtype: str, array: np.ndarray) -> np.ndarray:
    """Elements as f32, integers as they are."""
    if dtype == "bfloat16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    if dtype == "e4m3":
        return E4M3[array]
    return array.astype(np.float32) if dtype == "float16" else array


def encoded(dtype: str, numbers: np.ndarray) -> np.ndarray:
    """Numbers as elements of a type, the nearest ones."""
    if dtype == "bfloat16":
        words = numbers.astype(np.float32).view(np.uint32)
        return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)
    if dtype == "e4m3":
        values = E4M3[:0x7F]
        middle = (values[1:] + values[:-1]) / 2
        codes = np.searchsorted(middle, np.abs(numbers)).astype(np.uint8)
        return codes | (np.signbit(numbers).astype(np.uint8) << 7)
    return numbers.astype(BITS[dtype])


def filled(tensor: dict[str, Any], seed: int) -> np.ndarray:
    """A tensor of a case; results are 0 where kernels add to them, and else all ones in bits."""
    dtype, shape, fill = tensor["dtype"], tuple(tensor["shape"]), tensor["fill"]
    count = int(np.prod(shape))
    source = np.random.default_rng(seed)
    if fill == "result":
        return np.full(count, 0xFF, np.uint8).repeat(np.dtype(BITS[dtype]).itemsize).view(
            BITS[dtype]).reshape(shape)  # fmt: skip
    if fill == "sum":
        return np.zeros(shape, BITS[dtype])
    few = min(count, PERIOD)
    if fill == "normal":
        numbers = source.standard_normal(few, np.float32) * tensor["scale"] + tensor["offset"]
        made = encoded(dtype, numbers)
    else:
        low = -fill if dtype == "int8" else 0
        made = source.integers(low, fill, count if dtype == "int32" else few).astype(BITS[dtype])
    return np.resize(made, shape)
