"""Numbers: from the text to the bits of an element type.

A decimal number becomes the nearest number of the type, ties to even, computed with exact
arithmetic; one beyond the largest becomes infinity, as in MLIR, if the type has it. A conversion
through f64 would round twice, which is sometimes wrong for every other type.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction

from tileir.ir.floats import FORMATS, Format, largest, nearest
from tileir.text.assembler.lexer import LONGEST_NUMBER, integer_of, shown
from tileir.types import Scalar

DECIMAL = re.compile(r"-?[0-9]+")
LARGEST_POWER = 5000
"""Powers of ten beyond this are 0 or too large in every element type, for any `LONGEST_NUMBER`
digits before them."""

TIE_OF_F32 = 1 << 28
"""The lower 29 bits of an f64 that is halfway between two numbers of f32."""


class BadNumber(Exception):
    """The element type does not have the number; the message has the reason."""


def bits_of(type: Scalar, literal: str) -> int:
    """Return the bit pattern of a number, ``true`` or ``false``, in an element type."""
    if type.is_integer:
        return integer_bits(type, literal)
    return float_bits(type, literal)


def integer_bits(type: Scalar, literal: str) -> int:
    """Return the bit pattern of an integer, which may be written as signed or unsigned."""
    if literal in ("true", "false") and type.name == "i1":
        return int(literal == "true")
    try:
        number = integer_of(literal)
    except ValueError:
        raise BadNumber(f"expected an integer, found {shown(literal)}") from None
    width = type.bits
    lowest = -(1 << (width - 1)) if width > 1 else -1
    if number is None or not lowest <= number < 1 << width:
        raise BadNumber(f"{shown(literal)} does not fit {type}")
    return number & ((1 << width) - 1)


def float_bits(type: Scalar, literal: str) -> int:
    """Return the bit pattern of a decimal number, or the hexadecimal one in the text."""
    if literal in ("true", "false"):
        raise BadNumber(f"expected a number, found {literal}")
    if len(literal) > LONGEST_NUMBER:
        raise BadNumber(f"{shown(literal)} has more than {LONGEST_NUMBER} characters")
    if "x" in literal or "X" in literal:
        pattern = int(literal, 16)
        if pattern >> type.bits or literal[0] == "-":
            raise BadNumber(f"{shown(literal)} is no pattern of {type.bits} bits of {type}")
        return pattern
    if DECIMAL.fullmatch(literal):
        raise BadNumber(f"{shown(literal)} is an integer; write {shown(literal)}.0 for {type}")
    form = FORMATS.get(type.name)
    if form is None:
        raise BadNumber(f"numbers of {type} are written as bit patterns such as 0x3C")
    if type.name == "f64":
        return struct.unpack("<Q", struct.pack("<d", float(literal)))[0]
    if type.name == "f32":
        near = float(literal)
        bits = struct.unpack("<Q", struct.pack("<d", near))[0]
        if 1e-37 < abs(near) < 1e38 and bits & 2 * TIE_OF_F32 - 1 != TIE_OF_F32:
            return struct.unpack("<I", struct.pack("<f", near))[0]
    return _rounded(type, form, literal)


def _rounded(type: Scalar, form: Format, literal: str) -> int:
    """Return the bit pattern of the nearest number of a format, with exact arithmetic."""
    mantissa, _, power = literal.lower().partition("e")
    negative = literal.startswith("-")
    zero = not mantissa.strip("-0.")
    if not zero and power and abs(int(power)) > LARGEST_POWER:
        literal = f"1e-{LARGEST_POWER}" if power.startswith("-") else f"1e{LARGEST_POWER}"
    value = Fraction(0) if zero else abs(Fraction(literal))
    sign = 1 << (form.exponent + form.fraction) if negative else 0
    if negative and not form.signed:
        raise BadNumber(f"{shown(literal)} is negative, {type} has no sign")
    pattern = nearest(form, value)
    if pattern is None:
        raise BadNumber(f"{shown(literal)} is too small for {type}, which has no zero")
    last = largest(form)
    if pattern > last and form.special != "ieee":
        raise BadNumber(f"{shown(literal)} is too large for {type}, which has no infinity")
    return sign | min(pattern, last + 1)
