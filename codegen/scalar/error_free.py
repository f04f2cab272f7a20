"""Error-free transforms: sums and products with their rounding errors, which are floats.

They hold in round-to-nearest arithmetic without contraction, which LLVM guarantees.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from .bits import intrinsic
from .machine import machine_of

Pair = tuple[ir.Value, ir.Value]

_SPLITTER = float(2**27 + 1)
"""Factor of Veltkamp's split, which leaves 26 of the 53 bits of an f64."""


def two_sum(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> Pair:
    """Return the nearest sum and its error (Knuth), if nothing overflows."""
    total = builder.fadd(lhs, rhs)
    part = builder.fsub(total, lhs)
    lost = builder.fsub(lhs, builder.fsub(total, part))
    return total, builder.fadd(lost, builder.fsub(rhs, part))


def sum_with_error(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> Pair:
    """Return sum and error of any operands (Dekker's, with the larger one first).

    If the sum overflows, the error is infinite with the sign of the exact error; if an operand is
    not finite, it is NaN.
    """
    swapped = builder.fcmp_ordered(
        "<", intrinsic(builder, "llvm.fabs", lhs), intrinsic(builder, "llvm.fabs", rhs)
    )
    large = builder.select(swapped, rhs, lhs)
    small = builder.select(swapped, lhs, rhs)
    total = builder.fadd(large, small)
    return total, builder.fsub(small, builder.fsub(total, large))


def two_product(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> Pair:
    """Return the nearest product of two f64 and its error. Their exponents must be moderate."""
    product = builder.fmul(lhs, rhs)
    if machine_of(builder).fused:
        return product, intrinsic(builder, "llvm.fma", lhs, rhs, builder.fneg(product))
    (a, b), (c, d) = _split(builder, lhs), _split(builder, rhs)
    error = builder.fsub(builder.fmul(a, c), product)
    error = builder.fadd(error, builder.fmul(a, d))
    error = builder.fadd(error, builder.fmul(b, c))
    return product, builder.fadd(error, builder.fmul(b, d))


def _split(builder: Builder, value: ir.Value) -> Pair:
    """Split an f64 into two halves whose products are exact."""
    large = builder.fmul(value, ir.Constant(value.type, _SPLITTER))
    high = builder.fsub(large, builder.fsub(large, value))
    return high, builder.fsub(value, high)
