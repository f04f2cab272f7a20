"""Logarithms: the exponent, and a polynomial on the octave around 1."""

from __future__ import annotations

import math

from llvmlite import ir

from .binary import DOUBLE, SINGLE
from .double_word import constant, ordered_sum, split
from .exponential import LN2, LOG2_E
from .polynomial import Coefficients, horner
from .terms import Expr, fma

# (log(1 + f) - f) / f^2 on sqrt(1/2) <= 1 + f <= sqrt(2); relative error of the logarithm:
# 2^-27.7, 2^-56.5
LOG: Coefficients = {
    SINGLE: (
        -0.49999988, 0.33333337, -0.25001603, 0.20001242, -0.1660809, 0.14195222, -0.1326421,
        0.12828985, -0.074797384,
    ),
    DOUBLE: (
        -0.5000000000000004, 0.3333333333333295, -0.2499999999997338, 0.20000000000112775,
        -0.16666666671489813, 0.14285714276372252, -0.12499999597184693, 0.11111111284223592,
        -0.10000018268912583, 0.09090921596722391, -0.08332852801545886, 0.0769153964146277,
        -0.07150184792689598, 0.06684851400182848, -0.061911959227445294, 0.05664106398426474,
        -0.05699657151038617, 0.06528019550945768, -0.05946141511116186, 0.02566097444190488,
    ),
}  # fmt: skip

_SQRT_HALF = {SINGLE: 0x3F3504F3, DOUBLE: 0x3FE6A09E667F3BCD}


def octaves(x: Expr) -> tuple[Expr, Expr]:
    """Split a positive number into k and f, where x = 2^k (1 + f) and 1 + f is nearest to 1.

    For other numbers the result is meaningless.
    """
    form = x.format
    tiny = x < form.smallest_normal
    lift = form.fraction + 1
    bits = tiny.choose(x * 2.0**lift, x).bits()
    exponent = (bits - _SQRT_HALF[form]).shifted_arithmetic(form.fraction)
    mantissa = (bits - (exponent << form.fraction)).as_float(x.type)
    word = ir.IntType(32)
    whole = exponent if exponent.type == word else exponent.truncated(word)
    lifted = tiny.choose(x.like(-float(lift)), x.like(0.0))
    return whole.to_float(x.type) + lifted, mantissa - 1.0


def _with_special(x: Expr, result: Expr) -> Expr:
    """Return `result` for positive numbers, and the logarithm of all others."""
    # As unsigned integers, the bits of negative numbers and NaN exceed those of infinity.
    finite = x.bits().below(x.like(math.inf).bits())
    result = finite.choose(result, fma(x, math.inf, math.inf))
    return x.equals(0.0).choose(x.like(-math.inf), result)


def log(x: Expr) -> Expr:
    """Return the natural logarithm."""
    k, f = octaves(x)
    high, low = split(LN2, x.format)
    rest = fma(f * f, horner(f, LOG), f)
    if x.format is DOUBLE:  # ln(2) is so near to an f32 that it needs no second word
        rest = fma(k, low, rest)
    return _with_special(x, fma(k, high, rest))


def log2(x: Expr) -> Expr:
    """Return the logarithm to base 2."""
    k, f = octaves(x)
    high, low = constant(LOG2_E, x)
    large = f * high
    small = fma(f, low, fma(f * f * horner(f, LOG), high, fma(f, high, -large)))
    head, rest = ordered_sum(k, large)
    return _with_special(x, head + (rest + small))
