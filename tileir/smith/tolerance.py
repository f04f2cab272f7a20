"""How far results may be apart: in steps between neighbouring floats, or by a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir.types import Scalar

from .elements import bits


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Bits must be equal, but that any NaN is as good as another; floats may be `steps` apart, or
    `difference`. With `flushed`, subnormal numbers and the smallest normal one are zero."""

    steps: int = 0
    difference: float = 0.0
    flushed: bool = False

    def wrong(self, found: np.ndarray, expected: np.ndarray, element: Scalar) -> np.ndarray:
        """Which elements are too far from what is expected."""
        same = bits(found, element) == bits(expected, element)
        if element.is_integer or element.name in ("f8E8M0FNU", "f4E2M1FN"):
            return ~same.astype(bool)
        with np.errstate(all="ignore"):
            wide = [array.astype(np.float64) for array in (found, expected)]
        good = same.astype(bool) | (np.isnan(wide[0]) & np.isnan(wide[1]))
        if self.flushed:
            good |= (np.abs(wide[0]) <= 2.0**-126) & (np.abs(wide[1]) <= 2.0**-126)
        if self.difference:
            with np.errstate(all="ignore"):
                good |= np.abs(wide[0] - wide[1]) <= self.difference
        if self.steps:
            missing = np.isnan(wide[0]) | np.isnan(wide[1])
            apart = np.abs(_order(found, element) - _order(expected, element))
            good |= ~missing & (apart <= self.steps).astype(bool)
        return ~good


EXACT = Tolerance()


def _order(array: np.ndarray, element: Scalar) -> np.ndarray:
    """Numbers of Python in the order of the floats, neighbours one apart."""
    patterns, sign = bits(array, element), 1 << (8 * array.dtype.itemsize - 1)
    return np.where(patterns >= sign, sign - patterns, patterns)
