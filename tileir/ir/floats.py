"""The numbers that the bit patterns of floating-point elements stand for.

Each format is one row: its exponent and fraction bits, the exponent's bias, and the meaning of the
largest exponent. The row of `fnv8E5M3FNU` agrees with the 256 patterns that NVIDIA's disassembler
prints, and with ue5m3 in `cuda_fp8.h` of CUDA 13.5.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple


class Format(NamedTuple):
    """A binary floating-point format.

    `special` is "ieee" (the largest exponent holds infinities and NaNs), "nan" (only the largest
    pattern is a NaN), or "none" (all patterns are numbers). `signed` formats start with a sign bit.
    Without fraction bits there is no zero: every pattern is a power of two.
    """

    exponent: int
    fraction: int
    bias: int
    special: str = "ieee"
    signed: bool = True


FORMATS = {
    "f16": Format(5, 10, 15),
    "bf16": Format(8, 7, 127),
    "tf32": Format(8, 10, 127),
    "f32": Format(8, 23, 127),
    "f64": Format(11, 52, 1023),
    "f8E4M3FN": Format(4, 3, 7, "nan"),
    "f8E5M2": Format(5, 2, 15),
    "f8E8M0FNU": Format(8, 0, 127, "nan", signed=False),
    "f4E2M1FN": Format(2, 1, 1, "none"),
    "fnv8E5M3FNU": Format(5, 3, 15, "nan", signed=False),
}


def value_of(name: str, bits: int) -> float | None:
    """Return the number that a pattern of the format stands for; None for an unknown format."""
    form = FORMATS.get(name)
    if form is None:
        return None
    fraction = bits & (1 << form.fraction) - 1
    exponent = bits >> form.fraction & (1 << form.exponent) - 1
    sign = -1.0 if form.signed and bits >> (form.exponent + form.fraction) & 1 else 1.0
    largest = (1 << form.exponent) - 1
    all_ones = fraction == (1 << form.fraction) - 1
    if exponent == largest and form.special == "ieee":
        return math.copysign(math.nan, sign) if fraction else sign * math.inf
    if exponent == largest and form.special == "nan" and all_ones:
        return math.copysign(math.nan, sign)
    if exponent == 0 and form.fraction:
        return sign * math.ldexp(fraction, 1 - form.bias - form.fraction)
    return sign * math.ldexp((1 << form.fraction) + fraction, exponent - form.bias - form.fraction)


def nearest(form: Format, value: Fraction) -> int | None:
    """Return the bits of the number nearest to `value`, which is not negative, ties to even.

    The exponent is not limited, so the result may be beyond `largest`. None if the value is too
    small for a format without zero.
    """
    lowest = 1 - form.bias if form.fraction else -form.bias
    exponent = lowest
    if value:
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if value < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, lowest)
    units = round(value / Fraction(2) ** (exponent - form.fraction))
    if not form.fraction:
        return exponent + form.bias + units - 1 if units else None
    if units < 1 << form.fraction:
        return units
    return ((exponent + form.bias) << form.fraction) + units - (1 << form.fraction)


def pattern_of(name: str, value: float) -> int | None:
    """Return the bits of the number of a format that is nearest to `value`, ties to even.

    What is beyond the largest number is infinity, or else NaN, or else the largest number. NaN also
    stands for zero and negative numbers if the format has none. None for NaN if it has no NaN.
    """
    form = FORMATS[name]
    top = largest(form)
    beyond = top if form.special == "none" else top + 1
    nan = {"ieee": top + 1 + (1 << form.fraction >> 1), "nan": top + 1}.get(form.special)
    negative = math.copysign(1.0, value) < 0
    if math.isnan(value) or (negative and not form.signed):
        bits = nan
    elif math.isinf(value):
        bits = beyond
    elif not value and not form.fraction:
        bits = nan
    else:
        bits = min(nearest(form, abs(Fraction(value))) or 0, beyond)
    sign = 1 << (form.exponent + form.fraction) if negative and form.signed else 0
    return None if bits is None else sign | bits


def largest(form: Format) -> int:
    """Return the bits of the largest finite number."""
    everything = (1 << (form.exponent + form.fraction)) - 1
    if form.special == "ieee":
        return everything - (1 << form.fraction)
    return everything - 1 if form.special == "nan" else everything


def spell(name: str, bits: int, width: int) -> str:
    """Return the number as text, or the pattern where a number does not tell it apart."""
    value = value_of(name, bits)
    pattern = f"0x{bits:0{(width + 3) // 4}X}"
    if value is None or math.isnan(value):
        return pattern if value is None else f"{pattern} (nan)"
    return f"{value!r}"
