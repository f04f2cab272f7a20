"""Rounding of exact results to a float format, in every mode of PTX.

An exact result is kept as a double rounded to odd: truncated, with the last bit set if that was
inexact. Rounding it once more to a format with at least two bits less gives the same as rounding
the exact number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A float format: bits of the significand with the leading one, exponent of the smallest
    quantum, the largest number, whether it has infinities, and the NumPy type that holds it."""

    digits: int
    last: int
    largest: float
    infinite: bool
    holder: Any


FORMATS = {
    "f64": FloatFormat(53, -1074, float(np.finfo(np.float64).max), True, np.float64),
    "f32": FloatFormat(24, -149, float(np.finfo(np.float32).max), True, np.float32),
    "tf32": FloatFormat(11, -136, float(2.0**128 - 2.0**117), True, np.float32),
    "bf16": FloatFormat(8, -133, float(2.0**128 - 2.0**120), True, ml_dtypes.bfloat16),
    "f16": FloatFormat(11, -24, 65504.0, True, np.float16),
    "e5m2": FloatFormat(3, -16, 57344.0, True, ml_dtypes.float8_e5m2),
    "e4m3": FloatFormat(4, -9, 448.0, False, ml_dtypes.float8_e4m3fn),
    "e3m2": FloatFormat(3, -4, 28.0, False, ml_dtypes.float6_e3m2fn),
    "e2m3": FloatFormat(4, -3, 7.5, False, ml_dtypes.float6_e2m3fn),
    "e2m1": FloatFormat(2, -1, 6.0, False, ml_dtypes.float4_e2m1fn),
}
"""The formats by their names in PTX."""

TO_INTEGER: dict[str, Callable[[Any], Any]] = {
    "rn": np.rint,
    "rz": np.trunc,
    "rm": np.floor,
    "rp": np.ceil,
    "rna": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}
"""Rounding modes: to nearest even, towards zero, down, up, to nearest with ties away."""


def rounded(number: Any, kind: str, mode: str = "rn") -> Any:
    """Round a double to a format, and return it in the NumPy type of that; NaN stays NaN."""
    form = FORMATS[kind]
    number = np.asarray(number, np.float64)
    if mode == "rn" and kind in ("f64", "f32", "f16"):
        return number.astype(form.holder)[()]
    if kind == "f64":
        return number[()]
    _, exponent = np.frexp(number)
    quantum = np.maximum(exponent - form.digits, form.last)
    scaled = np.ldexp(number, -quantum)
    result = np.ldexp(TO_INTEGER[mode](scaled), quantum)
    finite = np.isfinite(number)
    over = finite & (np.abs(result) > form.largest)
    if over.any():
        inward = {"rz": np.ones_like(over), "rm": number > 0, "rp": number < 0}
        stays = inward.get(mode, np.zeros_like(over))
        beyond = np.inf if form.infinite else np.nan
        result = np.where(over, np.copysign(np.where(stays, form.largest, beyond), number), result)
    result = np.where(finite, result, number)
    return np.copysign(result, number).astype(form.holder)[()]


def odd(total: Any, error: Any) -> Any:
    """Return the exact `total + error`, of which `total` is the nearest double, rounded to odd."""
    total, error = np.broadcast_arrays(np.asarray(total, np.float64), error)
    inexact = np.isfinite(total) & (error != 0)
    if not inexact.any():
        return total
    bits = total.view(np.int64) if total.flags.c_contiguous else total.copy().view(np.int64)
    # Towards zero first, where the nearest double lies beyond the exact number.
    beyond = inexact & ((error < 0) != (total < 0)) & (total != 0)
    bits = np.where(inexact, (bits - beyond) | 1, bits)
    return bits.view(np.float64)


def add_exactly(a: Any, b: Any) -> Any:
    """Return the sum of doubles, rounded to odd."""
    total = np.asarray(a + b)
    back = total - a
    error = np.where(np.isfinite(total), (a - (total - back)) + (b - back), 0.0)
    return odd(total, error)


def fused(a: Any, b: Any, c: Any, kind: str, mode: str = "rn") -> Any:
    """Return `a * b + c` rounded once; products of types up to f32 are exact in a double."""
    if kind == "f64":
        return by_fractions(lambda x, y, z: x * y + z, (a, b, c), mode, MIRRORS["fma"])
    doubles = tuple(each.astype(np.float64) for each in (a, b, c))

    def exact(x: Any, y: Any, z: Any) -> Any:
        return add_exactly(x * y, z)

    return rounded(with_zeros(exact, doubles, mode, MIRRORS["fma"]), kind, mode)


MIRRORS = {
    "add": (-1.0, -1.0),
    "sub": (-1.0, -1.0),
    "mul": (-1.0, 1.0),
    "div": (-1.0, 1.0),
    "rcp": (-1.0,),
    "fma": (-1.0, 1.0, -1.0),
}
"""Factors for the operands that make the result change its sign, by operation."""


def with_zeros(
    function: Callable[..., Any], operands: tuple[Any, ...], mode: str, mirror: tuple[float, ...]
) -> Any:
    """Apply a function to doubles; in mode rm, a sum that cancels is -0 instead of 0.

    A zero from cancellation is positive in the mirror too; other zeros change their sign there.
    """
    result = np.asarray(function(*operands), np.float64)
    if mode != "rm":
        return result
    mirrored = function(*(sign * each for sign, each in zip(mirror, operands, strict=True)))
    return np.where((result == 0) & ~np.signbit(mirrored), -0.0, result)


def by_fractions(
    exact: Callable[..., Any], operands: tuple[Any, ...], mode: str, mirror: tuple[float, ...]
) -> Any:
    """Apply an operation to doubles, element by element in exact arithmetic.

    `exact` takes fractions, and also arrays of doubles, for results that are not finite and for the
    signs of zeros.
    """
    arrays = tuple(np.broadcast_arrays(*(np.asarray(operand) for operand in operands)))
    guess = with_zeros(exact, arrays, mode, mirror)
    out = guess.copy().reshape(-1)
    for index, numbers in enumerate(zip(*(a.reshape(-1).tolist() for a in arrays), strict=True)):
        if all(map(np.isfinite, numbers)):
            out[index] = _round_fraction(exact, numbers, mode, float(out[index]))
    return out.reshape(guess.shape)[()]


def _round_fraction(
    exact: Callable[..., Fraction], numbers: tuple[float, ...], mode: str, guess: float
) -> float:
    try:
        number = exact(*map(Fraction, numbers))
    except ZeroDivisionError:
        return guess
    if not number:
        return guess
    try:
        nearest = float(number)
    except OverflowError:
        nearest = np.copysign(np.inf, float(number > 0) - 0.5)
    if mode == "rn":
        return np.copysign(nearest, 1 if number > 0 else -1)
    goal = {"rz": 0.0, "rm": -np.inf, "rp": np.inf}[mode]
    above = np.isinf(nearest) or Fraction(nearest) != number
    if not above:
        return nearest
    beyond = nearest > 0 if np.isinf(nearest) else Fraction(nearest) > number
    wrong = beyond == (number > 0 if mode == "rz" else mode == "rm")
    result = float(np.nextafter(nearest, goal)) if wrong else nearest
    return float(np.copysign(result, 1 if number > 0 else -1))
