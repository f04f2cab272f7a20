"""Rounding of exact fractions to a float type: slow, and written without the emulator's."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

FORMATS = {"f16": (11, -24, 15), "bf16": (8, -133, 127), "f32": (24, -149, 127),
           "f64": (53, -1074, 1023), "tf32": (11, -136, 127)}  # fmt: skip
"""Digits, exponent of the smallest number, largest exponent."""
INTEGERS: dict[str, Callable[[Fraction], int]] = {
    "rn": round,
    "rz": math.trunc,
    "rm": math.floor,
    "rp": math.ceil,
    "rna": lambda x: math.floor(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1),
}


def rounded(number: Fraction, kind: str, mode: str, zero: float = 0.0) -> float:
    """The float for an exact number; `zero` is the result for zero."""
    if not number:
        return zero
    digits, last, top = FORMATS[kind]
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    exponent -= abs(number) < Fraction(2) ** exponent
    quantum = Fraction(2) ** max(exponent + 1 - digits, last)
    result = INTEGERS[mode](number / quantum) * quantum
    largest = (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** top
    if abs(result) > largest:
        up = number > 0
        stays = mode == "rz" or (mode == "rm" and up) or (mode == "rp" and not up)
        return (1 if up else -1) * (float(largest) if stays else math.inf)
    return math.copysign(float(result), 1 if number > 0 else -1)


def each(
    function: Callable[..., Fraction], arrays: list[np.ndarray], kind: str, mode: str
) -> tuple[np.ndarray, np.ndarray]:
    """Results of finite operands, as doubles; and where they are worth comparing: not zero."""
    out, known = [], []
    for row in zip(*arrays, strict=True):
        number = None
        if all(math.isfinite(float(x)) for x in row):
            try:
                number = function(*(Fraction(float(x)) for x in row))
            except ZeroDivisionError:
                number = None
        known.append(bool(number))
        out.append(rounded(number, kind, mode) if number else 0.0)
    return np.array(out), np.array(known)
