"""f8E8M0FNU, the scale factors of block formats: a power of two from 2^-127 to 2^127, or NaN.

There is no sign and no zero. Conversions follow CUDA's (`__nv_cvt_float_to_e8m0`, saturating): the
sign is dropped; zero and smaller magnitudes become 2^-127, infinity and larger ones 2^127.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.codegen.scalar.bits import INFINITY, SIGN, SINGLE, WORD, bits_of, word

_BYTE = ir.IntType(8)
_LEAST = 1 << 22
"""2^-127 as an f32, which is subnormal there."""
_NAN = 0xFF


def widen_scale(builder: Builder, value: ir.Value) -> ir.Value:
    """Convert a scale to f32, exactly."""
    bits = builder.zext(value, WORD)
    power = builder.shl(bits, word(23))
    least = builder.icmp_unsigned("==", bits, word(0))
    power = builder.select(least, word(_LEAST), power)
    is_nan = builder.icmp_unsigned("==", bits, word(_NAN))
    return builder.bitcast(builder.select(is_nan, word(INFINITY | _LEAST), power), SINGLE)


def narrow_scale(builder: Builder, value: ir.Value, mode: str) -> ir.Value:
    """Round the magnitude of an f32 to a power of two: down in mode "zero", else up."""
    magnitude = builder.and_(bits_of(builder, value), word(SIGN - 1))
    if mode == "zero":
        power = builder.lshr(magnitude, word(23))
    else:
        above = builder.lshr(builder.add(magnitude, word((1 << 23) - 1)), word(23))
        tiny = builder.icmp_unsigned("<=", magnitude, word(_LEAST))
        power = builder.select(tiny, word(0), above)
    too_large = builder.icmp_unsigned(">", power, word(_NAN - 1))
    power = builder.select(too_large, word(_NAN - 1), power)
    is_nan = builder.icmp_unsigned(">", magnitude, word(INFINITY))
    return builder.trunc(builder.select(is_nan, word(_NAN), power), _BYTE)
