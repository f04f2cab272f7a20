"""Elements of the operands lhs and rhs of matrix products: widened and scaled, or of words."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op, Value
from tileir.types import Element

from .dot_products import FLIPPED_ZERO
from .microkernel import Product

_SINGLE, _DOUBLE, _BYTE = ir.FloatType(), ir.DoubleType(), ir.IntType(8)

_ALONG = {"lhs": -1, "rhs": -2}
"""Operand -> its dimension K, which the product sums over."""


def operand_element(lowering: Lowering, op: Op, slot: str, indices: list[ir.Value]) -> ir.Value:
    """Emit an element of operand "lhs" or "rhs": f64 if it is f64 or scaled, else f32.

    8-bit integers are exact in f32, and scaled numbers in f64.
    """
    builder, value = lowering.builder, op.operands[slot]
    number = _element(lowering, value, indices)
    if op.name == "mmai":
        signed = op.attributes[f"signedness_{slot}"] == "signed"
        return (builder.sitofp if signed else builder.uitofp)(number, _SINGLE)
    number = widened(builder, number, value.type.element)
    if op.name == "mmaf":
        return number
    scales, along = op.operands[f"{slot}_scale"], _ALONG[slot]
    sharing = value.type.shape[along] // scales.type.shape[along]
    indices = list(indices)
    indices[along] = builder.lshr(indices[along], ir.Constant(INDEX, sharing.bit_length() - 1))
    scale = widened(builder, _element(lowering, scales, indices), scales.type.element)
    return builder.fmul(builder.fpext(number, _DOUBLE), builder.fpext(scale, _DOUBLE))


def narrow_element(
    lowering: Lowering, op: Op, slot: str, indices: list[ir.Value], product: Product
) -> ir.Value:
    """Emit an element of operand "lhs" or "rhs" as its bits in a word of the product.

    8-bit floats become bf16, exactly.
    """
    builder, value = lowering.builder, op.operands[slot]
    number = _element(lowering, value, indices)
    if product.operand == "i8x4":
        flip = slot == "lhs" and product.is_flipped
        return builder.xor(number, ir.Constant(_BYTE, FLIPPED_ZERO)) if flip else number
    if value.type.element.name == "bf16":
        return number
    wide = builder.bitcast(widened(builder, number, value.type.element), ir.IntType(32))
    return builder.trunc(builder.lshr(wide, ir.Constant(wide.type, 16)), ir.IntType(16))


def _element(lowering: Lowering, value: Value, indices: list[ir.Value]) -> ir.Value:
    position = Position(lowering.builder, value.type.shape, indices)
    return Evaluator(lowering, position).element(value)


def widened(builder: ir.IRBuilder, value: ir.Value, element: Element) -> ir.Value:
    """Return an f64 unchanged; convert any other float to f32, exactly."""
    return value if element.name == "f64" else widen(builder, value, element)
