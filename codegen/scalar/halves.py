"""f16 and bf16 by way of f32, bit for bit.

Conversions are integer arithmetic, because LLVM's own become calls of a runtime library on machines
without instructions for them, and such a library may not be there. Sums, differences, products and
quotients computed in f32 and rounded again equal those rounded once, as 24 bits are at least twice
11 plus 2 (also where the result is subnormal). Whatever has more digits than f32 is first rounded
*to odd*: towards zero, the last bit set if anything was lost. That keeps it off the midpoints, so
the second rounding gives what a single one would.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.types import Element

from .types import llvm_type

Builder = ir.IRBuilder

HALVES = ("f16", "bf16")

_SHORT, _WORD, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_SINGLE, _DOUBLE = ir.FloatType(), ir.DoubleType()

_SINGLE_INFINITY = 0x7F800000
_SIGN = 0x80000000


def _word(number: int) -> ir.Constant:
    return ir.Constant(_WORD, number)


def _float(bits: int) -> ir.Constant:
    return _word(bits).bitcast(_SINGLE)


def widen(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """The f32 of the same value. NaN stays NaN."""
    if element.name == "bf16":
        return builder.bitcast(builder.shl(builder.zext(value, _WORD), _word(16)), _SINGLE)
    bits = builder.zext(builder.bitcast(value, _SHORT), _WORD)
    magnitude = builder.shl(builder.and_(bits, _word(0x7FFF)), _word(13))
    # The exponent is now too small by 112; multiplying corrects that, of subnormals too.
    scaled = builder.fmul(builder.bitcast(magnitude, _SINGLE), _float((127 + 112) << 23))
    finite = builder.icmp_unsigned("<", magnitude, _word(0x7C00 << 13))
    special = builder.or_(magnitude, _word(_SINGLE_INFINITY))
    result = builder.select(finite, builder.bitcast(scaled, _WORD), special)
    sign = builder.shl(builder.and_(bits, _word(0x8000)), _word(16))
    return builder.bitcast(builder.or_(result, sign), _SINGLE)


def narrow(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """The nearest f16 or bf16 of an f32, ties to even."""
    bits = builder.bitcast(value, _WORD)
    if element.name == "bf16":
        return _narrow_to_bfloat(builder, bits)
    sign = builder.and_(bits, _word(_SIGN))
    magnitude = builder.xor(bits, sign)
    result = builder.select(
        builder.icmp_unsigned("<", magnitude, _word((127 - 14) << 23)),
        _narrow_to_subnormal(builder, magnitude),
        _narrow_to_normal(builder, magnitude),
    )
    is_nan = builder.icmp_unsigned(">", magnitude, _word(_SINGLE_INFINITY))
    special = builder.select(is_nan, _word(0x7E00), _word(0x7C00))
    large = builder.icmp_unsigned(">=", magnitude, _word((127 + 16) << 23))
    result = builder.select(large, special, result)
    result = builder.or_(result, builder.lshr(sign, _word(16)))
    return builder.bitcast(builder.trunc(result, _SHORT), llvm_type(element))


def _narrow_to_bfloat(builder: Builder, bits: ir.Value) -> ir.Value:
    upper = builder.lshr(bits, _word(16))
    odd = builder.and_(upper, _word(1))
    rounded = builder.add(builder.add(bits, _word(0x7FFF)), odd)
    magnitude = builder.and_(bits, _word(_SIGN - 1))
    is_nan = builder.icmp_unsigned(">", magnitude, _word(_SINGLE_INFINITY))
    quiet = builder.or_(upper, _word(0x40))
    result = builder.select(is_nan, quiet, builder.lshr(rounded, _word(16)))
    return builder.trunc(result, _SHORT)


def _narrow_to_normal(builder: Builder, magnitude: ir.Value) -> ir.Value:
    """A carry out of the fraction goes to the exponent, and from there to infinity."""
    odd = builder.and_(builder.lshr(magnitude, _word(13)), _word(1))
    moved = builder.add(magnitude, _word((0xFFF - (112 << 23)) & 0xFFFFFFFF))
    return builder.lshr(builder.add(moved, odd), _word(13))


def _narrow_to_subnormal(builder: Builder, magnitude: ir.Value) -> ir.Value:
    """Next to one half an f32 is spaced as f16's subnormals are, so adding it rounds."""
    half = 126 << 23
    total = builder.fadd(builder.bitcast(magnitude, _SINGLE), _float(half))
    return builder.sub(builder.bitcast(total, _WORD), _word(half))


