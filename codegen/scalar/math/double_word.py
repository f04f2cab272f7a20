"""Twice the precision: a number as the unevaluated sum of two floats, the second an error term.

The error of a sum is a float, and so is that of a product (Dekker, Knuth); fused multiply-adds find
the latter in one instruction.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from .binary import BinaryFormat
from .terms import Expr, fma

DoubleWord = tuple[Expr, Expr]
"""The float nearest to the number, and about what is missing."""


@cache
def split(number: str, form: BinaryFormat, bits: int | None = None) -> tuple[float, float]:
    """A decimal as two constants of a format, the first cut to so many bits if given."""
    exact = Fraction(number)
    head = Fraction(form.nearest(exact))
    if bits is not None:
        unit = Fraction(2) ** (head.numerator.bit_length() - head.denominator.bit_length() - bits)
        head = round(exact / unit) * unit
    return float(head), form.nearest(exact - head)


def ordered_sum(large: Expr, small: Expr) -> DoubleWord:
    """The exact sum of two floats; the first is not smaller than the second, or zero."""
    total = large + small
    return total, small - (total - large)


def product(lhs: DoubleWord, rhs: DoubleWord) -> DoubleWord:
    """The product, off by a few units in the last place of its second word."""
    head = lhs[0] * rhs[0]
    rest = fma(lhs[0], rhs[1], lhs[1] * rhs[0])
    return head, fma(lhs[0], rhs[0], -head) + rest


def constant(number: str, like: Expr) -> DoubleWord:
    """A decimal in twice the precision of an expression."""
    head, rest = split(number, like.format)
    return like.like(head), like.like(rest)
