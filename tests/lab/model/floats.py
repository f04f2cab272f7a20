"""Floating-point arithmetic, rounded once, in every rounding mode.

Halves are computed in f64, whose digits suffice for one rounding to be the only one. With a
directed rounding, and for fma, the result is an exact fraction before it is rounded; NVIDIA's
compiler rounds halves in that direction twice, once to f32, which is the same number.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tileir.ir import Op
from tileir.types import Scalar

from .elements import dtype, each
from .integers import RELATIONS
from .rounding import DIRECTED, magnitude, narrowed, power, rounded

HALVES = ("f16", "bf16")


def flushed(op: Op, array: np.ndarray) -> np.ndarray:
    """With flush_to_zero, subnormal numbers are zeros of their sign."""
    if not op.attributes.get("flush_to_zero"):
        return array
    return np.where(np.abs(array) < np.float32(2.0**-126), np.copysign(0, array), array)


def flushing(function: Callable) -> Callable:
    """The function of an op, with its flush_to_zero attribute."""

    def flush(op: Op, *operands: np.ndarray) -> np.ndarray:
        return flushed(op, function(op, *(flushed(op, operand) for operand in operands)))

    return flush


def nearest(function: Callable, element: Scalar, *operands: np.ndarray) -> np.ndarray:
    """A function of NumPy's in the type's own precision."""
    if element.name in HALVES:
        wide = [operand.astype(np.float64) for operand in operands]
        return narrowed(np.asarray(function(*wide)), element)
    return np.asarray(function(*operands))


# Arithmetic ---------------------------------------------------------------------------------------


def _cancelled(signs: list[float], mode: str) -> float:
    """The zero that terms of these signs add up to."""
    if len({math.copysign(1, sign) for sign in signs}) == 1:
        return math.copysign(0.0, signs[0])
    return -0.0 if mode == "negative_inf" else 0.0


def _sign(*factors: float) -> float:
    return math.prod(math.copysign(1, factor) for factor in factors)


def _arithmetic(nearly: Callable, exactly: Callable, signs: Callable) -> Callable:
    """An op on two numbers: with NumPy, with fractions, and the signs of the terms it adds."""

    def arithmetic(op: Op, lhs, rhs):
        element, mode = op.result.type.element, op.attributes["rounding_mode"]
        if mode not in DIRECTED:
            return nearest(nearly, element, lhs, rhs)

        def one(a: float, b: float) -> float:
            about = float(nearly(np.float64(a), np.float64(b)))
            special = not math.isfinite(a) or not math.isfinite(b)
            if special or (nearly is np.divide and b == 0):
                return about
            exact = exactly(Fraction(a), Fraction(b))
            return rounded(exact, element.name, mode, _cancelled(signs(a, b), mode))

        return each(one, element, lhs.astype(np.float64), rhs.astype(np.float64))

    return flushing(arithmetic)


def _fma(op: Op, lhs, rhs, acc):
    element, mode = op.result.type.element, op.attributes["rounding_mode"]

    def one(a: float, b: float, c: float) -> float:
        if not (math.isfinite(a) and math.isfinite(b)):
            return float(np.float64(a) * np.float64(b) + np.float64(c))
        if not math.isfinite(c):
            return c
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        return rounded(exact, element.name, mode, _cancelled([_sign(a, b), c], mode))

    return each(one, element, *(side.astype(np.float64) for side in (lhs, rhs, acc)))


ROOT_BITS = 256
"""Binary digits of a square root before it is rounded."""


def _root(number: Fraction) -> Fraction:
    """The square root if it is short; otherwise a number that any format rounds alike."""
    shift = ROOT_BITS - magnitude(number) // 2
    scaled = number * power(2 * shift)
    root = math.isqrt(math.floor(scaled))
    sticky = Fraction(0) if root * root == scaled else Fraction(1, 2)
    return (root + sticky) / power(shift)


def _sqrt(op: Op, source):
    element, mode = op.result.type.element, op.attributes["rounding_mode"]
    if mode not in DIRECTED:
        return nearest(np.sqrt, element, source)

    def one(number: float) -> float:
        if not 0 < number < math.inf:
            return float(np.sqrt(number))
        return rounded(_root(Fraction(number)), element.name, mode)

    return each(one, element, source.astype(np.float64))


def _remainder(op: Op, lhs, rhs):
    return nearest(np.fmod, op.result.type.element, lhs, rhs)


# Choices and signs --------------------------------------------------------------------------------


def _extremum(better: Callable, at_zero: Callable) -> Callable:
    def extremum(op: Op, lhs, rhs):
        """Equal numbers are the same but for zeros, of which `at_zero` says when it is negative."""
        zero = np.where(at_zero(np.signbit(lhs), np.signbit(rhs)), lhs.dtype.type(-0.0), 0)
        equal = np.where(lhs == 0, zero.astype(lhs.dtype), lhs)
        number = np.where(lhs == rhs, equal, np.where(better(lhs, rhs), lhs, rhs))
        missing = np.isnan(lhs), np.isnan(rhs)
        if op.attributes["propagate_nan"]:
            return np.where(missing[0] | missing[1], lhs.dtype.type(np.nan), number)
        return np.where(missing[0], rhs, np.where(missing[1], lhs, number))

    return flushing(extremum)


def cmpf(op: Op, lhs, rhs):
    holds = np.asarray(RELATIONS[op.attributes["comparison_predicate"]](lhs, rhs))
    missing = np.isnan(lhs) | np.isnan(rhs)
    return np.where(missing, op.attributes["comparison_ordering"] == "unordered", holds)


def absf(op: Op, source):
    return np.abs(source)


def negf(op: Op, source):
    return np.negative(source)


def _whole(function: Callable) -> Callable:
    def whole(op: Op, source):
        kind = dtype(op.result.type.element)
        return np.asarray(function(source.astype(np.float64))).astype(kind)

    return whole


OPS = {
    "absf": absf,
    "addf": _arithmetic(np.add, operator.add, lambda a, b: [a, b]),
    "ceil": _whole(np.ceil),
    "cmpf": cmpf,
    "divf": _arithmetic(np.divide, operator.truediv, lambda a, b: [_sign(a, b)]),
    "floor": _whole(np.floor),
    "fma": flushing(_fma),
    "maxf": _extremum(operator.gt, operator.and_),
    "minf": _extremum(operator.lt, operator.or_),
    "mulf": _arithmetic(np.multiply, operator.mul, lambda a, b: [_sign(a, b)]),
    "negf": negf,
    "remf": _remainder,
    "sqrt": flushing(_sqrt),
    "subf": _arithmetic(np.subtract, operator.sub, lambda a, b: [a, -b]),
}
