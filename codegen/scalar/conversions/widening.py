"""Converts every float but f64 to f32, exactly. NaN stays NaN."""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar import ptx
from tileir.codegen.scalar.bits import HALF, INFINITY, SHORT, SINGLE, WORD, bits_of, float_of, word
from tileir.codegen.scalar.machine import machine_of
from tileir.types import Element

from .float_formats import FORMATS, NarrowFormat
from .scale_format import widen_scale

_FRACTION = 23
_BIAS = 127
_QUIET_NAN = INFINITY | 1 << 22


def widen(builder: Builder, value: ir.Value, element: Element) -> ir.Value:
    """Convert an element to f32, exactly."""
    if element.name == "f32":
        return value
    if element.name == "f8E8M0FNU":
        return widen_scale(builder, value)
    if element.name == "tf32":
        return builder.bitcast(value, SINGLE)
    if element.name in ptx.PAIRS and element.name in machine_of(builder).rounds:
        return ptx.widen_pair(builder, builder.zext(value, SHORT), element.name)[0]
    if element.name == "f8E5M2" and machine_of(builder).half_conversions:
        upper = builder.shl(builder.zext(value, SHORT), ir.Constant(SHORT, 8))
        return builder.fpext(builder.bitcast(upper, HALF), SINGLE)
    if element.name == "f16" and machine_of(builder).half_conversions:
        return builder.fpext(value, SINGLE)
    return _widen(builder, bits_of(builder, value), FORMATS[element.name])


def _widen(builder: Builder, value: ir.Value, form: NarrowFormat) -> ir.Value:
    bits = builder.zext(value, WORD)
    if form.bias == _BIAS:
        return float_of(builder, builder.shl(bits, word(32 - form.bits)))
    magnitude = builder.and_(bits, word((1 << (form.bits - form.signed)) - 1))
    fraction = builder.shl(magnitude, word(_FRACTION - form.fraction))
    rebias = (_BIAS - form.bias) << _FRACTION
    normal = builder.add(fraction, word(rebias))
    result = builder.select(
        builder.icmp_unsigned("<", fraction, word(1 << _FRACTION)),
        _subnormal(builder, fraction, rebias),
        normal,
    )
    if form.infinity is not None:
        finite = builder.icmp_unsigned("<", magnitude, word(form.infinity))
        result = builder.select(finite, result, builder.or_(normal, word(INFINITY)))
    elif form.nan is not None:
        is_nan = builder.icmp_unsigned("==", magnitude, word(form.nan))
        result = builder.select(is_nan, word(_QUIET_NAN), result)
    sign = builder.shl(builder.xor(bits, magnitude), word(32 - form.bits))
    return float_of(builder, builder.or_(result, sign))


def _subnormal(builder: Builder, fraction: ir.Value, rebias: int) -> ir.Value:
    """Normalise by putting a one before the fraction and subtracting it; no f32 is subnormal."""
    one = word(rebias + (1 << _FRACTION))
    total = float_of(builder, builder.add(fraction, one))
    return bits_of(builder, builder.fsub(total, one.bitcast(SINGLE)))
