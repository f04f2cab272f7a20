"""What rounding means, computed with exact numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

LAYOUT = {
    # element: digits, least exponent of a normal number, largest finite number
    "f4E2M1FN": (2, 0, 6.0),
    "f8E4M3FN": (4, -6, 448.0),
    "f8E5M2": (3, -14, 57344.0),
    "fnv8E5M3FNU": (4, -14, 114688.0),
    "f16": (11, -14, 65504.0),
    "bf16": (8, -126, (2 - 2.0**-7) * 2.0**127),
    "tf32": (11, -126, (2 - 2.0**-10) * 2.0**127),
    "f32": (24, -126, (2 - 2.0**-23) * 2.0**127),
    "f64": (53, -1022, (2 - 2.0**-52) * 2.0**1023),
}
SATURATING = ("f4E2M1FN", "f8E4M3FN", "f8E5M2", "fnv8E5M3FNU")

WHOLE = {
    "nearest_even": np.rint,
    "nearest_away": lambda n: np.trunc(n) + np.where(np.abs(np.modf(n)[0]) >= 0.5, np.sign(n), 0),
    "zero": np.trunc,
    "negative_inf": np.floor,
    "positive_inf": np.ceil,
}


def rounded(values: np.ndarray, element: str, mode: str) -> np.ndarray:
    """f64 numbers rounded to a narrower format, as f64. Every step but the rounding is exact."""
    digits, least, largest = LAYOUT[element]
    values = values.astype(np.float64)
    exponent = np.maximum(np.frexp(values)[1] - 1, least) - (digits - 1)
    units = WHOLE[mode](np.ldexp(values, -exponent))
    result = np.copysign(np.ldexp(units, exponent), values)
    result = np.where(np.isfinite(values), result, values)
    beyond = np.abs(result) > largest
    limit = np.where(result < 0, -largest, largest)
    if element in SATURATING:
        return np.where(beyond, limit, result)
    kept = {"zero": beyond, "negative_inf": result > 0, "positive_inf": result < 0}
    stays = beyond & np.isfinite(values) & kept.get(mode, False)
    return np.where(stays, limit, np.where(beyond, np.copysign(np.inf, result), result))


def directed(exact: Fraction, element: str, mode: str) -> float:
    """An exact number, not zero, rounded to f32 or f64 in a directed mode."""
    digits, least, largest = LAYOUT[element]
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, least) - digits + 1)
    units = magnitude // unit
    away = (exact < 0) if mode == "negative_inf" else (exact > 0)
    if away and mode != "zero" and units * unit != magnitude:
        units += 1
    if units * unit > Fraction(largest):
        found = float("inf") if away and mode != "zero" else largest
    else:
        found = float(units * unit)
    return -found if exact < 0 else found
