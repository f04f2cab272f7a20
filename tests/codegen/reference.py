"""Exact answers for element-wise ops, and the values where things go wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from tileir.codegen import compile

from .build import elementwise

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
DTYPES = {
    "i1": np.dtype(bool),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}


def unsigned(array: np.ndarray) -> np.ndarray:
    return array.view(f"uint{8 * array.itemsize}")


def special(element: str) -> np.ndarray:
    """The values of a type that ops stumble over."""
    if element == "i1":
        return np.array([False, True])
    dtype = DTYPES[element]
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, -1, -2, -7, info.max, info.max - 1, info.min, info.min + 1]
        return np.array([*values, info.bits, info.bits - 1, info.bits + 1, 100], dtype)
    info = ml_dtypes.finfo(dtype)
    values = [0.0, 1.0, 1.5, 3.0, 1e-3, info.max, info.tiny, info.smallest_subnormal, np.inf]
    more = [info.tiny - info.smallest_subnormal, 1 + info.eps, 2.0**info.nmant, 16777217.0, 0.1]
    array = np.array([*values, *more, np.nan, 2.0], dtype)
    return np.concatenate([array, -array])


def pairs(element: str) -> list[np.ndarray]:
    """All pairs of special values, padded to a power of two."""
    values = special(element)
    return padded(np.repeat(values, len(values)), np.tile(values, len(values)))


def padded(*arrays: np.ndarray) -> list[np.ndarray]:
    size = 1 << (len(arrays[0]) - 1).bit_length()
    return [np.resize(array, size) for array in arrays]


def apply(name: str, inputs: list[np.ndarray], types: list[str], result: str, **attributes):
    """Run one op on arrays."""
    module = elementwise(name, types, result, len(inputs[0]), **attributes)
    out = np.zeros(len(inputs[0]), DTYPES[result])
    compile(module)["apply"].launch(1, [*inputs, out])
    return out


def same(found: np.ndarray, expected: np.ndarray, where: np.ndarray | bool = True) -> None:
    """Equal bits, but any NaN is as good as another; elsewhere anything goes."""
    assert found.dtype == expected.dtype
    if found.dtype == bool:
        found, expected = found.view(np.uint8), expected.view(np.uint8)
    either = np.isnan(expected) & np.isnan(found) if expected.dtype.kind == "f" else False
    wrong = (unsigned(found) != unsigned(expected)) & ~np.asarray(either) & where
    assert not wrong.any(), (found[wrong][:5], expected[wrong][:5], np.flatnonzero(wrong)[:5])


ROUNDED = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
NEAREST = {"rounding_mode": "nearest_even", "flush_to_zero": False}


FORMATS = {"f16": (11, -24, 65536), "bf16": (8, -133, 2**128), "f32": (24, -149, 2**128)}
"""Digits, exponent of the last place of subnormals, first power of two that is infinite."""


def nearest(number: Fraction, element: str, zero_sign: float = 1.0) -> float:
    """The float nearest to an exact number; round() of a fraction takes ties to even."""
    if not number:
        return math.copysign(0.0, zero_sign)
    digits, last, limit = FORMATS[element]
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    exponent += abs(number) >= Fraction(2) ** exponent
    quantum = Fraction(2) ** max(exponent - digits, last)
    result = abs(round(number / quantum) * quantum)
    return math.copysign(math.inf if result >= limit else float(result), number)


def fused_exactly(a: np.ndarray, b: np.ndarray, c: np.ndarray, element: str) -> np.ndarray:
    numbers = [
        nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), element)
        for x, y, z in zip(a, b, c, strict=True)
    ]
    return np.array(numbers).astype(a.dtype)


def nonzero(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Where the exact result is not zero, whose sign is another matter."""
    zipped = zip(a, b, c, strict=True)
    return np.array(
        [bool(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))) for x, y, z in zipped]
    )
