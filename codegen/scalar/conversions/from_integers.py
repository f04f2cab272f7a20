"""Integers as floats, to the nearest, ties to even."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.scalar.bits import DOUBLE, SINGLE
from tileir.codegen.scalar.types import llvm_type
from tileir.types import Element

from .narrowing import narrow

Builder = ir.IRBuilder

_DIGITS = {SINGLE: 24, DOUBLE: 53}


def from_integer(builder: Builder, value: ir.Value, signed: bool, element: Element) -> ir.Value:
    """The nearest float of an integer. A signed i1 that is set is minus one.

    LLVM rounds to f32 and f64. The narrower formats start from an f32 or f64 that is exact, or
    rounded to odd. What is too large for f8E4M3FN, f8E5M2 or f4E2M1FN saturates, as NVIDIA's
    compiler has it, though Tile IR's documentation speaks of NaN and infinity.
    """
    convert = builder.sitofp if signed else builder.uitofp
    if element.name in ("f32", "f64"):
        return convert(value, llvm_type(element))
    kind = DOUBLE if value.type.width > 32 else SINGLE
    if value.type.width <= _DIGITS[kind]:
        return narrow(builder, convert(value, kind), element)
    return narrow(builder, _odd(builder, value, signed, kind), element)


def _odd(builder: Builder, value: ir.Value, signed: bool, kind: ir.Type) -> ir.Value:
    """A large integer without the digits that the float lacks, rounded to odd; others exactly."""
    integer, digits = value.type, _DIGITS[kind]
    spare = integer.width - digits
    convert = builder.sitofp if signed else builder.uitofp
    shift = builder.ashr if signed else builder.lshr
    low = builder.and_(value, ir.Constant(integer, (1 << spare) - 1))
    lost = builder.zext(builder.icmp_unsigned("!=", low, ir.Constant(integer, 0)), integer)
    short = builder.or_(shift(value, ir.Constant(integer, spare)), lost)
    large = builder.fmul(convert(short, kind), ir.Constant(kind, float(1 << spare)))
    # With `digits` bits a signed number is exact too: its lowest is a power of two.
    top = shift(value, ir.Constant(integer, digits))
    small = builder.icmp_unsigned("==", top, ir.Constant(integer, 0))
    if signed:
        negative = builder.icmp_signed("==", top, ir.Constant(integer, -1))
        small = builder.or_(small, negative)
    return builder.select(small, convert(value, kind), large)
