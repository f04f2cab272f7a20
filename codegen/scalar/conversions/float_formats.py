"""Parameters of the formats narrower than f32 with a fraction, for conversions."""

from __future__ import annotations

from dataclasses import dataclass

from tileir.ir import floats


@dataclass(frozen=True, slots=True)
class NarrowFormat:
    """A binary format: optional sign, biased exponent, fraction, from the highest bit down."""

    bits: int
    """Width in bits."""
    fraction: int
    """Width of the fraction in bits."""
    bias: int
    """Bias of the exponent."""
    largest: int
    """Bits of the largest finite number."""
    nan: int | None
    """Bits of a quiet NaN; if None, NaN becomes the largest number."""
    infinity: int | None
    """Bits of infinity, None if there is none."""
    saturates: bool
    """Whether overflow and infinity become the largest finite number."""
    signed: bool
    """Whether there is a sign; without one, the magnitude of a number is rounded."""


def _format(row: floats.Format, *, saturates: bool) -> NarrowFormat:
    ones = (1 << (row.exponent + row.fraction)) - 1
    infinity = ones >> row.fraction << row.fraction if row.special == "ieee" else None
    if infinity is not None:
        largest, nan = infinity - 1, infinity | 1 << (row.fraction - 1)
    else:
        largest, nan = (ones - 1, ones) if row.special == "nan" else (ones, None)
    width = row.signed + row.exponent + row.fraction
    return NarrowFormat(
        width, row.fraction, row.bias, largest, nan, infinity, saturates, row.signed
    )


_SATURATES = {
    "f16": False,
    "bf16": False,
    "tf32": False,
    # The only conversion to these on GPUs is cvt.satfinite; NVIDIA's compiler also uses it for
    # integers.
    "f8E5M2": True,
    "f8E4M3FN": True,
    "f4E2M1FN": True,
    "fnv8E5M3FNU": True,
}

FORMATS = {
    name: _format(floats.FORMATS[name], saturates=saturates)
    for name, saturates in _SATURATES.items()
}
