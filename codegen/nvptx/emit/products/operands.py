"""Convert elements of operands to the type that an atom multiplies (see `mma_atoms`), as bits."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.machine.access import bits_of
from tileir.codegen.scalar.conversions.widening import widen
from tileir.types import Element

_HALF, _SHORT, _WORD = ir.HalfType(), ir.IntType(16), ir.IntType(32)

_NATIVE = {
    "bf16": "bf16",
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
    "f8E4M3FN": "e4m3",
    "f8E5M2": "e5m2",
    "tf32": "tf32",
}
"""Element type -> its name in PTX."""


def is_as_stored(element: Element, operand_type: str) -> bool:
    """Whether an element has the same bits in memory and as an operand of this type."""
    return element.name == "i8" or _NATIVE.get(element.name) == operand_type


def as_operand(
    builder: ir.IRBuilder, value: ir.Value, element: Element, operand_type: str
) -> ir.Value:
    """Return the bits of an element, converted to the type of an operand, which is always exact."""
    if is_as_stored(element, operand_type):
        return bits_of(builder, value, element)
    if operand_type == "f32":
        return builder.bitcast(widen(builder, value, element), _WORD)
    if element.name in _TO_HALF:
        return _TO_HALF[element.name](builder, builder.zext(value, _SHORT))
    return builder.bitcast(builder.fptrunc(widen(builder, value, element), _HALF), _SHORT)


def _half_of_e4m3(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Return an e4m3 as f16: its exponent's bias is 8 less, and the pattern of 480 is NaN."""
    high = builder.ashr(builder.shl(bits, _short(8)), _short(1))
    moved = builder.bitcast(builder.and_(high, _short(0xBF80)), _HALF)
    scaled = builder.bitcast(builder.fmul(moved, ir.Constant(_HALF, 256.0)), _SHORT)
    magnitude = builder.and_(bits, _short(0x7F))
    is_nan = builder.icmp_unsigned("==", magnitude, _short(0x7F))
    return builder.select(is_nan, _short(0x7E00), scaled)


def _half_of_e5m2(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Return an e5m2 as f16, of which it is the upper half."""
    return builder.shl(bits, _short(8))


_TO_HALF = {"f8E4M3FN": _half_of_e4m3, "f8E5M2": _half_of_e5m2}


def _short(number: int) -> ir.Constant:
    return ir.Constant(_SHORT, number)
