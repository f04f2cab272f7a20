"""Hyperbolic functions: a polynomial near zero, exponentials elsewhere."""

from __future__ import annotations

from . import accelerated
from .binary import DOUBLE, SINGLE
from .exponential import LOG2_E, exp, exp_quarter
from .polynomial import Coefficients, horner
from .terms import Expr, flip_sign, fma, magnitude, sign_bit

# (sinh(x) - x) / x^3 in x^2, on |x| <= 1; relative error of sinh: 2^-31.4, 2^-61.5
SINH: Coefficients = {
    SINGLE: (0.16666667, 0.008333315, 0.00019841666, 2.789984e-06),
    DOUBLE: (
        0.16666666666666669, 0.00833333333333297, 0.00019841269841531245, 2.7557319130352524e-06,
        2.5052126861989364e-08, 1.6056999965204122e-10, 7.765916630596675e-13,
    ),
}  # fmt: skip

# (tanh(x) - x) / x^3 in x^2, on |x| <= 1.2 and 0.55; relative error of tanh: 2^-27.1, 2^-60.5
TANH: Coefficients = {
    SINGLE: (
        -0.33333287, 0.13332295, -0.053887244, 0.02155516, -0.008163126, 0.0026278435,
        -0.0005951937, 6.662799e-05,
    ),
    DOUBLE: (
        -0.333333333333333, 0.13333333333326552, -0.053968253963713436, 0.021869488384393978,
        -0.008863232576470165, 0.003592091772255262, -0.0014555411609727226,
        0.0005884375015806997, -0.00023336371967479084, 8.329081775125549e-05,
        -1.9478854475690415e-05,
    ),
}  # fmt: skip


_TANH_FAR = {SINGLE: 1.2, DOUBLE: 0.55}
"""From here on exponentials are used; for f32 only where their error on a GPU matters little."""


def _near_zero(absolute: Expr, coefficients: Coefficients) -> Expr:
    square = absolute * absolute
    return fma(absolute * square, horner(square, coefficients), absolute)


def sinh(x: Expr) -> Expr:
    """(e^x - e^-x) / 2."""
    absolute = magnitude(x)
    quarter = exp_quarter(absolute)
    far = fma(accelerated.inverse(quarter), -0.125, quarter + quarter)
    return flip_sign((absolute < 1.0).choose(_near_zero(absolute, SINH), far), sign_bit(x))


def cosh(x: Expr) -> Expr:
    """(e^x + e^-x) / 2."""
    quarter = exp_quarter(magnitude(x))
    return fma(accelerated.inverse(quarter), 0.125, quarter + quarter)


def tanh(x: Expr) -> Expr:
    """sinh / cosh."""
    absolute = magnitude(x)
    if accelerated.has_approximations(x):
        power = accelerated.exp_approx(absolute + absolute, LOG2_E)
    else:
        power = exp(absolute + absolute)
    far = fma(accelerated.inverse(power + 1.0), -2.0, 1.0)
    near = absolute < _TANH_FAR[x.format]
    return flip_sign(near.choose(_near_zero(absolute, TANH), far), sign_bit(x))
