"""Polynomials: coefficients for both formats, and their evaluation.

Coefficients were fitted by least squares on Chebyshev nodes, weighted to bound the relative error
of the function that is wanted in the end; each was rounded before the next ones were fitted. That
error is what a table's comment gives, for f32 and f64.
"""

from __future__ import annotations

from .binary import BinaryFormat
from .terms import Expr, fma

Coefficients = dict[BinaryFormat, tuple[float, ...]]
"""From the lowest power up."""


def horner(variable: Expr, coefficients: Coefficients) -> Expr:
    """The polynomial, one fused multiply-add per coefficient."""
    *rest, highest = coefficients[variable.format]
    total = variable.like(highest)
    for coefficient in reversed(rest):
        total = fma(total, variable, coefficient)
    return total
