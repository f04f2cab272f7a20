"""Converts integers to floats, rounded to nearest even."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.bits import DOUBLE, SINGLE
from tileir.codegen.scalar.types import llvm_type
from tileir.types import Element

from .narrowing import narrow

_DIGITS = {SINGLE: 24, DOUBLE: 53}


def from_integer(builder: Builder, value: ir.Value, signed: bool, element: Element) -> ir.Value:
    """Return the float nearest to an integer; a signed i1 that is set is -1.

    LLVM converts to f32 and f64. Narrower formats are rounded from an f32 or f64 that is exact or
    rounded to odd. Overflow in f8E4M3FN, f8E5M2 or f4E2M1FN saturates, as in NVIDIA's compiler,
    although Tile IR's documentation says NaN and infinity.
    """
    convert = builder.sitofp if signed else builder.uitofp
    if element.name in ("f32", "f64"):
        return convert(value, llvm_type(element))
    kind = DOUBLE if value.type.width > 32 else SINGLE
    if value.type.width <= _DIGITS[kind]:
        return narrow(builder, convert(value, kind), element)
    return narrow(builder, _odd(builder, value, signed, kind), element)


def _odd(builder: Builder, value: ir.Value, signed: bool, kind: ir.Type) -> ir.Value:
    """Convert an integer to a float, exactly or, if it has too many bits, rounded to odd."""
    integer, digits = value.type, _DIGITS[kind]
    spare = integer.width - digits
    convert = builder.sitofp if signed else builder.uitofp
    shift = builder.ashr if signed else builder.lshr
    low = builder.and_(value, ir.Constant(integer, (1 << spare) - 1))
    lost = builder.zext(builder.icmp_unsigned("!=", low, ir.Constant(integer, 0)), integer)
    short = builder.or_(shift(value, ir.Constant(integer, spare)), lost)
    large = builder.fmul(convert(short, kind), ir.Constant(kind, float(1 << spare)))
    # The lowest signed number of `digits` + 1 bits is exact too: it is a power of two.
    top = shift(value, ir.Constant(integer, digits))
    small = builder.icmp_unsigned("==", top, ir.Constant(integer, 0))
    if signed:
        negative = builder.icmp_signed("==", top, ir.Constant(integer, -1))
        small = builder.or_(small, negative)
    return builder.select(small, convert(value, kind), large)
