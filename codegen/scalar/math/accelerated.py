"""Formulas in f32 for machines with PTX's instructions for 2^x (within 2 ulp) and 1/x (within 1).

For e^x the former takes the fraction of the exponent; the whole part is applied by a
multiplication, which is exact unless the result is subnormal, and then rounds once.
"""

from __future__ import annotations

from .. import ptx
from ..bits import SINGLE as SINGLE_TYPE
from ..bits import intrinsic
from ..machine import machine_of
from .binary import SINGLE
from .double_word import split
from .terms import Term, fma

_BOUNDS = (-86.0, 88.0)
"""What the exponent is made of; with it, powers of two beside it are normal numbers.

The fraction is taken of the argument itself: beyond the bounds it is larger than one half.
"""


def has_approximations(x: Term) -> bool:
    """Whether PTX's approximations can be used on a term."""
    return x.format is SINGLE and machine_of(x.builder).ptx


def exp_by_exp2(x: Term, more: int, log2_e: str, magic: float) -> Term:
    """e^x times two to the power `more` (0 or -1)."""
    high, low = split(log2_e, SINGLE)
    bounded = x
    for name, bound in zip(("llvm.maxnum", "llvm.minnum"), _BOUNDS, strict=True):
        value = intrinsic(x.builder, name, bounded.value, x.like(bound).value)
        bounded = Term(x.builder, value)
    total = fma(bounded, high, magic)
    octaves = total - magic
    # The low part of log2(e) is positive: infinite arguments stay what they are.
    fraction = fma(x, low, fma(x, high, -octaves))
    exponent = total.bits() + more if more else total.bits()
    return exp2(fraction, True) * (exponent << SINGLE.fraction).as_float(SINGLE_TYPE)


def exp2(x: Term, flushed: bool = False) -> Term:
    """2^x; if `flushed`, subnormal results are zero."""
    return Term(x.builder, ptx.exp2(x.builder, x.value, flushed))


def inverse(x: Term) -> Term:
    """1/x within 1 ulp, of which nothing is wanted where it, or x, is subnormal."""
    if not has_approximations(x):
        return 1.0 / x
    return Term(x.builder, ptx.reciprocal(x.builder, x.value))


def exp_roughly(x: Term, log2_e: str) -> Term:
    """e^x within |x| + 2 ulp, for what loses those digits anyway."""
    return exp2(x * split(log2_e, SINGLE)[0], True)
