"""Integer arithmetic, in numbers of Python that never overflow, wrapped at the end."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tileir.ir import Op

from .elements import read, signed, unsigned, wrapped
from .rounding import WHOLE
from .undefined import Undefined


def _element(op: Op):
    return next(op.operand_list()).type.element


def _checked(op: Op, exact: Callable, *operands: np.ndarray) -> np.ndarray:
    """The wrapped result; a promise in `overflow` that does not hold is undefined behaviour."""
    element, promise = _element(op), op.attributes["overflow"]
    for names, reading in (
        (("no_signed_wrap", "no_wrap"), signed),
        (("no_unsigned_wrap", "no_wrap"), unsigned),
    ):
        if promise in names:
            result = exact(*(reading(operand, element) for operand in operands))
            if (reading(wrapped(result, element), element) != result).any():
                raise Undefined(f"overflow despite {promise}")
    return wrapped(exact(*(unsigned(operand, element) for operand in operands)), element)


def addi(op: Op, lhs, rhs):
    return _checked(op, operator.add, lhs, rhs)


def subi(op: Op, lhs, rhs):
    return _checked(op, operator.sub, lhs, rhs)


def muli(op: Op, lhs, rhs):
    return _checked(op, operator.mul, lhs, rhs)


def negi(op: Op, source):
    return _checked(op, operator.neg, source)


def absi(op: Op, source):
    return wrapped(abs(signed(source, _element(op))), _element(op))


def mulhii(op: Op, x, y):
    element = _element(op)
    return wrapped((unsigned(x, element) * unsigned(y, element)) >> element.bits, element)


def andi(op: Op, lhs, rhs):
    return lhs & rhs


def ori(op: Op, lhs, rhs):
    return lhs | rhs


def xori(op: Op, lhs, rhs):
    return lhs ^ rhs


def _amount(op: Op, rhs) -> np.ndarray:
    amount = unsigned(rhs, _element(op))
    if (amount >= _element(op).bits).any():
        raise Undefined("shift by the width or more")
    return amount


def shli(op: Op, lhs, rhs):
    amount = _amount(op, rhs)
    return _checked(op, lambda number: number * 2**amount, lhs)


def shri(op: Op, lhs, rhs):
    numbers = read(lhs, _element(op), op.attributes["signedness"])
    return wrapped(numbers >> _amount(op, rhs), _element(op))


def _divided(op: Op, lhs, rhs) -> tuple[np.ndarray, np.ndarray]:
    """Dividend and divisor as numbers."""
    pair = [read(side, _element(op), op.attributes["signedness"]) for side in (lhs, rhs)]
    if (pair[1] == 0).any():
        raise Undefined("division by zero")
    return pair[0], pair[1]


def divi(op: Op, lhs, rhs):
    whole = WHOLE[op.attributes["rounding"]]
    divide = np.frompyfunc(lambda a, b: whole(Fraction(a, b)), 2, 1)
    quotient = np.asarray(divide(*_divided(op, lhs, rhs)), object)
    result = wrapped(quotient, _element(op))
    if (read(result, _element(op), op.attributes["signedness"]) != quotient).any():
        raise Undefined("the quotient does not fit")
    return result


def remi(op: Op, lhs, rhs):
    """The remainder has the dividend's sign."""
    remainder = np.frompyfunc(lambda a, b: a - b * int(Fraction(a, b)), 2, 1)
    return wrapped(remainder(*_divided(op, lhs, rhs)), _element(op))


RELATIONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}


def cmpi(op: Op, lhs, rhs):
    pair = [read(side, _element(op), op.attributes["signedness"]) for side in (lhs, rhs)]
    return np.asarray(RELATIONS[op.attributes["comparison_predicate"]](*pair)).astype(bool)


def _extremum(choose: Callable) -> Callable:
    def extremum(op: Op, lhs, rhs):
        pair = [read(side, _element(op), op.attributes["signedness"]) for side in (lhs, rhs)]
        return wrapped(choose(*pair), _element(op))

    return extremum


OPS = {
    function.__name__: function
    for function in (
        absi, addi, andi, cmpi, divi, mulhii, muli, negi, ori, remi, shli, shri, subi, xori,
    )
} | {"maxi": _extremum(np.maximum), "mini": _extremum(np.minimum)}  # fmt: skip
