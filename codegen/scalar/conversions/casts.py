"""Conversions between element types, pointer arithmetic, and choosing between two values."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.bits import DOUBLE
from tileir.codegen.scalar.types import ADDRESS, is_packed, llvm_type, memory_bytes
from tileir.ir import Op

from .from_integers import from_integer
from .narrowing import narrow
from .widening import widen

Builder = ir.IRBuilder


def _signed(op: Op) -> bool:
    return op.attributes["signedness"] == "signed"


def _target(op: Op) -> ir.Type:
    return llvm_type(op.result.type.element)


def exti(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    extend = builder.sext if _signed(op) else builder.zext
    return extend(source, _target(op))


def trunci(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    return builder.trunc(source, _target(op))


def itof(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    return from_integer(builder, source, _signed(op), op.result.type.element)


def ftoi(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Truncates; what does not fit becomes the nearest integer that does, and NaN becomes 0.

    Tile IR asks for that only of a saturating conversion. Without it LLVM's result would be poison.
    Of an i1 NVIDIA's compiler makes a test for zero, saturating or not, and cuTile's programs rely
    on it: 0.5 is true.
    """
    source = _wide(builder, op, source)
    if op.result.type.element.bits == 1:
        return builder.fcmp_unordered("!=", source, ir.Constant(source.type, 0.0))
    sign = "s" if _signed(op) else "u"
    target = _target(op)
    if target.width == 1:
        # A signed i1 is 0 or -1. LLVM's back end for PTX gets this conversion wrong.
        relation, bound = ("<=", -1.0) if _signed(op) else (">=", 1.0)
        return builder.fcmp_ordered(relation, source, ir.Constant(source.type, bound))
    name = f"llvm.fpto{sign}i.sat"
    function = builder.module.declare_intrinsic(
        name, (target, source.type), ir.FunctionType(target, [source.type])
    )
    return builder.call(function, [source])


def ftof(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Exact, or rounded once. Modes matter where digits are lost, not where the type is wider."""
    wide = _wide(builder, op, source)
    return narrow(builder, wide, op.result.type.element, op.attributes["rounding_mode"])


def _wide(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """An f64 as it is, any other float as f32."""
    if source.type == DOUBLE:
        return source
    return widen(builder, source, op.operands["from"].type.element)


def bitcast(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    target = _target(op)
    return source if target == source.type else builder.bitcast(source, target)


def same(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Pointers are addresses already."""
    return source


def offset(builder: Builder, op: Op, ptr: ir.Value, amount: ir.Value) -> ir.Value:
    """The address `amount` elements on; the amount is signed.

    Half a byte is dropped, towards the element at `ptr`, as NVIDIA's compiler does it.
    """
    if amount.type.width < ADDRESS.width:
        amount = builder.sext(amount, ADDRESS)
    pointee = op.result.type.element.pointee
    if is_packed(pointee):
        amount = builder.sdiv(amount, ir.Constant(ADDRESS, 2))
    return builder.add(ptr, builder.mul(amount, ir.Constant(ADDRESS, memory_bytes(pointee))))


def select(builder: Builder, op: Op, cond: ir.Value, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return builder.select(cond, lhs, rhs)


OPS = {
    "exti": exti,
    "trunci": trunci,
    "itof": itof,
    "ftoi": ftoi,
    "ftof": ftof,
    "bitcast": bitcast,
    "int_to_ptr": same,
    "ptr_to_int": same,
    "ptr_to_ptr": same,
    "offset": offset,
    "select": select,
}
