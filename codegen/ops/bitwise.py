"""Traits of the ops of the chapter Bitwise."""

from __future__ import annotations

from . import contiguity, divisibility, totality
from .spec import element_wise

ROWS = (
    element_wise(
        "andi", commutes=True, divisibility=divisibility.andi, contiguity=contiguity.bitwise
    ),
    element_wise(
        "ori", commutes=True, divisibility=divisibility.ori, contiguity=contiguity.bitwise
    ),
    element_wise("shli", divisibility=divisibility.shli, total=totality.narrow_shift),
    element_wise("shri", total=totality.narrow_shift),
    element_wise(
        "xori", commutes=True, divisibility=divisibility.ori, contiguity=contiguity.bitwise
    ),
)
