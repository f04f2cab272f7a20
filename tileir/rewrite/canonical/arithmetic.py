"""One element of an arithmetic op on constants, exactly: what needs no rounding and has a meaning.

A function gets the op and the bits of an element of each operand, and returns the bits of the
element of the result, or None: where a promise of the op is broken, or what it does is undefined,
nothing is computed, and the op stays as it is. So does what would have to be rounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from tileir.ir import Op
from tileir.ir.floats import value_of
from tileir.types import Scalar

from .elements import all_ones, exact_float, fits, read, signed

Fold = Callable[..., int | None]
"""The function of an op: the op, and the bits of its operands."""

PROMISES = {
    "none": (),
    "no_signed_wrap": ("signed",),
    "no_unsigned_wrap": ("unsigned",),
    "no_wrap": ("signed", "unsigned"),
}
"""`overflow` -> how the operands and the result have to be read for the promise."""

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}
"""`comparison_predicate` -> the relation."""


def element_of(op: Op) -> Scalar:
    """Return the element type of the first operand."""
    return cast("Scalar", next(iter(op.operand_list())).type.element)


def _wrapping(exact: Callable[..., int]) -> Fold:
    """Return the function of an op whose result wraps, unless it promises that it does not."""

    def fold(op: Op, *bits: int) -> int | None:
        element = element_of(op)
        for signedness in PROMISES[op.attributes["overflow"]]:
            number = exact(*(read(each, element, signedness) for each in bits))
            if not fits(number, element, signedness):
                return None
        return exact(*bits) & all_ones(element)

    return fold


def _absi(op: Op, source: int) -> int:
    return abs(signed(source, element_of(op)))


def _mulhii(op: Op, x: int, y: int) -> int:
    return (x * y) >> element_of(op).bits


def _shli(op: Op, lhs: int, amount: int) -> int | None:
    shift = _wrapping(lambda number: number << amount)
    return shift(op, lhs) if amount < element_of(op).bits else None


def _shri(op: Op, lhs: int, amount: int) -> int | None:
    element = element_of(op)
    if amount >= element.bits:
        return None
    return (read(lhs, element, op.attributes["signedness"]) >> amount) & all_ones(element)


def _divi(op: Op, lhs: int, rhs: int) -> int | None:
    """Division by zero, and a quotient that does not fit, are undefined."""
    element, signedness = element_of(op), op.attributes["signedness"]
    if not rhs:
        return None
    exact = Fraction(read(lhs, element, signedness), read(rhs, element, signedness))
    rounding = {"zero": math.trunc, "negative_inf": math.floor, "positive_inf": math.ceil}
    quotient = rounding[op.attributes["rounding"]](exact)
    return quotient & all_ones(element) if fits(quotient, element, signedness) else None


def _remi(op: Op, lhs: int, rhs: int) -> int | None:
    """The remainder has the sign of the dividend."""
    element, signedness = element_of(op), op.attributes["signedness"]
    if not rhs:
        return None
    a, b = read(lhs, element, signedness), read(rhs, element, signedness)
    if not fits(math.trunc(Fraction(a, b)), element, signedness):
        return None
    return (a - b * math.trunc(Fraction(a, b))) & all_ones(element)


def _extremum(choose: Callable[..., int]) -> Fold:
    def fold(op: Op, lhs: int, rhs: int) -> int:
        element, signedness = element_of(op), op.attributes["signedness"]
        return choose(lhs, rhs, key=lambda bits: read(bits, element, signedness))

    return fold


def _cmpi(op: Op, lhs: int, rhs: int) -> int:
    element, signedness = element_of(op), op.attributes["signedness"]
    relation = RELATIONS[op.attributes["comparison_predicate"]]
    return int(relation(read(lhs, element, signedness), read(rhs, element, signedness)))


INTEGERS: dict[str, Fold] = {
    "absi": _absi,
    "addi": _wrapping(operator.add),
    "cmpi": _cmpi,
    "divi": _divi,
    "maxi": _extremum(max),
    "mini": _extremum(min),
    "mulhii": _mulhii,
    "muli": _wrapping(operator.mul),
    "negi": _wrapping(lambda source: -source),
    "remi": _remi,
    "shli": _shli,
    "shri": _shri,
    "subi": _wrapping(operator.sub),
}
"""Ops on integers of at least a byte."""

BITWISE: dict[str, Fold] = {
    "andi": lambda op, lhs, rhs: lhs & rhs,
    "ori": lambda op, lhs, rhs: lhs | rhs,
    "xori": lambda op, lhs, rhs: lhs ^ rhs,
    "select": lambda op, condition, yes, no: yes if condition else no,
}
"""Ops that read no number: i1 too, and `select` every type."""


def _exactly(exact: Callable[..., Fraction]) -> Fold:
    """Return the function of an op of which the result is a number that the type has.

    Then all rounding modes give it. Not for zero, whose sign may depend on the mode, nor where
    small numbers are flushed, nor where the op may be approximate.
    """

    def fold(op: Op, *bits: int) -> int | None:
        element = element_of(op)
        approximate = op.attributes["rounding_mode"] in ("approx", "full")
        numbers = [value_of(element.name, each) for each in bits]
        if approximate or op.attributes.get("flush_to_zero"):
            return None
        finite = [number for number in numbers if number is not None and math.isfinite(number)]
        if len(finite) < len(numbers):
            return None
        try:
            result = exact(*map(Fraction, finite))
        except ZeroDivisionError:
            return None
        return exact_float(element, result) if result else None

    return fold


def _sign_bit(op: Op) -> int:
    return 1 << (element_of(op).bits - 1)


def _cmpf(op: Op, lhs: int, rhs: int) -> int | None:
    name = element_of(op).name
    a, b = value_of(name, lhs), value_of(name, rhs)
    if a is None or b is None:
        return None
    if math.isnan(a) or math.isnan(b):
        return int(op.attributes["comparison_ordering"] == "unordered")
    return int(RELATIONS[op.attributes["comparison_predicate"]](a, b))


FLOATS: dict[str, Fold] = {
    "absf": lambda op, source: source & ~_sign_bit(op),
    "addf": _exactly(operator.add),
    "cmpf": _cmpf,
    "divf": _exactly(operator.truediv),
    "fma": _exactly(lambda lhs, rhs, acc: lhs * rhs + acc),
    "mulf": _exactly(operator.mul),
    "negf": lambda op, source: source ^ _sign_bit(op),
    "subf": _exactly(operator.sub),
}
"""Ops on floats."""
