"""Traits of the ops of the chapter Miscellaneous."""

from __future__ import annotations

from . import contiguity, divisibility, totality
from .spec import Family, Traits

ROWS = (
    Traits(
        "assume",
        Family.RENUMBERING,
        divisibility=divisibility.assume,
        contiguity=contiguity.assume,
        total=totality.never,
    ),
    Traits("print_tko", Family.MESSAGE),
)
