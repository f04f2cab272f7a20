"""Polynomials: coefficients for both formats, and their evaluation.

Coefficients were fitted by least squares on Chebyshev nodes, weighted to bound the relative error
of the final function; each was rounded before the next ones were fitted. The comment of a table
states that error for f32 and f64.
"""

from __future__ import annotations

from .binary import BinaryFormat
from .terms import Expr, fma

Coefficients = dict[BinaryFormat, tuple[float, ...]]
"""Coefficients for each format, from the lowest power up."""


def horner(variable: Expr, coefficients: Coefficients) -> Expr:
    """Evaluate a polynomial, with one fused multiply-add per coefficient."""
    *rest, highest = coefficients[variable.format]
    total = variable.like(highest)
    for coefficient in reversed(rest):
        total = fma(total, variable, coefficient)
    return total
