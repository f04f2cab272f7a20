"""One element of a conversion of a constant, where the result is the same number, or the bits."""

from __future__ import annotations

import math
from typing import cast

from tileir.ir import Op
from tileir.ir.floats import value_of
from tileir.types import Scalar

from .arithmetic import PROMISES, Fold, element_of
from .elements import all_ones, exact_float, fits, read, signed

REPACKED = ("tf32", "i4", "f4E2M1FN")
"""Elements whose bits are not those of memory."""


def _to(op: Op) -> Scalar:
    return cast("Scalar", op.result.type.element)


def _exti(op: Op, source: int) -> int:
    """Widen a number; an i1 that is set becomes minus one if it is signed."""
    if op.attributes["signedness"] == "unsigned":
        return source
    return signed(source, element_of(op)) & all_ones(_to(op))


def _trunci(op: Op, source: int) -> int | None:
    """Drop upper bits; None if a promise about them is broken."""
    result = source & all_ones(_to(op))
    for signedness in PROMISES[op.attributes["overflow"]]:
        if read(result, _to(op), signedness) != read(source, element_of(op), signedness):
            return None
    return result


def _itof(op: Op, source: int) -> int | None:
    if element_of(op).bits < 8:
        return None
    number = read(source, element_of(op), op.attributes["signedness"])
    try:
        same = float(number)
    except OverflowError:
        return None
    return exact_float(_to(op), same) if same == number else None


def _ftoi(op: Op, source: int) -> int | None:
    """The fraction is dropped; a number that does not fit stays for the op to deal with."""
    number, to = value_of(element_of(op).name, source), _to(op)
    if number is None or not math.isfinite(number) or to.bits < 8:
        return None
    whole = math.trunc(number)
    return whole & all_ones(to) if fits(whole, to, op.attributes["signedness"]) else None


def _ftof(op: Op, source: int) -> int | None:
    """Infinities are left alone: small types have none, or conversions to them saturate."""
    number = value_of(element_of(op).name, source)
    if number is None or not math.isfinite(number):
        return None
    return exact_float(_to(op), number)


def _bitcast(op: Op, source: int) -> int | None:
    return None if {element_of(op).name, _to(op).name} & {*REPACKED} else source


CONVERSIONS: dict[str, Fold] = {
    "bitcast": _bitcast,
    "exti": _exti,
    "ftof": _ftof,
    "ftoi": _ftoi,
    "itof": _itof,
    "trunci": _trunci,
}
"""Ops that convert numbers."""
