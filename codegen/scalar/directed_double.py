"""Products, quotients, roots and fused multiply-adds of f64, rounded in a direction.

The rounding error of the nearest result is computed with numbers near one: the significands of the
operands, and the result scaled accordingly. There nothing overflows and no error underflows, and as
the result is a float next to the exact number, differences from it are exact.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from .bits import bits_of, double, float_of, intrinsic, long
from .error_free import two_product, two_sum
from .rounding import correct_by_error, signed_zero

_FRACTION = 52
_BIAS = 1023
_UP = 64
"""Subnormal numbers are multiplied by 2 to this power, to make them normal."""
_FAR = 300
"""If exponents differ by more, only the sign of the smaller term matters."""
_MOST = 1100
"""The largest exponent that a finite result is scaled by."""
_HUGE = double((_BIAS + 200) << _FRACTION)
"""Stands for infinity in the computation of errors, so that no NaN arises."""
_NO_EXPONENT = -10000
"""Exponent given to zero, below every real exponent."""


def multiply(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs * rhs."""
    (a, i), (b, j) = _parts(builder, lhs), _parts(builder, rhs)
    product, rest = two_product(builder, a, b)
    nearest = builder.fmul(lhs, rhs)
    scaled = _scaled(builder, nearest, builder.neg(builder.add(i, j)))
    error = builder.fadd(builder.fsub(product, scaled), rest)
    return correct_by_error(builder, nearest, error, mode)


def divide(builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """lhs / rhs."""
    (a, i), (b, j) = _parts(builder, lhs), _parts(builder, rhs)
    nearest = builder.fdiv(lhs, rhs)
    scaled = _scaled(builder, nearest, builder.sub(j, i))
    product, rest = two_product(builder, scaled, b)
    left = builder.fsub(builder.fsub(a, product), rest)
    negative = builder.fcmp_ordered("<", b, double(0))
    error = builder.select(negative, builder.fneg(left), left)
    return correct_by_error(builder, nearest, error, mode)


def square_root(builder: Builder, mode: str, value: ir.Value) -> ir.Value:
    """Return the square root."""
    significand, exponent = _parts(builder, value)
    odd = builder.and_(exponent, long(1))
    radicand = builder.fmul(significand, _power(builder, odd))
    nearest = intrinsic(builder, "llvm.sqrt", value)
    half = builder.ashr(exponent, long(1))
    scaled = _scaled(builder, nearest, builder.neg(half))
    square, rest = two_product(builder, scaled, scaled)
    error = builder.fsub(builder.fsub(radicand, square), rest)
    return correct_by_error(builder, nearest, error, mode)


def multiply_add(
    builder: Builder, mode: str, lhs: ir.Value, rhs: ir.Value, acc: ir.Value
) -> ir.Value:
    """lhs * rhs + acc, with the error computed as in Boldo and Muller's ErrFma."""
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
    scaled = _scaled(builder, nearest, builder.neg(scale))
    # The difference is zero or exceeds the rest, which is about half an ulp of `large`.
    error = builder.fadd(builder.fsub(large, scaled), builder.fadd(small, smallest))
    result = correct_by_error(builder, nearest, error, mode)
    if mode != "negative_inf":
        return result
    # A zero result of rounding or underflow has an error; one of cancellation has none.
    zero = double(0)
    cancelled = builder.and_(
        builder.fcmp_ordered("==", nearest, zero),
        builder.not_(builder.fcmp_ordered("!=", error, zero)),
    )
    sign = float_of(builder, builder.xor(bits_of(builder, lhs), bits_of(builder, rhs)))
    return signed_zero(builder, result, cancelled, sign, acc)


def _parts(builder: Builder, value: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Split a number into significand (2 <= |s| < 4, with the sign) and exponent.

    The significand of zero, infinity and NaN is NaN: the power that cancels their exponent is
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
    """Return two to the power of a moderate exponent."""
    return float_of(builder, builder.shl(builder.add(exponent, long(_BIAS)), long(_FRACTION)))


def _scaled(builder: Builder, value: ir.Value, power: ir.Value) -> ir.Value:
    """Multiply a value by a power of two, in two steps; the result is `_HUGE` if infinite."""
    power = builder.select(builder.icmp_signed("<", power, long(_MOST)), power, long(_MOST))
    power = builder.select(builder.icmp_signed(">", power, long(-_MOST)), power, long(-_MOST))
    half = builder.ashr(power, long(1))
    value = builder.fmul(value, _power(builder, half))
    value = builder.fmul(value, _power(builder, builder.sub(power, half)))
    huge = builder.fcmp_ordered(">", intrinsic(builder, "llvm.fabs", value), _HUGE)
    return builder.select(huge, intrinsic(builder, "llvm.copysign", _HUGE, value), value)


def _at_least_far(builder: Builder, exponent: ir.Value) -> ir.Value:
    far = builder.icmp_signed(">", exponent, long(-_FAR))
    return builder.select(far, exponent, long(-_FAR))
