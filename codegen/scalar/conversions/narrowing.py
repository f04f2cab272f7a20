"""Converts f32 and f64 to narrower floats, rounded once in any mode.

The code uses integers, because LLVM's own conversions call a runtime library, which may be missing,
on machines without instructions for them. An f64 is first rounded to an f32 to odd, which does not
change the final result.
"""

from __future__ import annotations

from typing import cast

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar import ptx
from tileir.codegen.scalar.bits import (
    DOUBLE,
    HALF,
    INFINITY,
    SIGN,
    SINGLE,
    WORD,
    bits_of,
    float_of,
    single,
    word,
)
from tileir.codegen.scalar.machine import machine_of
from tileir.codegen.scalar.rounding import to_odd_single, to_single
from tileir.codegen.scalar.types import llvm_type
from tileir.types import Element

from .float_formats import FORMATS, NarrowFormat
from .scale_format import narrow_scale

_FRACTION = 23
_BIAS = 127


def narrow(
    builder: Builder, value: ir.Value, element: Element, mode: str = "nearest_even"
) -> ir.Value:
    """Round an f32 or f64 to the element type in the mode."""
    if element.name == "f64":
        return value if value.type == DOUBLE else builder.fpext(value, DOUBLE)
    if value.type == DOUBLE:
        if element.name == "f32":
            return to_single(builder, value, mode)
        value = to_odd_single(builder, value)
    if element.name == "f32":
        return value
    if element.name == "f8E8M0FNU":
        return narrow_scale(builder, value, mode)
    if element.name == "f16" and mode == "nearest_even" and machine_of(builder).half_conversions:
        return builder.fptrunc(value, HALF)
    if mode == "nearest_even" and element.name in machine_of(builder).rounds:
        return _by_machine(builder, value, element)
    form = FORMATS[element.name]
    bits = _narrow(builder, bits_of(builder, value), form, mode)
    if element.name == "tf32":
        return builder.shl(bits, word(_FRACTION - form.fraction))
    kind = llvm_type(element)
    short = builder.trunc(bits, ir.IntType(form.bits))
    return short if short.type == kind else builder.bitcast(short, kind)


def _by_machine(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    if element.name in ptx.PAIRS:
        pair = ptx.round_pair(builder, value, single(0), element.name)
        return builder.trunc(pair, llvm_type(element))
    if element.name == "tf32":
        return ptx.round_to_tf32(builder, value)
    return ptx.round_to_bf16(builder, value)


def _narrow(builder: Builder, bits: ir.Value, form: NarrowFormat, mode: str) -> ir.Value:
    """Convert the bits of an f32 to those of a narrower format, in an i32."""
    if not form.signed:
        bits = builder.and_(bits, word(SIGN - 1))
    sign = builder.and_(bits, word(SIGN))
    magnitude = builder.xor(bits, sign)
    negative = builder.ashr(bits, word(31))
    result = _normal(builder, magnitude, negative, form, mode)
    if form.bias != _BIAS:
        smallest = word((_BIAS - form.bias + 1) << _FRACTION)
        result = builder.select(
            builder.icmp_unsigned("<", magnitude, smallest),
            _subnormal(builder, magnitude, negative, form, mode),
            result,
        )
        result = _limited(builder, result, magnitude, negative, form, mode)
    is_nan = builder.icmp_unsigned(">", magnitude, word(INFINITY))
    if form.nan is None:
        sign = builder.select(is_nan, word(0), sign)
    else:
        result = builder.select(is_nan, word(form.nan), result)
    return builder.or_(result, builder.lshr(sign, word(32 - form.bits)))


def _away(builder: Builder, negative: ir.Value, mode: str) -> ir.Value:
    """Return all ones where a directed mode rounds away from zero, else zero."""
    if mode == "zero":
        return word(0)
    return negative if mode == "negative_inf" else builder.not_(negative)


def _normal(
    builder: Builder, magnitude: ir.Value, negative: ir.Value, form: NarrowFormat, mode: str
) -> ir.Value:
    """Round to a normal number; a carry increments the exponent, up to infinity."""
    dropped = _FRACTION - form.fraction
    half = 1 << (dropped - 1)
    rebias = (_BIAS - form.bias) << _FRACTION
    if mode == "nearest_even":
        odd = builder.and_(builder.lshr(magnitude, word(dropped)), word(1))
        moved = builder.add(builder.add(magnitude, word(half - 1 - rebias)), odd)
    elif mode == "nearest_away":
        moved = builder.add(magnitude, word(half - rebias))
    else:
        up = builder.and_(_away(builder, negative, mode), word(2 * half - 1))
        moved = builder.add(builder.add(magnitude, word(-rebias)), up)
    return builder.lshr(moved, word(dropped))


def _subnormal(
    builder: Builder, magnitude: ir.Value, negative: ir.Value, form: NarrowFormat, mode: str
) -> ir.Value:
    """Round to a subnormal number by adding the power of two whose ulp is the subnormals' spacing.

    That rounds to nearest even; the rounding error, which is a float, corrects other modes.
    """
    power = _BIAS + 1 + _FRACTION - form.bias - form.fraction << _FRACTION
    exact = float_of(builder, magnitude)
    total = builder.fadd(exact, single(power))
    result = builder.sub(bits_of(builder, total), word(power))
    if mode == "nearest_even":
        return result
    lost = builder.fsub(exact, builder.fsub(total, single(power)))
    if mode == "nearest_away":
        half = single(power - (_FRACTION + 1 << _FRACTION))
        return builder.add(result, builder.zext(builder.fcmp_ordered("==", lost, half), WORD))
    zero = ir.Constant(SINGLE, 0.0)
    down = builder.sext(builder.fcmp_ordered("<", lost, zero), WORD)
    up = builder.zext(builder.fcmp_ordered(">", lost, zero), WORD)
    away = _away(builder, negative, mode)
    return builder.add(
        result, builder.or_(builder.and_(away, up), builder.and_(builder.not_(away), down))
    )


def _limited(
    builder: Builder,
    result: ir.Value,
    magnitude: ir.Value,
    negative: ir.Value,
    form: NarrowFormat,
    mode: str,
) -> ir.Value:
    """Replace a result that overflows by infinity or the largest number."""
    largest = word(form.largest)
    if form.saturates:
        limit = largest
    elif mode in ("nearest_even", "nearest_away"):
        limit = word(cast(int, form.infinity))
    else:
        limit = builder.sub(largest, _away(builder, negative, mode))
    limited = builder.select(builder.icmp_unsigned("<", result, limit), result, limit)
    if form.saturates or mode in ("nearest_even", "nearest_away"):
        return limited
    infinite = builder.icmp_unsigned("==", magnitude, word(INFINITY))
    return builder.select(infinite, word(cast(int, form.infinity)), limited)
