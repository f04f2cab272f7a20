"""addf, subf, mulf, divf and fma on f16, bf16, f32 and f64, in every rounding mode.

Rounded to nearest even, LLVM's instructions follow IEEE 754, as long as no fast-math flag is set.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op

from . import directed, ptx
from .bits import DOUBLE, intrinsic, single
from .conversions.halves import HALVES, fused, in_single
from .flush import flushable
from .machine import machine_of
from .native_halves import native
from .rounding import DIRECTED


def _approximate_quotient(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Emulate PTX's div.approx: within 2 ulp, but a divisor above 2^126 counts as infinite.

    PTX specifies the result there, zero or NaN, so the host must not hide the problem.
    """
    magnitude = intrinsic(builder, "llvm.fabs", rhs)
    large = builder.fcmp_ordered(">", magnitude, single((127 + 126) << 23))
    zero = intrinsic(builder, "llvm.copysign", single(0), rhs)
    return builder.select(large, builder.fmul(lhs, zero), builder.fdiv(lhs, rhs))


def addf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fadd(lhs, rhs)


def subf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fsub(lhs, rhs)


def mulf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.fmul(lhs, rhs)


def divf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """PTX's div.full is within 2 ulp, so the nearest quotient is valid for it."""
    if op.attributes["rounding_mode"] == "approx":
        return _approximate_quotient(builder, lhs, rhs)
    return builder.fdiv(lhs, rhs)


def fma(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value, acc: ir.Value) -> ir.Value:
    """Without an instruction, f64 calls the C library and f32 is computed in f64."""
    element = op.result.type.element
    if element.name in HALVES or (lhs.type != DOUBLE and not machine_of(builder).fused):
        return fused(builder, lhs, rhs, acc, element)
    return intrinsic(builder, "llvm.fma", lhs, rhs, acc)


def sqrt(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """The nearest root is a valid result of PTX's sqrt.approx."""
    return intrinsic(builder, "llvm.sqrt", source)


def _rounded(
    nearest: Callable[..., ir.Value], in_direction: Callable[..., ir.Value]
) -> Callable[..., ir.Value]:
    """Add rounding modes and flush_to_zero to an op: by PTX's instructions or by formulas."""

    @in_single
    def by_instruction(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        return ptx.arithmetic(builder, op.name, *_modifiers(op), *arguments)

    @in_single
    def directed_op(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        return in_direction(builder, op.attributes["rounding_mode"], *arguments)

    @flushable
    def by_formula(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        has_direction = op.attributes["rounding_mode"] in DIRECTED
        return (directed_op if has_direction else nearest)(builder, op, *arguments)

    def rounded(builder: Builder, op: Op, *arguments: ir.Value) -> ir.Value:
        plain = _modifiers(op) == ("nearest_even", False)
        machine = machine_of(builder)
        return (by_instruction if machine.ptx and not plain else by_formula)(
            builder, op, *arguments
        )

    return rounded


def _modifiers(op: Op) -> tuple[str, bool]:
    return op.attributes["rounding_mode"], bool(op.attributes.get("flush_to_zero"))


OPS = {
    "addf": native(_rounded(in_single(addf), directed.add)),
    "subf": native(_rounded(in_single(subf), directed.subtract)),
    "mulf": native(_rounded(in_single(mulf), directed.multiply)),
    "divf": _rounded(in_single(divf), directed.divide),
    "fma": native(_rounded(fma, directed.multiply_add)),
    "sqrt": _rounded(in_single(sqrt), directed.square_root),
}
