"""Argument reduction modulo pi/2 for sin, cos and tan, accurate for the largest arguments.

This is the algorithm of Payne and Hanek: only the last two integer bits and the fraction of
x * 2/pi matter, and they depend on a window of the bits of 2/pi that the exponent of x selects.
Three words of that window are multiplied by the significand of x in integers twice as wide as x. No
float is so close to a multiple of pi/2 that the fraction would have too few bits.
"""

from __future__ import annotations

from itertools import pairwise

from llvmlite import ir

from .binary import DOUBLE, BinaryFormat
from .double_word import DoubleWord, constant, ordered_sum, product
from .terms import Expr, magnitude

_TWO_OVER_PI = int(
    "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561"
    "B7246E3A424DD2E006492EEA09D1921CFE1DEB1CB129A73EE88235F52EBB4484"
    "E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE05980F"
    "EF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B"
    "3D0739F78A5292EA6BFB5FB11F8D5D0856033046FC7B6BAB",
    16,
)
_DIGITS = 1216
"""Number of fraction bits of `_TWO_OVER_PI`."""

_PI_HALF = "1.570796326794896619231321691639751442098584699687552910487472296"
_PI_QUARTER = 0.7853981633974483


def quadrant(x: Expr) -> tuple[Expr, DoubleWord]:
    """Return the multiple of pi/2 nearest to |x|, modulo 4, and the remaining angle.

    The angle is between -pi/4 and pi/4. For infinities and NaN the result is meaningless.
    """
    form = x.format
    word, long = form.pattern, ir.IntType(2 * form.width)
    absolute = magnitude(x)
    digits, position = _digits_and_position(absolute)
    high, middle, low = (part.extended(long) for part in _window(position, form))
    digits = digits.extended(long)
    # Fixed point: the first two bits are quarter turns, the last bit is 2^-(2 * width - 2).
    turns = (high * digits << form.width) + middle * digits + (low * digits >> form.width)
    point = 2 * form.width - 2
    count = (turns + (1 << (point - 1))) >> point
    rest = _as_double_word(turns - (count << point), absolute)
    small = absolute < _PI_QUARTER
    angle = product(rest, constant(_PI_HALF, x))
    angle = small.choose(absolute, angle[0]), small.choose(absolute.like(0.0), angle[1])
    return small.choose(count.like(0), count).truncated(word), angle


def _digits_and_position(absolute: Expr) -> tuple[Expr, Expr]:
    """Return integers d and e >= 0 so that a number >= 1/2 is d * 2^(e - fraction - 1)."""
    form = absolute.format
    bits = absolute.bits()
    exponent = (bits >> form.fraction) - form.bias
    whole = (bits & ((1 << form.fraction) - 1)) | (1 << form.fraction)
    below_one = exponent < 0
    return (
        below_one.choose(whole, whole + whole),
        below_one.choose(exponent.like(0), exponent),
    )


def _window(position: Expr, form: BinaryFormat) -> list[Expr]:
    """Return three words of the bits of 2/pi, whose first bit counts two quarter turns."""
    step = form.width.bit_length() - 1
    words = _words(position >> step, form)
    within = position & (form.width - 1)
    return [one.call("llvm.fshl", two, within) for one, two in pairwise(words)]


def _table(form: BinaryFormat) -> list[int]:
    """Return the bits of 2/pi in words, after as many zeros as position 0 needs."""
    zeros = form.fraction + 3
    count = (form.bias + 1) // form.width + 4
    length = count * form.width
    bits = (_TWO_OVER_PI << length) >> (_DIGITS + zeros)
    mask = (1 << form.width) - 1
    return [bits >> (length - (word + 1) * form.width) & mask for word in range(count)]


def _words(index: Expr, form: BinaryFormat) -> list[Expr]:
    """Return four words of the table: by selects from a short one, by loads from a long one."""
    table = _table(form)
    if form == DOUBLE:
        return [_loaded(index + word, table) for word in range(4)]
    words = [index.like(word) for word in table]
    for step in (2, 1):
        bit = (index & step).differs(0)
        pairs = zip(words[step:], words, strict=False)
        words = [bit.choose(ahead, here) for ahead, here in pairs]
    return words[:4]


def _loaded(index: Expr, table: list[int]) -> Expr:
    builder = index.builder
    kind = ir.ArrayType(index.type, len(table))
    name = "tileir.two_over_pi"
    variable = builder.module.globals.get(name)
    if variable is None:
        variable = ir.GlobalVariable(builder.module, kind, name)
        variable.initializer = ir.Constant(kind, table)
        variable.global_constant = True
        variable.linkage = "private"
    address = builder.gep(variable, [index.like(0).value, index.value], source_etype=kind)
    return Expr(builder, builder.load(address, typ=index.type))


def _as_double_word(turn: Expr, like: Expr) -> DoubleWord:
    """Convert a signed fixed-point fraction, in units of 2^-(2 * width - 2), to two floats.

    The first holds the upper bits, so that its conversion is exact; if the fraction is small, it is
    zero and the second holds all.
    """
    form = like.format
    upper = 2 * form.width - 3 - form.fraction
    spare = upper - (form.width - 1)
    head = (turn + (1 << (upper - 1))).shifted_arithmetic(upper)
    rest = (turn - (head << upper)).shifted_arithmetic(spare)
    point = 2 * form.width - 2
    parts = (
        part.truncated(form.pattern).to_float(like.type) * 2.0 ** (shift - point)
        for part, shift in ((head, upper), (rest, spare))
    )
    return ordered_sum(*parts)
