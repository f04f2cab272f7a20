"""Products, quotients, roots and fused multiply-adds of f64, rounded in a direction.

What the nearest result lost is found among numbers near one: operands without their exponents, and
the result moved by as much. There nothing overflows and no error is too small for a float, and as
the result is a float next to the exact number, what is subtracted from it is so near that the
difference is exact.
"""

from __future__ import annotations

from llvmlite import ir

from .bits import bits_of, double, float_of, intrinsic, long
from .error_free import two_product, two_sum
from .rounding import settle_by, signed_zero

Builder = ir.IRBuilder

_FRACTION = 52
_BIAS = 1023
_UP = 64
"""Doublings that make a subnormal number normal."""
_FAR = 300
"""Binary places by which a term is so small that only its sign matters."""
_MOST = 1100
"""No finite result is moved by more binary places."""
_HUGE = double((_BIAS + 200) << _FRACTION)
"""Instead of an infinite result, so that it can be calculated with."""
_NO_EXPONENT = -10000
"""Of zero: less than any."""


def multiply(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs * rhs."""
    (a, i), (b, j) = _parts(builder, lhs), _parts(builder, rhs)
    product, rest = two_product(builder, a, b)
    nearest = builder.fmul(lhs, rhs)
    moved = _moved(builder, nearest, builder.neg(builder.add(i, j)))
    error = builder.fadd(builder.fsub(product, moved), rest)
    return settle_by(builder, nearest, error, mode)


def divide(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs / rhs."""
    (a, i), (b, j) = _parts(builder, lhs), _parts(builder, rhs)
    nearest = builder.fdiv(lhs, rhs)
    moved = _moved(builder, nearest, builder.sub(j, i))
    product, rest = two_product(builder, moved, b)
    left = builder.fsub(builder.fsub(a, product), rest)
    negative = builder.fcmp_ordered("<", b, double(0))
    error = builder.select(negative, builder.fneg(left), left)
    return settle_by(builder, nearest, error, mode)


def square_root(builder: Builder, mode: str, value: ir.Value) -> ir.Value:
    """The square root."""
    significand, exponent = _parts(builder, value)
    odd = builder.and_(exponent, long(1))
    radicand = builder.fmul(significand, _power(builder, odd))
    nearest = intrinsic(builder, "llvm.sqrt", value)
    half = builder.ashr(exponent, long(1))
    moved = _moved(builder, nearest, builder.neg(half))
    square, rest = two_product(builder, moved, moved)
    error = builder.fsub(builder.fsub(radicand, square), rest)
    return settle_by(builder, nearest, error, mode)


def multiply_add(
    builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value, acc: ir.Value
) -> ir.Value:
    """lhs * rhs + acc. Its error is split as in Boldo and Muller's ErrFma."""
    nearest = intrinsic(builder, "llvm.fma", lhs, rhs, acc)
    (a, i), (b, j), (c, k) = (_parts(builder, value) for value in (lhs, rhs, acc))
    nothing = builder.fcmp_ordered("==", acc, double(0))
    c = builder.select(nothing, acc, c)
    k = builder.select(nothing, long(_NO_EXPONENT), k)
    ij = builder.add(i, j)
    scale = builder.select(builder.icmp_signed(">", ij, k), ij, k)
    a = builder.fmul(a, _power(builder, _at_least_far(builder, builder.sub(ij, scale))))
    c = builder.fmul(c, _power(builder, _at_least_far(builder, builder.sub(k, scale))))
    product, rest = two_product(builder, a, b)
    small, smallest = two_sum(builder, c, rest)
    large, small = two_sum(builder, product, small)
    moved = _moved(builder, nearest, builder.neg(scale))
    # The difference is zero or outweighs the rest, which is about half a last place of `large`.
    error = builder.fadd(builder.fsub(large, moved), builder.fadd(small, smallest))
    result = settle_by(builder, nearest, error, mode)
    if mode != "negative_inf":
        return result
    # A zero that lost something, or that comes of an underflow, has an error.
    zero = double(0)
    cancelled = builder.and_(
        builder.fcmp_ordered("==", nearest, zero),
        builder.not_(builder.fcmp_ordered("!=", error, zero)),
    )
    sign = float_of(builder, builder.xor(bits_of(builder, lhs), bits_of(builder, rhs)))
    return signed_zero(builder, result, cancelled, sign, acc)


def _parts(builder: Builder, value: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Significand (at least 2, less than 4, with the sign) and exponent.

    Of zero, infinity and NaN the significand is NaN: the power that is to undo their exponent is
    infinite or zero.
    """
    smallest = double(1 << _FRACTION)
    tiny = builder.fcmp_ordered("<", intrinsic(builder, "llvm.fabs", value), smallest)
    raised = builder.fmul(value, double((_BIAS + _UP) << _FRACTION))
    value = builder.select(tiny, raised, value)
    field = builder.and_(
        builder.lshr(bits_of(builder, value), long(_FRACTION)), long(2 * _BIAS + 1)
    )
    undo = builder.shl(builder.sub(long(2 * _BIAS + 1), field), long(_FRACTION))
    significand = builder.fmul(value, float_of(builder, undo))
    offset = builder.select(tiny, long(_BIAS + 1 + _UP), long(_BIAS + 1))
    return significand, builder.sub(field, offset)


def _power(builder: Builder, exponent: ir.Value) -> ir.Value:
    """Two to the power of a moderate exponent."""
    return float_of(builder, builder.shl(builder.add(exponent, long(_BIAS)), long(_FRACTION)))


def _moved(builder: Builder, value: ir.Value, places: ir.Value) -> ir.Value:
    """The value times a power of two, in two steps; something huge instead of infinity."""
    places = builder.select(builder.icmp_signed("<", places, long(_MOST)), places, long(_MOST))
    places = builder.select(builder.icmp_signed(">", places, long(-_MOST)), places, long(-_MOST))
    half = builder.ashr(places, long(1))
    value = builder.fmul(value, _power(builder, half))
    value = builder.fmul(value, _power(builder, builder.sub(places, half)))
    huge = builder.fcmp_ordered(">", intrinsic(builder, "llvm.fabs", value), _HUGE)
    return builder.select(huge, intrinsic(builder, "llvm.copysign", _HUGE, value), value)


def _at_least_far(builder: Builder, exponent: ir.Value) -> ir.Value:
    far = builder.icmp_signed(">", exponent, long(-_FAR))
    return builder.select(far, exponent, long(-_FAR))
