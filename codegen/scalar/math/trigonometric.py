"""Sine, cosine and tangent: polynomials between -pi/4 and pi/4, selected by the quadrant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from .binary import DOUBLE, SINGLE
from .double_word import DoubleWord
from .polynomial import Coefficients, horner
from .quadrant import quadrant
from .terms import Expr, flip_sign, fma, sign_bit

# (sin(r) - r) / r^3 in r^2, on |r| <= pi/4; relative error of the sine: 2^-27.8, 2^-57.9
SIN: Coefficients = {
    SINGLE: (-0.16666654, 0.008332121, -0.00019511011),
    DOUBLE: (
        -0.1666666666666663, 0.008333333333321917, -0.00019841269829456835,
        2.7557313581703525e-06, -2.505074224258262e-08, 1.589593980958367e-10,
    ),
}  # fmt: skip

# (cos(r) - 1 + r^2/2) / r^4 in r^2, on |r| <= pi/4; relative error of the cosine: 2^-33.0, 2^-63.8
COS: Coefficients = {
    SINGLE: (0.041666646, -0.0013887311, 2.4432564e-05),
    DOUBLE: (
        0.04166666666666659, -0.0013888888888872344, 2.48015872884652e-05,
        -2.755731407988205e-07, 2.087568859925544e-09, -1.1357954616075664e-11,
    ),
}  # fmt: skip

# (tan(r) - r) / r^3 in r^2, on |r| <= pi/4; relative error of the tangent: 2^-29.5, 2^-56.1
TAN: Coefficients = {
    SINGLE: (
        0.3333335, 0.13332683, 0.05405769, 0.021293493, 0.010807246, 0.00012469785, 0.004359461,
    ),
    DOUBLE: (
        0.33333333333332793, 0.1333333333341199, 0.05396825392802548, 0.02186948957568383,
        0.008863219633684713, 0.0035922848935961513, 0.0014547829258829642,
        0.000594962023278038, 0.00022267562735998008, 0.00013593061481639843,
        -2.5567485581256944e-05, 8.871769984061962e-05, -4.448926285723185e-05,
        2.0772270961411288e-05,
    ),
}  # fmt: skip


def _sine(angle: DoubleWord) -> Expr:
    head, rest = angle
    square = head * head
    return head + fma(head * square, horner(square, SIN), rest)


def _cosine(angle: DoubleWord) -> Expr:
    head, rest = angle
    square = head * head
    inner = fma(square, horner(square, COS), -0.5)
    return fma(square, inner, -(head * rest)) + 1.0


def _tangent(angle: DoubleWord) -> Expr:
    head, rest = angle
    square = head * head
    more = head * square * horner(square, TAN)
    whole = head + more
    # The derivative of the tangent is 1 + tan^2.
    return head + fma(rest * whole, whole, more + rest)


def _finite(emit: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """Wrap a function: NaN if the argument is not finite."""

    @wraps(emit)
    def function(x: Expr) -> Expr:
        return (x - x).equals(0.0).choose(emit(x), math.nan)

    return function


def _sine_at_quadrant(x: Expr, ahead: int) -> Expr:
    """Return the sine of |x| plus `ahead` quarter turns."""
    count, angle = quadrant(x)
    count = count + ahead
    result = (count & 1).differs(0).choose(_cosine(angle), _sine(angle))
    return flip_sign(result, (count & 2) << (x.format.width - 2))


@_finite
def sin(x: Expr) -> Expr:
    """Return the sine of an angle in radians."""
    return flip_sign(_sine_at_quadrant(x, 0), sign_bit(x))


@_finite
def cos(x: Expr) -> Expr:
    """Return the cosine of an angle in radians."""
    return _sine_at_quadrant(x, 1)


@_finite
def tan(x: Expr) -> Expr:
    """Return the tangent of an angle in radians."""
    count, angle = quadrant(x)
    result = _tangent(angle)
    result = (count & 1).differs(0).choose(-1.0 / result, result)
    return flip_sign(result, sign_bit(x))
