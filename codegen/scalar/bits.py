"""An element as the integer of its bits, and back."""

from __future__ import annotations

from llvmlite import ir

from tileir.types import Element

from .types import llvm_type

_WIDTHS = {ir.HalfType(): 16, ir.FloatType(): 32, ir.DoubleType(): 64}


def to_bits(builder: ir.IRBuilder, value: ir.Value, element: Element) -> ir.Value:
    """The integer of a value's bits; that of tf32 has 32."""
    if isinstance(value.type, ir.IntType):
        return value
    return builder.bitcast(value, ir.IntType(_WIDTHS[value.type]))


def from_bits(builder: ir.IRBuilder, bits: ir.Value, element: Element) -> ir.Value:
    """The value with these bits."""
    kind = llvm_type(element)
    return bits if bits.type == kind else builder.bitcast(bits, kind)
