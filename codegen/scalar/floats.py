"""Signs, comparisons and extremes of f16, bf16, f32 and f64."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op
from tileir.types import Scalar

from .bits import SINGLE, bits_of, intrinsic, like
from .constants import constant, padding_bits
from .conversions.halves import in_single
from .flush import flushable
from .machine import machine_of
from .native_halves import native
from .types import llvm_type

_SINGLE = Scalar("f32")


def negf(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Flip the sign bit, also of NaN."""
    bits = bits_of(builder, source)
    sign = ir.Constant(bits.type, 1 << (bits.type.width - 1))
    return like(builder, builder.xor(bits, sign), source)


def absf(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Clear the sign bit, also of NaN."""
    bits = bits_of(builder, source)
    rest = ir.Constant(bits.type, (1 << (bits.type.width - 1)) - 1)
    return like(builder, builder.and_(bits, rest), source)


_RELATIONS = {
    "equal": "==",
    "not_equal": "!=",
    "less_than": "<",
    "less_than_or_equal": "<=",
    "greater_than": ">",
    "greater_than_or_equal": ">=",
}


def cmpf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """An unordered comparison is true when an operand is a NaN, an ordered one false."""
    ordered = op.attributes["comparison_ordering"] == "ordered"
    compare = builder.fcmp_ordered if ordered else builder.fcmp_unordered
    return compare(_RELATIONS[op.attributes["comparison_predicate"]], lhs, rhs)


def maxf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """+0 is greater than -0; at +-0 the sign bits are combined."""
    name = _by_machine(builder, op, lhs, "max")
    if name:
        return intrinsic(builder, name, lhs, rhs)
    return _extremum(builder, op, ">", builder.and_, lhs, rhs)


def minf(builder: Builder, op: Op, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    name = _by_machine(builder, op, lhs, "min")
    if name:
        return intrinsic(builder, name, lhs, rhs)
    return _extremum(builder, op, "<", builder.or_, lhs, rhs)


def _by_machine(builder: Builder, op: Op, value: ir.Value, which: str) -> str | None:
    """Call LLVM's intrinsic if the machine has an instruction for the op, else return None."""
    machine = machine_of(builder)
    if not op.attributes.get("propagate_nan"):
        return f"llvm.{which}imumnum" if machine.ptx else None
    return f"llvm.{which}imum" if machine.nan_extremes and value.type == SINGLE else None


def _extremum(
    builder: Builder,
    op: Op,
    relation: str,
    combine: Callable[..., ir.Value],
    lhs: ir.Value,
    rhs: ir.Value,
) -> ir.Value:
    """Emit an extremum by comparisons, as not every back end has the intrinsics for both NaN modes.

    Equal operands have equal bits, except zeros of different signs: of these, `combine` of the bits
    is the result.
    """
    equal = builder.fcmp_ordered("==", lhs, rhs)
    both = like(builder, combine(bits_of(builder, lhs), bits_of(builder, rhs)), lhs)
    better = builder.select(builder.fcmp_ordered(relation, lhs, rhs), lhs, rhs)
    number = builder.select(equal, both, better)
    element = _SINGLE if lhs.type == llvm_type(_SINGLE) else op.result.type.element
    nan = constant(element, padding_bits(element, "nan"))
    if op.attributes.get("propagate_nan"):
        return builder.select(builder.fcmp_unordered("uno", lhs, rhs), nan, number)
    # If lhs alone is missing, nothing compares as true, and the number is rhs.
    only_lhs = builder.select(builder.fcmp_unordered("uno", lhs, lhs), nan, lhs)
    return builder.select(builder.fcmp_unordered("uno", rhs, rhs), only_lhs, number)


OPS = {
    "absf": absf,
    "cmpf": in_single(cmpf),
    "maxf": native(flushable(in_single(maxf))),
    "minf": native(flushable(in_single(minf))),
    "negf": negf,
}
