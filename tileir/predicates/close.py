"""Arrays of two processors: equal where numbers are exact, and close where they are rounded.

Sums in another order, products that are rounded once instead of twice, and approximate functions
are no mistakes. How far they may be apart is relative to the largest number of the array, since
what cancels out leaves errors of what it was made of.
"""

from __future__ import annotations

from typing import Any

from tileir.formats.forks import not_forking

TOLERANCES = {"f64": 1e-8, "f32": 1e-3, "tf32": 1e-2, "f16": 1e-2, "bf16": 5e-2}
"""Element type -> the tolerance, as a part of the largest number; other floats have `COARSE`."""
COARSE = 0.25


def first_difference(element: str, one: bytes, other: bytes) -> tuple[int, Any, Any] | None:
    """Return index and both elements where two arrays differ first by more than rounding."""
    with not_forking:
        import numpy as np

        from tileir.ir.arrays import DTYPES
        from tileir.types import Scalar

    dtype = DTYPES.get(element, np.dtype(np.uint8))
    mine, theirs = (np.frombuffer(data, dtype) for data in (one, other))
    wrong = mine.view(np.uint8).reshape(len(mine), -1) != theirs.view(np.uint8).reshape(
        len(theirs), -1
    )
    wrong = wrong.any(axis=1)
    if Scalar(element).is_float and dtype != np.uint8:
        with np.errstate(all="ignore"):
            wide = [array.astype(np.float64) for array in (mine, theirs)]
            finite = [np.abs(array[np.isfinite(array)]) for array in wide]
            largest = max((float(array.max()) for array in finite if array.size), default=0.0)
            near = np.abs(wide[0] - wide[1]) <= TOLERANCES.get(element, COARSE) * largest
            near |= (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
        wrong &= ~near
    places = np.flatnonzero(wrong)
    return (int(places[0]), mine[places[0]], theirs[places[0]]) if places.size else None
