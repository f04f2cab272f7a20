"""Traits of the ops of the chapter Integer."""

from __future__ import annotations

from . import contiguity, divisibility, totality
from .spec import DIVISION, NEVER_AGAIN, Family, Traits, element_wise

ROWS = (
    element_wise("absi"),
    element_wise(
        "addi",
        commutes=True,
        divisibility=divisibility.addi,
        contiguity=contiguity.add,
        total=totality.without_promise,
    ),
    element_wise("cmpi", contiguity=contiguity.compare),
    element_wise(
        "divi",
        DIVISION,
        divisibility=divisibility.divi,
        contiguity=contiguity.alike,
        total=totality.positive_divisor,
    ),
    element_wise("maxi", commutes=True, divisibility=divisibility.one_of),
    element_wise("mini", commutes=True, divisibility=divisibility.one_of),
    Traits("mmai", Family.PRODUCT, NEVER_AGAIN),
    element_wise("mulhii"),
    element_wise(
        "muli",
        commutes=True,
        divisibility=divisibility.muli,
        contiguity=contiguity.multiply,
        total=totality.without_promise,
    ),
    element_wise("negi", divisibility=divisibility.negi, total=totality.without_promise),
    element_wise(
        "remi",
        DIVISION,
        divisibility=divisibility.remi,
        contiguity=contiguity.alike,
        total=totality.positive_divisor,
    ),
    element_wise(
        "subi",
        divisibility=divisibility.subi,
        contiguity=contiguity.subtract,
        total=totality.without_promise,
    ),
)
