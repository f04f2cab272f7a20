"""Functions in f32 by PTX's approximations of 2^x, 1/x, 1/sqrt(x) and tanh.

PTX guarantees 2^x within 2 ulp of the nearest f32, and 1/x within 1. So e^x is within 3.1 ulp of
the exact result; functions that need a better one use a polynomial.
"""

from __future__ import annotations

from tileir.codegen.scalar import ptx
from tileir.codegen.scalar.bits import SINGLE as SINGLE_TYPE
from tileir.codegen.scalar.machine import machine_of

from .binary import SINGLE
from .double_word import split
from .terms import Expr, fma


def has_approximations(x: Expr) -> bool:
    """Whether PTX's approximations can be used on an expression."""
    return x.format is SINGLE and machine_of(x.builder).ptx


_STEPS = 253
"""Number of powers of two that are normal numbers, less one."""


def exp(x: Expr, log2_e: str) -> Expr:
    """e^x.

    The instruction takes the fraction of the exponent. Its integer part, between -126 and 127, is
    applied by a multiplication, which is exact unless the result is subnormal, and then rounds
    once. The integer part is computed as a fraction of that range, so that saturation bounds it.
    The fraction is x log2(e) less that: beyond the range it exceeds one half, and NaN stays NaN.
    For the largest results it is up to one, where its rounding error counts twice.
    """
    high, low = split(log2_e, SINGLE)
    factor, middle = x.like(high / _STEPS), x.like(126 / _STEPS)
    in_range = ptx.saturated_fma(x.builder, x.value, factor.value, middle.value)
    magic = float(3 << (SINGLE.fraction - 1))
    total = fma(Expr(x.builder, in_range), float(_STEPS), magic + 1)
    octaves = total - (magic + SINGLE.bias)
    # The low part of log2(e) is positive, so infinite arguments keep their sign.
    fraction = fma(x, low, fma(x, high, -octaves))
    return exp2(fraction, True) * (total.bits() << SINGLE.fraction).as_float(SINGLE_TYPE)


def exp2(x: Expr, flushed: bool = False) -> Expr:
    """2^x."""
    return Expr(x.builder, ptx.exp2(x.builder, x.value, flushed))


def rsqrt(x: Expr, flushed: bool = False) -> Expr:
    """1/sqrt(x)."""
    return Expr(x.builder, ptx.rsqrt(x.builder, x.value, flushed))


def inverse(x: Expr) -> Expr:
    """1/x within 1.5 ulp; unspecified if it or x is subnormal."""
    if not has_approximations(x):
        return 1.0 / x
    return Expr(x.builder, ptx.reciprocal(x.builder, x.value))


def exp_approx(x: Expr, log2_e: str, flushed: bool = True) -> Expr:
    """e^x within |x| + 3 ulp, for results that need no more."""
    return exp2(x * split(log2_e, SINGLE)[0], flushed)


def tanh_approx(x: Expr) -> Expr:
    """tanh(x) with 11 correct bits."""
    return Expr(x.builder, ptx.tanh(x.builder, x.value))
