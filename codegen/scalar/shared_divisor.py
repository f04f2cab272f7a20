"""Quotients of many dividends and one divisor, with one reciprocal, rounded to nearest even.

PTX's div.rn computes a reciprocal for every quotient, and calls a function where that is not enough
for the nearest one. Here the reciprocal is computed once, as y = RN(1/b), and each quotient as

    q = RN(a y),  r = RN(a - b q),  RN(q + r y)

This is RN(a/b) if nothing overflows or underflows: the last sum differs from a/b by less than what
lies between a/b and the next midpoint of two floats, with exceptions that can be listed, as they
are solutions of A 2^s = k mod B for small k, where A and B are the fractions of a and b as
integers; all of them have been tried (the tests try some). See Brisebarre, Muller and Raina:
Accelerating Correctly Rounded Floating-Point Division When the Divisor Is Known in Advance
(IEEE Transactions on Computers, 2004); Markstein: Computation of Elementary Functions on the IBM
RISC System/6000 Processor (IBM Journal of Research and Development, 1990).

Operands for which something may overflow or underflow are rare: if a thread has any, it computes
all its quotients in f64, with one reciprocal there, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from llvmlite import ir
from llvmlite.ir import IRBuilder as Builder

from tileir.ir import Op

from . import ptx
from .bits import DOUBLE, SINGLE, WORD, bits_of, float_of, intrinsic, long, single, word
from .conversions.halves import HALVES
from .conversions.narrowing import narrow
from .conversions.widening import widen
from .machine import machine_of

FEWEST = 4
"""Quotients of a thread by one divisor from which on this takes fewer instructions than div.rn."""

_FRACTION, _FRACTION_64 = 23, 52
_BIAS, _BIAS_64 = 127, 1023
_LARGEST_DIVISOR = 25
_LARGEST_DIVIDEND = 100
"""The fast way needs divisors and dividends between 2^-n and 2^n, or dividends of zero: quotients
are then at least 2^-125, and multiples of the last place of a remainder at least 2^-148."""

_TWICE_LESS_ONE = "mov.b32 $0, $1; shl.b32 $0, $0, 1; add.s32 $0, $0, -1;"
_FAST = (
    "{ .reg .f32 r; mul.rn.f32 $0, $1, $3; neg.f32 r, $1; fma.rn.f32 r, $0, $2, r;"
    " fma.rn.f32 $0, r, $4, $0; }"
)
"""The quotient of a, given b, y and -y. With these signs, a quotient of zero keeps its sign: the
last product is -0 then."""
_SLOW = (
    "{ .reg .f64 q; .reg .b64 bits; cvt.f64.f32 q, $1; mul.rn.f64 q, q, $2; mov.b64 bits, q;"
    " add.s64 bits, bits, 4; and.b64 bits, bits, -8; mov.b64 q, bits; cvt.rn.f32.f64 $0, q; }"
)
"""The quotient of a, given the reciprocal of b in f64."""


def applies(builder: Builder, op: Op, divisors: Sequence[ir.Value]) -> bool:
    """Whether an op is a division for which this is faster; `divisors` are those of a thread."""
    if op.name != "divf" or not machine_of(builder).ptx:
        return False
    if op.result.type.element.name not in ("f32", *HALVES):
        return False
    groups = len(set(map(id, divisors)))
    nearest = op.attributes["rounding_mode"] == "nearest_even"
    return nearest and len(divisors) >= FEWEST * groups


def condition(
    builder: Builder, op: Op, dividends: Sequence[ir.Value], divisors: Sequence[ir.Value]
) -> ir.Value:
    """Return whether the fast way gives all these quotients, as an i1."""
    element = op.result.type.element
    tests = []
    for value in {id(value): value for value in divisors}.values():
        bits = bits_of(builder, widen(builder, value, element))
        lowest, highest = _power(-_LARGEST_DIVISOR), _power(_LARGEST_DIVISOR)
        above = builder.sub(bits, word(lowest))
        tests.append(builder.icmp_unsigned("<=", above, word(highest - lowest)))
        # Newton's method does not always round 1/b correctly where the fraction is all ones.
        fraction = builder.or_(bits, word(-1 << _FRACTION))
        tests.append(builder.icmp_unsigned("!=", fraction, word(-1)))
    wide = [widen(builder, value, element) for value in dividends]
    largest = reduce(
        lambda a, b: intrinsic(builder, "llvm.maxnum", a, b),
        (intrinsic(builder, "llvm.fabs", value) for value in wide),
    )
    tests.append(builder.fcmp_ordered("<=", largest, single(_power(_LARGEST_DIVIDEND))))
    # Twice the bits are those without the sign; of zero, less one, they are the largest number.
    smallest = reduce(
        lambda a, b: intrinsic(builder, "llvm.umin", a, b),
        (ptx.sequence(builder, _TWICE_LESS_ONE, WORD, value) for value in wide),
    )
    least = word(2 * _power(-_LARGEST_DIVIDEND) - 1)
    tests.append(builder.icmp_unsigned(">=", smallest, least))
    return reduce(builder.and_, tests)


def fast(
    builder: Builder, op: Op, dividends: Sequence[ir.Value], divisors: Sequence[ir.Value]
) -> list[ir.Value]:
    """Emit the quotients of operands for which the condition holds."""
    element = op.result.type.element
    known: dict[int, tuple[ir.Value, ir.Value, ir.Value]] = {}
    quotients = []
    for dividend, divisor in zip(dividends, divisors, strict=True):
        if id(divisor) not in known:
            wide = widen(builder, divisor, element)
            y = _reciprocal(builder, wide)
            known[id(divisor)] = wide, y, builder.fneg(y)
        a = widen(builder, dividend, element)
        q = ptx.sequence(builder, _FAST, SINGLE, a, *known[id(divisor)])
        quotients.append(narrow(builder, q, element))
    return quotients


def slow(
    builder: Builder, op: Op, dividends: Sequence[ir.Value], divisors: Sequence[ir.Value]
) -> list[ir.Value]:
    """Emit the quotients of any operands.

    A quotient in f64 is off by less than 3 units in the last place. In multiples of 8 units it is
    exact if it has at most 50 bits; other quotients of f32 are 2^-49 or more of themselves away
    from any number of 25 bits, such as a midpoint of two f32, and stay on their side of it.
    """
    element = op.result.type.element
    flushed = bool(op.attributes.get("flush_to_zero"))

    def operand(value: ir.Value) -> ir.Value:
        wide = widen(builder, value, element)
        return ptx.flush(builder, wide) if flushed else wide

    known: Mapping[int, ir.Value] = {
        key: _reciprocal_in_double(builder, operand(value))
        for key, value in {id(value): value for value in divisors}.items()
    }
    quotients = []
    for dividend, divisor in zip(dividends, divisors, strict=True):
        quotient = ptx.sequence(builder, _SLOW, SINGLE, operand(dividend), known[id(divisor)])
        if flushed:
            quotient = ptx.flush(builder, quotient)
        quotients.append(narrow(builder, quotient, element))
    return quotients


def _reciprocal(builder: Builder, value: ir.Value) -> ir.Value:
    """Return 1/b, rounded to nearest, of an f32 that passes the condition."""
    one, y = single(_power(0)), ptx.reciprocal(builder, value)
    negative = builder.fneg(value)
    for _ in range(2):
        y = _fma(builder, _fma(builder, negative, y, one), y, y)
    return y


def _reciprocal_in_double(builder: Builder, value: ir.Value) -> ir.Value:
    """Return 1/b of any f32 as an f64, with an error of little more than half a unit.

    Newton's method gets the reciprocal of the fraction; its exponent is turned around.
    """
    wide = builder.fpext(value, DOUBLE)
    bits, exponents = bits_of(builder, wide), long(0x7FF << _FRACTION_64)
    fraction = builder.or_(
        builder.and_(bits, builder.not_(exponents)), long(_BIAS_64 << _FRACTION_64)
    )
    b = float_of(builder, fraction)
    y = builder.fpext(ptx.reciprocal(builder, builder.fptrunc(b, SINGLE)), DOUBLE)
    one, negative = ir.Constant(DOUBLE, 1.0), builder.fneg(b)
    for _ in range(2):
        y = _fma(builder, _fma(builder, negative, y, one), y, y)
    turned = builder.sub(
        long(2 * _BIAS_64 << _FRACTION_64), builder.and_(bits, exponents), name="turned"
    )
    y = builder.fmul(y, float_of(builder, turned))
    magnitude = builder.and_(bits_of(builder, value), word(0x7FFFFFFF))
    less_one = builder.sub(magnitude, word(1))
    usual = builder.icmp_unsigned("<", less_one, word((0xFF << _FRACTION) - 1))
    # Of a zero it is infinite, of an infinity zero, and of NaN NaN.
    return builder.select(usual, y, builder.fpext(ptx.reciprocal(builder, value), DOUBLE))


def _fma(builder: Builder, *operands: ir.Value) -> ir.Value:
    return intrinsic(builder, "llvm.fma", *operands)


def _power(exponent: int) -> int:
    """Return the bits of the f32 2^exponent."""
    return _BIAS + exponent << _FRACTION
