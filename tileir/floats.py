"""What the bit patterns of floating-point elements stand for.

One row a format: its exponent and fraction bits, the exponent's bias, and what the largest exponent
means. That of `fnv8E5M3FNU` is as NVIDIA's disassembler prints its 256 patterns; nothing else is
published about it.
"""

from __future__ import annotations

import math
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
    """The number that a pattern of the format stands for; None if nobody says."""
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


def spell(name: str, bits: int, width: int) -> str:
    """A pattern for a person: the number, or the pattern where no number says it all."""
    value = value_of(name, bits)
    pattern = f"0x{bits:0{(width + 3) // 4}X}"
    if value is None or math.isnan(value):
        return pattern if value is None else f"{pattern} (nan)"
    return f"{value!r}"
