"""Functions that are not exact: correctly rounded here, compared within a few units elsewhere.

In f64 mpmath computes with digits to spare; in f32 and the halves NumPy's f64 has enough. Zeros,
infinities and NaN are NumPy's, which follows IEEE 754 there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np

from tileir.ir import Op

from .elements import each, signed
from .floats import flushing
from .rounding import narrowed

DIGITS = 100
"""Binary digits with which mpmath computes."""

FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    "atan2": (np.arctan2, mpmath.atan2),
    "cos": (np.cos, mpmath.cos),
    "cosh": (np.cosh, mpmath.cosh),
    "exp": (np.exp, mpmath.exp),
    "exp2": (np.exp2, lambda x: mpmath.power(2, x)),
    "fpowf": (np.power, mpmath.power),
    "log": (np.log, mpmath.log),
    "log2": (np.log2, lambda x: mpmath.log(x, 2)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x)),
    "sin": (np.sin, mpmath.sin),
    "sinh": (np.sinh, mpmath.sinh),
    "tan": (np.tan, mpmath.tan),
    "tanh": (np.tanh, mpmath.tanh),
}
"""Op -> the function as NumPy has it, and as mpmath does."""


def _function(nearly: Callable, exactly: Callable) -> Callable:
    def precise(*numbers: float) -> float:
        about = float(nearly(*map(np.float64, numbers)))
        plain = all(math.isfinite(number) and number for number in (*numbers, about))
        if not plain:
            return about
        with mpmath.workprec(DIGITS):
            return float(exactly(*map(mpmath.mpf, numbers)))

    def function(op: Op, *operands: np.ndarray) -> np.ndarray:
        element = op.result.type.element
        wide = [operand.astype(np.float64) for operand in operands]
        if element.name == "f64":
            return each(precise, element, *wide)
        return narrowed(np.asarray(nearly(*wide)), element)

    return flushing(function)


OPS = {name: _function(*pair) for name, pair in FUNCTIONS.items()}


def _integer_power(op: Op, source: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    whole = signed(exponent, op.operands["exponent"].type.element)
    return OPS["fpowf"](op, source, np.asarray(whole, np.float64))


OPS["fpowi"] = _integer_power
