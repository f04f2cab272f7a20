"""C's printf for the elements of tiles: the output of print ops.

Numbers are passed as C passes them to printf: integers with the width of the length modifier,
floats as doubles. A tile with dimensions is written in brackets, its elements separated by commas.
Integers are signless: the conversion says how to read them, and i1 is 0 or 1.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from tileir.verifier.rules.miscellaneous import CONVERSION

_PARTS = re.compile(r"%([-+ #0]*)(\d*)\*?(?:\.(\d*)\*?)?(hh|h|ll|l|q|j|z|t|L)?(.?)", re.DOTALL)
_WIDTHS = {"hh": 8, "h": 16, "": 32}
"""Bits of an integer by length modifier; all others mean 64."""

_LONGEST = 1 << 16
"""The limit of widths and precisions, to limit memory: no number has more digits."""

_FRACTION_DIGITS = 13
"""Hexadecimal digits of a double's fraction."""

Number = int | float


@dataclass(frozen=True, slots=True)
class Conversion:
    """One conversion of a format; `precision` is None if there is none."""

    flags: str
    width: int
    precision: int | None
    bits: int
    letter: str

    @classmethod
    def of(cls, text: str) -> Conversion:
        """Parse a conversion; characters that do not belong to one are ignored."""
        match = cast("re.Match[str]", _PARTS.match(text))  # `%` at least
        flags, width, precision, length, letter = match.groups()
        digits = None if precision is None else _size(precision)
        return cls(flags, _size(width), digits, _WIDTHS.get(length or "", 64), letter)

    def without(self, flags: str) -> Conversion:
        """Return the conversion without some flags."""
        kept = "".join(flag for flag in self.flags if flag not in flags)
        return Conversion(kept, self.width, self.precision, self.bits, self.letter)

    def padded(self, text: str) -> str:
        """Return a text padded to the width."""
        return text.ljust(self.width) if "-" in self.flags else text.rjust(self.width)

    def zeroed(self, head: str, digits: str) -> str:
        """Return a number padded to the width; zeros go between its sign and its digits."""
        if "0" in self.flags and "-" not in self.flags:
            digits = digits.rjust(self.width - len(head), "0")
        return self.padded(head + digits)


def _size(digits: str) -> int:
    """Return a width or a precision; one without digits is 0."""
    digits = digits.lstrip("0")
    return min(int(digits or 0), _LONGEST) if len(digits) < 10 else _LONGEST


def write(conversion: Conversion, number: Number, bits: int) -> str:
    """Return the text of one element: `number` is a float, or an unsigned pattern of `bits`."""
    return _WRITERS.get(conversion.letter, _nothing)(conversion, number, bits)


def write_tile(
    conversion: Conversion, shape: Sequence[int], elements: Sequence[tuple[Number, int]]
) -> str:
    """Return the text of a tile; elements are in row-major order: numbers and their bits."""
    texts = [write(conversion, number, bits) for number, bits in elements]
    for extent in reversed(shape):
        groups = range(0, len(texts), extent)
        texts = [f"[{', '.join(texts[start : start + extent])}]" for start in groups]
    return texts[0]


def pieces(text: str) -> Iterator[str | Conversion]:
    """Split a format into literal text and conversions."""
    end = 0
    for match in CONVERSION.finditer(text):
        if match.start() > end:
            yield text[end : match.start()]
        yield "%" if match[1] else Conversion.of(match[0])
        end = match.end()
    if end < len(text):
        yield text[end:]


def _unsigned(conversion: Conversion, number: Number, bits: int) -> int:
    """Return the pattern that printf reads as an integer, as unsigned."""
    if isinstance(number, float):
        number, bits = int.from_bytes(struct.pack("<d", number), "little"), 64
    return number & ((1 << min(bits, conversion.bits)) - 1)


def _signed(conversion: Conversion, number: Number, bits: int) -> str:
    pattern = _unsigned(conversion, number, bits)
    if isinstance(number, float):
        bits = 64
    width = min(bits, conversion.bits)
    negative = width > 1 and bool(pattern >> (width - 1) & 1)
    magnitude = (1 << width) - pattern if negative else pattern
    return _integer(conversion, _sign(conversion, negative), magnitude, "d")


