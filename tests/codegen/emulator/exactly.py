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
}


def rounded(number: Fraction, kind: str, mode: str, zero: float = 0.0) -> float:
    """The float for an exact number; `zero` is the result for zero."""
    if not number:
        return zero
    up = number > 0
    digits, last, top = FORMATS[kind]
    above, below = abs(number.numerator), number.denominator
    exponent = above.bit_length() - below.bit_length()
    exponent -= above << max(-exponent, 0) < below << max(exponent, 0)
    quantum = max(exponent + 1 - digits, last)
    steps, rest = divmod(above << max(-quantum, 0), below << max(quantum, 0))
    half = 2 * rest - (below << max(quantum, 0))
    further = {
        "rn": half > 0 or (half == 0 and steps % 2 == 1),
        "rna": half >= 0,
        "rz": False,
        "rm": rest > 0 and not up,
        "rp": rest > 0 and up,
    }[mode]
    steps += further
    if steps.bit_length() + quantum > top + 1:
        stays = mode == "rz" or (mode == "rm" and up) or (mode == "rp" and not up)
        largest = math.ldexp((1 << digits) - 1, top + 1 - digits)
        return (1 if up else -1) * (largest if stays else math.inf)
    return (1 if up else -1) * math.ldexp(steps, quantum)


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
