"""Arithmetic of f16 and bf16 by way of f32 and f64, bit for bit.

Sums, differences, products and quotients computed in f32 and rounded again equal those rounded
once, as 24 bits are at least twice 11 plus 2 (also where the result is subnormal).
"""

from __future__ import annotations

from llvmlite import ir

from tileir.types import Element

from .bits import DOUBLE
from .narrowing import narrow
from .rounding import odd_sum
from .widening import widen

Builder = ir.IRBuilder

HALVES = ("f16", "bf16")


def fused(
    builder: Builder, lhs: ir.Value, rhs: ir.Value, acc: ir.Value, element: Element,
    mode: str = "nearest_even",
) -> ir.Value:  # fmt: skip
    """lhs * rhs + acc of f16, bf16 or f32 operands, rounded once: in f64 the product is exact."""
    lhs, rhs, acc = (
        builder.fpext(widen(builder, value, element), DOUBLE) for value in (lhs, rhs, acc)
    )
    return narrow(builder, odd_sum(builder, builder.fmul(lhs, rhs), acc), element, mode)
