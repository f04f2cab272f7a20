"""The exact remainder of a division, as fmod in C, by long division of integer significands.

A quotient may have thousands of bits. Each iteration computes as many as fit beside the divisor in
64 bits: one iteration for quotients below 2^40 in f32 and 2^11 in f64, at most 7 and 190.
"""

from __future__ import annotations

import math

from llvmlite import ir

from .binary import BinaryFormat
from .terms import Expr, flip_sign, magnitude, sign_bit

_LONG = ir.IntType(64)


def remf(x: Expr, y: Expr) -> Expr:
    """x - y * trunc(x / y), with the sign of x; NaN if x is infinite or y is zero."""
    over, under = magnitude(x), magnitude(y)
    digits, exponent = _significand(over)
    divisor, least = _significand(under)
    divisor = divisor.equals(0).choose(divisor.like(1), divisor)
    rest = _long_division(digits % divisor, divisor, exponent - least, 63 - x.format.fraction)
    result = (over < under).choose(over, _number(rest, least, x))
    defined = (over < math.inf) & (under > 0.0)
    return defined.choose(flip_sign(result, sign_bit(x)), math.nan)


def _significand(absolute: Expr) -> tuple[Expr, Expr]:
    """Return the significand of a number as an integer, and the exponent field, at least 1."""
    form: BinaryFormat = absolute.format
    bits = absolute.bits()
    field = bits >> form.fraction
    normal = field > 0
    digits = bits & ((1 << form.fraction) - 1)
    digits = digits | normal.choose(bits.like(1 << form.fraction), 0)
    return _as_long(digits), _as_long(normal.choose(field, field.like(1)))


def _as_long(x: Expr) -> Expr:
    return x if x.type == _LONG else x.extended(_LONG)


def _long_division(rest: Expr, divisor: Expr, power: Expr, step: int) -> Expr:
    """Return rest * 2^power modulo the divisor; rest if the power is not positive."""
    builder = rest.builder
    before = builder.block
    loop = builder.append_basic_block("remainder")
    after = builder.append_basic_block("remainder.done")
    more = power > 0
    builder.cbranch(more.value, loop, after)
    builder.position_at_end(loop)
    current, left = builder.phi(_LONG), builder.phi(_LONG)
    remaining_power = Expr(builder, left)
    now = (remaining_power < step).choose(remaining_power, remaining_power.like(step))
    following = (Expr(builder, current) << now) % divisor
    remaining = remaining_power - now
    for phi, first, second in (
        (current, rest, following),
        (left, power, remaining),
    ):
        phi.add_incoming(first.value, before)
        phi.add_incoming(second.value, builder.block)
    again = remaining > 0
    builder.cbranch(again.value, loop, after)
    builder.position_at_end(after)
    result = builder.phi(_LONG)
    result.add_incoming(rest.value, before)
    result.add_incoming(following.value, loop)
    return Expr(builder, result)


def _number(digits: Expr, field: Expr, like: Expr) -> Expr:
    """Return the float with this significand and exponent field; the products are exact."""
    form = like.format
    if form.pattern != _LONG:
        digits, field = digits.truncated(form.pattern), field.truncated(form.pattern)
    number = digits.to_float(like.type) * 2.0**-form.fraction
    return number * (field << form.fraction).as_float(like.type)
