"""Directed rounding: corrects the nearest float to the one that a rounding mode requires.

Machines round to nearest. To round in a direction it is enough to know on which side of the
nearest float the exact number is: the result is that float or its neighbour.
"""

from __future__ import annotations

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from .bits import DOUBLE, SINGLE, WORD, bits_of, float_of
from .error_free import two_sum

DIRECTED = ("zero", "negative_inf", "positive_inf")


def correct(
    builder: Builder, nearest: ir.Value, below: ir.Value, above: ir.Value, mode: str
) -> ir.Value:
    """Return the f32 or f64 rounded in a direction.

    `below` and `above`: whether the exact number is less or greater than `nearest`. Neighbouring
    floats are neighbouring integers, including the largest number and infinity. A zero has the sign
    of the exact number, so the result never changes its sign.
    """
    bits = bits_of(builder, nearest)
    kind = bits.type
    if mode == "zero":
        negative = builder.icmp_signed("<", bits, ir.Constant(kind, 0))
        beyond = builder.select(negative, above, below)
        return float_of(builder, builder.sub(bits, builder.zext(beyond, kind)))
    sign = builder.ashr(bits, ir.Constant(kind, kind.width - 1))
    upwards = builder.or_(sign, ir.Constant(kind, 1))
    step = builder.select(above if mode == "positive_inf" else below, upwards, ir.Constant(kind, 0))
    move = builder.add if mode == "positive_inf" else builder.sub
    return float_of(builder, move(bits, step))


def correct_by_error(builder: Builder, nearest: ir.Value, error: ir.Value, mode: str) -> ir.Value:
    """Do the same by the sign of the rounding error; NaN counts as no error."""
    zero = ir.Constant(error.type, 0.0)
    below = builder.fcmp_ordered("<", error, zero)
    above = builder.fcmp_ordered(">", error, zero)
    return correct(builder, nearest, below, above, mode)


def to_single(builder: Builder, value: ir.Value, mode: str) -> ir.Value:
    """Round an f64 to f32, to nearest even or in a direction."""
    nearest = builder.fptrunc(value, SINGLE)
    if mode == "nearest_even":
        return nearest
    back = builder.fpext(nearest, DOUBLE)
    below = builder.fcmp_ordered("<", value, back)
    above = builder.fcmp_ordered(">", value, back)
    return correct(builder, nearest, below, above, mode)


def to_odd_single(builder: Builder, value: ir.Value) -> ir.Value:
    """Round an f64 to f32 *to odd*: towards zero, with the last bit set if inexact.

    The result is no midpoint of a format with at least two bits less, so rounding it again, in any
    mode, gives the same as rounding once.
    """
    single = to_single(builder, value, "zero")
    inexact = builder.fcmp_ordered("!=", builder.fpext(single, DOUBLE), value)
    bits = builder.or_(bits_of(builder, single), builder.zext(inexact, WORD))
    return float_of(builder, bits)


def odd_sum(builder: Builder, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    """Return the sum of two f32 or f64, rounded to odd; it must not overflow."""
    total, error = two_sum(builder, lhs, rhs)
    bits = bits_of(builder, correct_by_error(builder, total, error, "zero"))
    inexact = builder.fcmp_ordered("!=", error, ir.Constant(error.type, 0.0))
    return float_of(builder, builder.or_(bits, builder.zext(inexact, bits.type)))


def signed_zero(builder: Builder, result: ir.Value, exact: ir.Value, *terms: ir.Value) -> ir.Value:
    """Set the sign of an exact zero when rounding down: -0 unless all terms are +0."""
    bits = bits_of(builder, terms[0])
    for term in terms[1:]:
        bits = builder.or_(bits, bits_of(builder, term))
    mask = ir.Constant(bits.type, 1 << (bits.type.width - 1))
    zero = float_of(builder, builder.and_(bits, mask))
    return builder.select(exact, zero, result)