def _natural(conversion: Conversion, number: Number, bits: int) -> str:
    pattern = _unsigned(conversion, number, bits)
    head = f"0{conversion.letter}" if pattern and _is_marked(conversion, "xX") else ""
    return _integer(conversion, head, pattern, conversion.letter.replace("u", "d"))


def _integer(conversion: Conversion, head: str, magnitude: int, base: str) -> str:
    precision = 1 if conversion.precision is None else conversion.precision
    digits = format(magnitude, base).rjust(precision, "0") if magnitude or precision else ""
    if _is_marked(conversion, "o") and not digits.startswith("0"):
        digits = "0" + digits
    if conversion.precision is not None:
        conversion = conversion.without("0")
    return conversion.zeroed(head, digits)


def _is_marked(conversion: Conversion, letters: str) -> bool:
    return "#" in conversion.flags and conversion.letter in letters


def _sign(conversion: Conversion, negative: bool) -> str:
    if negative:
        return "-"
    return next((sign for sign in "+ " if sign in conversion.flags), "")


def _float(conversion: Conversion, number: Number, bits: int) -> str:
    if isinstance(number, int):
        (number,) = struct.unpack("<d", (number & ((1 << bits) - 1)).to_bytes(8, "little"))
    head, magnitude = _sign(conversion, math.copysign(1, number) < 0), abs(number)
    if not math.isfinite(number):
        word = "nan" if math.isnan(number) else "inf"
        word = word.upper() if conversion.letter.isupper() else word
        return conversion.padded(head + word)
    if conversion.letter in "aA":
        digits = _hexadecimal(conversion, magnitude)
        upper = conversion.letter == "A"
        return conversion.zeroed(
            head + ("0X" if upper else "0x"), digits.upper() if upper else digits
        )
    precision = 6 if conversion.precision is None else conversion.precision
    mark = "#" if "#" in conversion.flags else ""
    return conversion.zeroed(head, f"%{mark}.{precision}{conversion.letter}" % magnitude)


def _hexadecimal(conversion: Conversion, magnitude: float) -> str:
    """Return the digits of %a, rounded to even; without a precision, as few as are exact."""
    exponent = max(math.frexp(magnitude)[1] - 1, -1022) if magnitude else 0
    whole = int(math.ldexp(magnitude, 4 * _FRACTION_DIGITS - exponent))
    wanted = conversion.precision
    if wanted is not None and wanted < _FRACTION_DIGITS:
        step = 1 << 4 * (_FRACTION_DIGITS - wanted)
        rest, whole = whole % step, whole - whole % step
        if 2 * rest > step or (2 * rest == step and whole // step % 2):
            whole += step
    lead, fraction = divmod(whole, 1 << 4 * _FRACTION_DIGITS)
    digits = f"{fraction:0{_FRACTION_DIGITS}x}"
    digits = digits.rstrip("0") if wanted is None else digits[:wanted].ljust(wanted, "0")
    point = "." if digits or "#" in conversion.flags else ""
    return f"{lead}{point}{digits}p{exponent:+d}"


def _character(conversion: Conversion, number: Number, bits: int) -> str:
    return conversion.padded(chr(_unsigned(conversion, number, bits) & 0xFF))


def _pointer(conversion: Conversion, number: Number, bits: int) -> str:
    address = _unsigned(Conversion("", 0, None, 64, "p"), number, bits)
    return conversion.padded(f"{address:#x}" if address else "(nil)")


def _string(conversion: Conversion, number: Number, bits: int) -> str:
    """Return the string at an address; a number that is no pointer is written as one."""
    if isinstance(number, float) or bits < 64:
        return _pointer(conversion, number, bits)
    text = ctypes.string_at(number).decode("utf-8", "replace") if number else "(null)"
    return conversion.padded(text[: conversion.precision])


def _nothing(conversion: Conversion, number: Number, bits: int) -> str:
    """Return nothing, for %n, which has no address to store to, and incomplete conversions."""
    return ""


_WRITERS: dict[str, Callable[[Conversion, Number, int], str]] = {
    **dict.fromkeys("di", _signed),
    **dict.fromkeys("uoxX", _natural),
    **dict.fromkeys("eEfFgGaA", _float),
    **dict.fromkeys("sS", _string),
    "c": _character,
    "p": _pointer,
}
