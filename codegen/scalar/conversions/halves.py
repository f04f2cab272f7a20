"""Ops on f16 and bf16, computed in f32 and f64 with the same bits as a direct computation.

Sums, differences, products and quotients computed in f32 and rounded again equal those rounded
once, as 24 bits are at least twice 11 plus 2 (also where the result is subnormal). Rounding twice
in one direction is rounding once in any case.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.bits import DOUBLE
from tileir.codegen.scalar.rounding import odd_sum
from tileir.ir import Op
from tileir.types import Element

from .narrowing import narrow
from .widening import widen

HALVES = ("f16", "bf16")


def in_single(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """Wrap an emitter on f32 for halves: widen the operands, round the result."""

    def single(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        element = next(iter(op.operands.values())).type.element
        if element.name not in HALVES:
            return emit(builder, op, *arguments)
        wide = [widen(builder, argument, element) for argument in arguments]
        result = emit(builder, op, *wide)
        if result.type != wide[0].type:
            return result
        mode = op.attributes.get("rounding_mode", "nearest_even")
        return narrow(builder, result, element, mode)

    return single


def fused(
    builder: Builder, lhs: ir.Value, rhs: ir.Value, acc: ir.Value, element: Element
) -> ir.Value:
    """lhs * rhs + acc of f16, bf16 or f32, rounded once to nearest.

    The product is exact in f64, or for f16 in f32; the sum is rounded to odd first.
    """
    lhs, rhs, acc = (widen(builder, value, element) for value in (lhs, rhs, acc))
    if element.name != "f16":
        lhs, rhs, acc = (builder.fpext(value, DOUBLE) for value in (lhs, rhs, acc))
    return narrow(builder, odd_sum(builder, builder.fmul(lhs, rhs), acc), element)
