"""Powers: 2^(y log2 x), with the logarithm and the product as double words.

The exponent can be as large as a thousand, and its absolute error is the relative error of the
result, so a logarithm of one word would lose ten bits.
"""

from __future__ import annotations

import math

from . import accelerated
from .binary import DOUBLE, SINGLE
from .double_word import DoubleWord, constant, ordered_sum, product, split
from .exponential import EXP2, EXP2_BOUNDS, LN2, scaled, whole_and_rest
from .logarithm import octaves
from .polynomial import Coefficients, horner
from .terms import Expr, clamp, flip_sign, fma, magnitude, sign_bit

# (atanh(s) - s - s^3/3) / s^5 in s^2, where (1 + s) / (1 - s) is between sqrt(1/2) and sqrt(2);
# relative error of atanh(s): 2^-36.7, 2^-73.2
ATANH: Coefficients = {
    SINGLE: (0.20000078, 0.1427342, 0.117123656),
    DOUBLE: (
        0.19999999999999987, 0.14285714285723336, 0.11111111108609976, 0.09090909451816068,
        0.07692277440134708, 0.06668192785144574, 0.05836785947874743, 0.05999232301804624,
    ),
}  # fmt: skip

_THIRD = "0.333333333333333333333333333333333333333333333333333333333333333"
_TWO_LOG2_E = "2.885390081777926814719849362003784274853291908305970870268898814"


def fpowf(x: Expr, y: Expr) -> Expr:
    """x^y, as pow in C."""
    whole = y.call("llvm.rint").equals(y)
    half = y * 0.5
    odd = whole & half.call("llvm.rint").differs(half)
    result = _power(x, (y, y.like(0.0)), odd)
    negative = (x < 0.0) & (x > -math.inf)
    result = (negative & (whole ^ 1)).choose(result.like(math.nan), result)
    # log2(1) * y is NaN for infinite y, but |x| = 1 gives 1.
    endless = x.equals(-1.0) & magnitude(y).equals(math.inf)
    return (x.equals(1.0) | y.equals(0.0) | endless).choose(x.like(1.0), result)


def fpowi(x: Expr, n: Expr) -> Expr:
    """x^n for a signed integer n; an i1 that is set is -1, as in NVIDIA's compiler."""
    wide = n.to_float(x.type)
    rest = x.like(0.0)
    if n.type.width > x.format.fraction:
        # The rounding error of a large integer in f32 is a second word.
        low = n & 0xFFF
        high = (n - low).to_float(x.type)
        wide, rest = ordered_sum(high, low.to_float(x.type))
    odd = (n & 1).differs(0)
    return n.equals(0).choose(x.like(1.0), _power(x, (wide, rest), odd))


def _power(x: Expr, y: DoubleWord, odd: Expr) -> Expr:
    """|x|^y, negative if x is negative and y odd; y must not be zero."""
    form = x.format
    power, rest = product(y, _log2(magnitude(x)))
    low, high = EXP2_BOUNDS[form]
    rest = ((power > low) & (power < high)).choose(rest, 0.0)
    total, fraction = whole_and_rest(clamp(power, low, high))
    head = fraction * horner(fraction, EXP2)
    # 2^rest is about 1 + rest ln(2).
    tail = rest * split(LN2, form)[0]
    mantissa = (head + fma(tail, head, tail)) + 1.0
    sign = odd.choose(sign_bit(x), 0)
    return flip_sign(scaled(mantissa, total), sign)


def _log2(x: Expr) -> DoubleWord:
    """log2 of a non-negative number; log(1 + f) is 2 atanh(s) with s = f / (2 + f)."""
    k, f = octaves(x)
    under = ordered_sum(x.like(2.0), f)
    inverse = accelerated.inverse(under[0])
    first = f * inverse
    s = first, (fma(-first, under[0], f) - first * under[1]) * inverse
    square = product(s, s)
    # atanh(s) = s + s * (s^2 * (1/3 + s^2 * P(s^2))), where the last product is so small that it
    # needs one word only.
    third = constant(_THIRD, x)
    inner = ordered_sum(third[0], square[0] * horner(square[0], ATANH))
    more = product(s, product(square, (inner[0], inner[1] + third[1])))
    atanh = ordered_sum(s[0], more[0])
    atanh = atanh[0], atanh[1] + (more[1] + s[1])
    scaled_up = product(atanh, constant(_TWO_LOG2_E, x))
    total = ordered_sum(k, scaled_up[0])
    head, rest = ordered_sum(total[0], total[1] + scaled_up[1])
    special = x.equals(0.0).choose(x.like(-math.inf), x)
    usual = (x > 0.0) & (x < math.inf)
    return usual.choose(head, special), usual.choose(rest, 0.0)
