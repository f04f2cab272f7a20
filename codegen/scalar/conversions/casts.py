"""Emitters of conversions between element types, pointer arithmetic and select."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.bits import DOUBLE
from tileir.codegen.scalar.types import ADDRESS, is_packed, llvm_type, memory_bytes
from tileir.ir import Op

from .from_integers import from_integer
from .narrowing import narrow
from .widening import widen


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
    """Truncate and saturate: the nearest integer of the type, 0 for NaN.

    Tile IR requires that only of a saturating conversion; LLVM's result would otherwise be poison.
    To i1, NVIDIA's compiler tests for zero, saturating or not, and cuTile programs rely on it: 0.5
    becomes true.
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
    """Convert a float, rounded once; the rounding mode matters only to narrower types."""
    wide = _wide(builder, op, source)
    return narrow(builder, wide, op.result.type.element, op.attributes["rounding_mode"])


def _wide(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Return an f64 unchanged; convert any other float to f32."""
    if source.type == DOUBLE:
        return source
    return widen(builder, source, op.operands["from"].type.element)


def bitcast(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    target = _target(op)
    return source if target == source.type else builder.bitcast(source, target)


def same(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Return the operand: pointers are addresses."""
    return source


def offset(builder: Builder, op: Op, ptr: ir.Value, amount: ir.Value) -> ir.Value:
    """Return the address of the element `amount`, signed, elements after `ptr`.

    Half a byte is rounded towards `ptr`, as NVIDIA's compiler does.
    """
    if amount.type.width < ADDRESS.width:
        amount = builder.sext(amount, ADDRESS)
    pointee = op.result.type.pointee
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
