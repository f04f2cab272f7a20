"""Conversions between element types, pointer arithmetic, and choosing between two values."""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op
from tileir.types import Element

from .halves import HALVES, from_integer, narrow, narrow_double, widen
from .types import ADDRESS, is_packed, llvm_type, memory_bytes

Builder = ir.IRBuilder

_FLOATS = (*HALVES, "f32", "f64")


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
    """LLVM rounds to nearest even. A signed i1 that is set is minus one."""
    element = op.result.type.element
    if element.name in HALVES:
        return from_integer(builder, source, _signed(op), element)
    convert = builder.sitofp if _signed(op) else builder.uitofp
    return convert(source, _target(op))


def ftoi(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """Truncates; what does not fit becomes the nearest integer that does, and NaN becomes 0.

    Tile IR asks for that only of a saturating conversion. Without it LLVM's result would be poison.
    """
    source = _single(builder, source, op.operands["from"].type.element)
    sign = "s" if _signed(op) else "u"
    target = _target(op)
    name = f"llvm.fpto{sign}i.sat"
    function = builder.module.declare_intrinsic(
        name, (target, source.type), ir.FunctionType(target, [source.type])
    )
    return builder.call(function, [source])


def ftof(builder: Builder, op: Op, source: ir.Value) -> ir.Value:
    """To nearest even where digits are lost."""
    element, target = op.result.type.element, _target(op)
    source = _single(builder, source, op.operands["from"].type.element)
    is_double = isinstance(source.type, ir.DoubleType)
    if element.name in HALVES:
        return (narrow_double if is_double else narrow)(builder, source, element)
    if target == source.type:
        return source
    return builder.fptrunc(source, target) if is_double else builder.fpext(source, target)


def _single(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """A half as f32; other floats as they are."""
    return widen(builder, value, element) if element.name in HALVES else value


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


def _to_float(op: Op) -> str | None:
    element = op.result.type.element
    return None if element.name in _FLOATS else f"conversion to {element} is not lowered yet"


def _from_float(op: Op) -> str | None:
    element = op.operands["from"].type.element
    return None if element.name in _FLOATS else f"conversion from {element} is not lowered yet"


def _between_floats(op: Op) -> str | None:
    source, target = op.operands["from"].type.element, op.result.type.element
    if source.name not in _FLOATS or target.name not in _FLOATS:
        return f"conversion from {source} to {target} is not lowered yet"
    widens = target.bits > source.bits
    rounding = op.attributes["rounding_mode"]
    if rounding != "nearest_even" and not widens:
        return f"rounding mode {rounding} is not lowered yet"
    return None


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
REASONS = {
    "itof": _to_float,
    "ftoi": _from_float,
    "ftof": _between_floats,
}
