"""Formulas in f32 for machines with PTX's instructions for 2^x and 1/x.

PTX promises results within 2 units in the last place of the nearest f32, and within 1. So e^x is
within 3.1 units of the exact result, while what needs it to be better has a polynomial.
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
"""How many powers of two are normal numbers, less one."""


def exp(x: Expr, log2_e: str) -> Expr:
    """e^x.

    The instruction takes the fraction of the exponent. The whole part, between -126 and 127, is
    applied by a multiplication, which is exact unless the result is subnormal, and then rounds
    once; it is found as a fraction of that range, so that saturation bounds it. The other part is
    taken of x itself: beyond the range it is larger than one half, and NaN stays NaN. For the
    largest results it is up to one, where its own rounding counts twice as much as elsewhere.
    """
    high, low = split(log2_e, SINGLE)
    factor, middle = x.like(high / _STEPS), x.like(126 / _STEPS)
    place = ptx.saturated_fma(x.builder, x.value, factor.value, middle.value)
    magic = float(3 << (SINGLE.fraction - 1))
    total = fma(Expr(x.builder, place), float(_STEPS), magic + 1)
    octaves = total - (magic + SINGLE.bias)
    # The low part of log2(e) is positive: infinite arguments stay what they are.
    fraction = fma(x, low, fma(x, high, -octaves))
    return exp2(fraction, True) * (total.bits() << SINGLE.fraction).as_float(SINGLE_TYPE)


def exp2(x: Expr, flushed: bool = False) -> Expr:
    """2^x."""
    return Expr(x.builder, ptx.exp2(x.builder, x.value, flushed))


def rsqrt(x: Expr, flushed: bool = False) -> Expr:
    """One over the square root."""
    return Expr(x.builder, ptx.rsqrt(x.builder, x.value, flushed))


def inverse(x: Expr) -> Expr:
    """1/x within 1.5 ulp, of which nothing is wanted where it, or x, is subnormal."""
    if not has_approximations(x):
        return 1.0 / x
    return Expr(x.builder, ptx.reciprocal(x.builder, x.value))


def exp_roughly(x: Expr, log2_e: str, flushed: bool = True) -> Expr:
    """e^x within |x| + 3 ulp, for what loses those digits anyway."""
    return exp2(x * split(log2_e, SINGLE)[0], flushed)


def tanh_roughly(x: Expr) -> Expr:
    """The hyperbolic tangent, with 11 digits."""
    return Expr(x.builder, ptx.tanh(x.builder, x.value))
