"""Traits of the ops of the chapter Conversions."""

from __future__ import annotations

from . import contiguity, divisibility, totality
from .spec import element_wise

ROWS = (
    element_wise("bitcast"),
    element_wise("exti", divisibility=divisibility.exti, contiguity=contiguity.extend),
    element_wise("ftof"),
    element_wise("ftoi", total=totality.saturating),
    element_wise("int_to_ptr"),
    element_wise("itof"),
    element_wise("ptr_to_int"),
    element_wise("ptr_to_ptr"),
    element_wise(
        "trunci",
        divisibility=divisibility.same,
        contiguity=contiguity.same,
        total=totality.without_promise,
    ),
)
