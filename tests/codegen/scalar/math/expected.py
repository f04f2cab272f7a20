"""What the answers are: NumPy in a wider format for all samples, mpmath for the worst of them.

NumPy's functions in float64 (for f32 and halves) or long double (for f64) are those of the C
library, special values included, and fast. They err by less than a thousandth of the unit that is
measured here; where long double is no wider than f64, by about one. Whatever looks worst is
computed again by mpmath with hundreds of digits, and only that is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import mpmath
import numpy as np

from tests.codegen.reference import DTYPES

UNARY = (
    "ceil", "cos", "cosh", "exp", "exp2", "floor", "log", "log2", "rsqrt", "sin", "sinh", "sqrt",
    "tan", "tanh",
)  # fmt: skip
BINARY = ("atan2", "fpowf", "fpowi", "remf")
OPS = (*UNARY, *BINARY)
EXACT = ("ceil", "floor", "remf", "sqrt")
"""Correctly rounded: at most half a unit in the last place, or no error at all."""

_NUMPY: dict[str, Callable[..., np.ndarray]] = {
    "atan2": np.arctan2, "fpowf": np.power, "fpowi": np.power, "remf": np.fmod,
    "rsqrt": lambda x: 1 / np.sqrt(x),
} | {name: getattr(np, name) for name in UNARY if name != "rsqrt"}  # fmt: skip

_MPMATH: dict[str, Callable[..., mpmath.mpf]] = {
    "fpowf": mpmath.power, "fpowi": mpmath.power, "remf": mpmath.fmod,
    "log2": lambda x: mpmath.log(x, 2),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "exp2": lambda x: mpmath.power(2, x),
    "atan2": mpmath.atan2,
} | {
    name: getattr(mpmath, name)
    for name in ("ceil", "cos", "cosh", "exp", "floor", "log", "sin", "sinh", "sqrt", "tan", "tanh")
}  # fmt: skip

_DIGITS = 400
"""Decimal ones, for mpmath: enough for the sine of the largest float."""


def widened(array: np.ndarray) -> np.ndarray:
    """The numbers in the format that NumPy computes in; integers as signed (an i1 is 0 or -1)."""
    if array.dtype == bool:
        return -array.astype(np.float64)
    return array.astype(np.longdouble if array.dtype == np.float64 else np.float64)


def by_numpy(name: str, arrays: list[np.ndarray]) -> np.ndarray:
    """The answers in a wider format than that of the first array."""
    wide = np.longdouble if arrays[0].dtype == np.float64 else np.float64
    with np.errstate(all="ignore"):
        return _NUMPY[name](*(widened(array).astype(wide) for array in arrays))


def by_mpmath(name: str, arguments: list[float]) -> mpmath.mpf:
    """The answer for finite arguments where there is one and it is no zero."""
    with mpmath.workdps(_DIGITS):
        return +_MPMATH[name](*(mpmath.mpf(argument) for argument in arguments))


def unit(answers: np.ndarray, element: str) -> np.ndarray:
    """The last place of the floats of a type that are as large as these finite answers."""
    info = ml_dtypes.finfo(DTYPES[element])
    _, exponents = np.frexp(np.where(answers == 0, 1, answers))
    least, most = math.log2(float(info.smallest_normal)), math.log2(float(info.max))
    exponents = np.clip(exponents - 1, least, math.ceil(most) - 1)
    exponents = np.where(answers == 0, least, exponents)
    return np.ldexp(answers.dtype.type(1), (exponents - info.nmant).astype(int))