def narrow_double(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """The nearest f16 or bf16 of an f64, ties to even."""
    single = builder.fptrunc(value, _SINGLE)
    back = builder.fpext(single, _DOUBLE)
    inexact = builder.fcmp_ordered("!=", back, value)
    above = builder.fcmp_ordered(">", _magnitude(builder, back), _magnitude(builder, value))
    bits = builder.bitcast(single, _WORD)
    bits = builder.sub(bits, builder.zext(above, _WORD))
    bits = builder.or_(bits, builder.zext(inexact, _WORD))
    return narrow(builder, builder.bitcast(bits, _SINGLE), element)


def _magnitude(builder: Builder, value: ir.Value) -> ir.Value:
    bits = builder.and_(builder.bitcast(value, _LONG), ir.Constant(_LONG, (1 << 63) - 1))
    return builder.bitcast(bits, _DOUBLE)


def fused(
    builder: Builder, lhs: ir.Value, rhs: ir.Value, acc: ir.Value, element: Element
) -> ir.Value:
    """lhs * rhs + acc of f32 values that are halves, rounded once to a half.

    In f64 the product is exact and the error of the sum is a number too (Knuth's two-sum), whose
    sign says on which side of the exact sum the rounded one lies.
    """
    lhs, rhs, acc = (builder.fpext(value, _DOUBLE) for value in (lhs, rhs, acc))
    product = builder.fmul(lhs, rhs)
    total = builder.fadd(product, acc)
    part = builder.fsub(total, product)
    error = builder.fadd(builder.fsub(product, builder.fsub(total, part)), builder.fsub(acc, part))
    zero = ir.Constant(_LONG, 0).bitcast(_DOUBLE)
    inexact = builder.fcmp_ordered("!=", error, zero)
    bits = builder.bitcast(total, _LONG)
    opposite = builder.icmp_signed(
        "<", builder.xor(bits, builder.bitcast(error, _LONG)), ir.Constant(_LONG, 0)
    )
    odd = builder.sub(bits, builder.zext(opposite, _LONG))
    odd = builder.or_(odd, ir.Constant(_LONG, 1))
    exact = builder.select(inexact, builder.bitcast(odd, _DOUBLE), total)
    return narrow_double(builder, exact, element)


def from_integer(builder: Builder, value: ir.Value, signed: bool, element: Element) -> ir.Value:
    """The nearest f16 or bf16 of an integer, ties to even."""
    convert = builder.sitofp if signed else builder.uitofp
    if value.type.width < _LONG.width:
        return narrow_double(builder, convert(value, _DOUBLE), element)
    # More digits than an f64 has: drop twelve bits of a large number, to odd.
    dropped = ir.Constant(_LONG, 12)
    low = builder.and_(value, ir.Constant(_LONG, 0xFFF))
    lost = builder.zext(builder.icmp_unsigned("!=", low, ir.Constant(_LONG, 0)), _LONG)
    shift = builder.ashr if signed else builder.lshr
    short = builder.or_(shift(value, dropped), lost)
    scale = ir.Constant(_LONG, (1023 + 12) << 52).bitcast(_DOUBLE)
    large = builder.fmul(convert(short, _DOUBLE), scale)
    top = builder.ashr(value, ir.Constant(_LONG, 52))
    small = _is_small(builder, top, signed)
    return narrow_double(builder, builder.select(small, convert(value, _DOUBLE), large), element)


def _is_small(builder: Builder, top: ir.Value, signed: bool) -> ir.Value:
    """Whether the upper bits of an integer are all copies of the sign."""
    zero = builder.icmp_unsigned("==", top, ir.Constant(_LONG, 0))
    if not signed:
        return zero
    return builder.or_(zero, builder.icmp_signed("==", top, ir.Constant(_LONG, -1)))
