"""Bit patterns of floats as LLVM values: names of types and conversions."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

BYTE, SHORT, WORD, LONG = ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)
HALF, SINGLE, DOUBLE = ir.HalfType(), ir.FloatType(), ir.DoubleType()

_WIDTHS = {HALF: 16, SINGLE: 32, DOUBLE: 64}
_FLOATS = {32: SINGLE, 64: DOUBLE}

SIGN = 0x80000000
"""Sign bit of an f32."""
INFINITY = 0x7F800000
"""Bits of an infinite f32."""


def word(number: int) -> ir.Constant:
    """Return a number modulo 2^32 as an i32."""
    return ir.Constant(WORD, number & 0xFFFFFFFF)


def long(number: int) -> ir.Constant:
    """Return a number modulo 2^64 as an i64."""
    return ir.Constant(LONG, number & 0xFFFFFFFFFFFFFFFF)


def single(bits: int) -> ir.Constant:
    """Return the f32 with these bits."""
    return word(bits).bitcast(SINGLE)


def double(bits: int) -> ir.Constant:
    """Return the f64 with these bits."""
    return long(bits).bitcast(DOUBLE)


def bits_of(builder: Builder, value: ir.Value) -> ir.Value:
    """Return the bits of a float as an integer, and integers unchanged."""
    if isinstance(value.type, ir.IntType):
        return value
    return builder.bitcast(value, ir.IntType(_WIDTHS[value.type]))


def float_of(builder: Builder, bits: ir.Value) -> ir.Value:
    """Return the f32 or f64 with these bits."""
    return builder.bitcast(bits, _FLOATS[bits.type.width])


def like(builder: Builder, bits: ir.Value, value: ir.Value) -> ir.Value:
    """Return the value with these bits, of the type of `value`."""
    return from_bits(builder, bits, value.type)


def from_bits(builder: Builder, bits: ir.Value, kind: ir.Type) -> ir.Value:
    """Return the value of an LLVM type that has these bits."""
    if bits.type == kind:
        return bits
    return bits.bitcast(kind) if isinstance(bits, ir.Constant) else builder.bitcast(bits, kind)


def pair_of(builder: Builder, low: ir.Value, high: ir.Value) -> ir.Value:
    """Return an i32 with two values of 16 bits.

    It is built as a vector, which ptxas merges with the instructions that produce or use the two.
    A value paired with itself is moved by PTX: LLVM could read it from a half-written vector.
    """
    if low is high and not isinstance(low, ir.Constant):
        kind = ir.FunctionType(WORD, [SHORT])
        return builder.asm(kind, "mov.b32 $0, {$1, $1};", "=r,h", [bits_of(builder, low)], False)
    pair = ir.Constant(ir.VectorType(low.type, 2), ir.Undefined)
    for index, value in enumerate((low, high)):
        pair = builder.insert_element(pair, value, ir.Constant(WORD, index))
    return builder.bitcast(pair, WORD)


def intrinsic(builder: Builder, name: str, *arguments: ir.Value) -> ir.Value:
    """Call the overloaded LLVM intrinsic `name` on values of one type."""
    kind = arguments[0].type
    function = builder.module.declare_intrinsic(
        name, (kind,), ir.FunctionType(kind, [kind] * len(arguments))
    )
    return builder.call(function, arguments)
