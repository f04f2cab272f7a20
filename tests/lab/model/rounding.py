"""Rounding by the book: exact fractions to the numbers of a floating-point format."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tileir.types import Scalar

from .elements import each


class Grid(NamedTuple):
    """The numbers of a format: `digits` binary digits, none below 2**last, none over `largest`.

    What is rounded beyond it becomes an infinity, or stays the largest number if it `saturates`, as
    conversions to formats of 8 bits and less do on GPUs. One that is not `signed` takes magnitudes.
    """

    digits: int
    last: int
    largest: Fraction
    saturates: bool = False
    signed: bool = True


def _ieee(digits: int, last: int, limit: int) -> Grid:
    return Grid(digits, last, Fraction(2**limit) - Fraction(2 ** (limit - digits)))


GRIDS = {
    "f16": _ieee(11, -24, 16),
    "bf16": _ieee(8, -133, 128),
    "tf32": _ieee(11, -136, 128),
    "f32": _ieee(24, -149, 128),
    "f64": _ieee(53, -1074, 1024),
    "f8E4M3FN": Grid(4, -9, Fraction(448), True),
    "f8E5M2": Grid(3, -16, Fraction(57344), True),
    "f4E2M1FN": Grid(2, -1, Fraction(6), True),
    "fnv8E5M3FNU": Grid(4, -17, Fraction(114688), True, signed=False),
}


def _away(number: Fraction) -> int:
    whole = math.floor(abs(number) + Fraction(1, 2))
    return whole if number > 0 else -whole


WHOLE: dict[str, Callable[[Fraction], int]] = {
    "nearest_even": round,
    "nearest_away": _away,
    "zero": math.trunc,
    "negative_inf": math.floor,
    "positive_inf": math.ceil,
}
"""Rounding mode -> a fraction as a whole number."""

DIRECTED = ("zero", "negative_inf", "positive_inf")


def power(exponent: int) -> Fraction:
    """Two to any whole power."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def magnitude(number: Fraction) -> int:
    """The exponent of the largest power of two that is not above |number|."""
    number = abs(number)
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    return exponent if power(exponent) <= number else exponent - 1


def rounded(number: Fraction, element: str, mode: str = "nearest_even", zero: float = 0.0) -> float:
    """An exact number in a format; `zero` is the zero that an exact zero becomes."""
    if not number:
        return zero
    grid = GRIDS[element]
    number = number if grid.signed else abs(number)
    quantum = power(max(magnitude(number) - grid.digits + 1, grid.last))
    result = WHOLE[mode](number / quantum) * quantum
    if abs(result) > grid.largest:
        inward = {"zero": True, "negative_inf": number > 0, "positive_inf": number < 0}
        stays = grid.saturates or inward.get(mode, False)
        result = grid.largest if stays else math.inf
    return math.copysign(float(abs(result)), 1 if number > 0 else -1)


def convert(number: float, element: str, mode: str = "nearest_even") -> float:
    """A float, infinite or NaN as it may be, in another format."""
    grid = GRIDS[element]
    number = number if grid.signed else abs(number)
    if math.isnan(number):
        return number if element != "f4E2M1FN" else float(grid.largest)
    if math.isinf(number):
        return math.copysign(float(grid.largest), number) if grid.saturates else number
    return rounded(Fraction(number), element, mode, math.copysign(0.0, number))


def narrowed(array: np.ndarray, element: Scalar, mode: str = "nearest_even") -> np.ndarray:
    """Floats that NumPy knows as a tile of another type, each rounded once."""
    wide = array.astype(np.float64)
    return each(lambda number: convert(number, element.name, mode), element, wide)
