"""Double-word arithmetic: a number is the unevaluated sum of two floats, the second an error term.

The error of a sum is a float, and so is that of a product (Dekker, Knuth); a fused
multiply-add computes the latter.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from .binary import BinaryFormat
from .terms import Expr, fma

DoubleWord = tuple[Expr, Expr]
"""The float nearest to the number, and an approximation of the rest."""


@cache
def split(number: str, form: BinaryFormat, bits: int | None = None) -> tuple[float, float]:
    """Split a decimal into two floats of a format, the first rounded to `bits` if given."""
    exact = Fraction(number)
    head = Fraction(form.nearest(exact))
    if bits is not None:
        unit = Fraction(2) ** (head.numerator.bit_length() - head.denominator.bit_length() - bits)
        head = round(exact / unit) * unit
    return float(head), form.nearest(exact - head)


def ordered_sum(large: Expr, small: Expr) -> DoubleWord:
    """Return the exact sum of two floats, if |large| >= |small| or large is zero."""
    total = large + small
    return total, small - (total - large)


def product(lhs: DoubleWord, rhs: DoubleWord) -> DoubleWord:
    """Return the product, with an error of a few ulp of its second word."""
    head = lhs[0] * rhs[0]
    rest = fma(lhs[0], rhs[1], lhs[1] * rhs[0])
    return head, fma(lhs[0], rhs[0], -head) + rest


def constant(number: str, like: Expr) -> DoubleWord:
    """Return a decimal as two words of an expression's format."""
    head, rest = split(number, like.format)
    return like.like(head), like.like(rest)
