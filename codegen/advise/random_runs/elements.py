"""What ops compute of each element, in exact arithmetic as far as f64 has it.

Floats of all types are f64 here and are never rounded, so that what is equal but for rounding is
equal. Whole numbers are int64, addresses too, in bytes; those of one bit are bool.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tileir.ir import Op
from tileir.types import Scalar

Array = np.ndarray
Function = Callable[..., Array]

FLOATS: Mapping[str, Function] = {
    "absf": np.abs,
    "addf": np.add,
    "atan2": np.arctan2,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "divf": np.divide,
    "exp": np.exp,
    "exp2": np.exp2,
    "floor": np.floor,
    "fma": lambda a, b, c: a * b + c,
    "fpowf": np.power,
    "fpowi": np.power,
    "log": np.log,
    "log2": np.log2,
    "maxf": np.maximum,
    "minf": np.minimum,
    "mulf": np.multiply,
    "negf": np.negative,
    "remf": np.fmod,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "subf": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
}
"""Op on floats -> what it computes."""

INTEGERS: Mapping[str, Function] = {
    "absi": np.abs,
    "addi": np.add,
    "andi": np.bitwise_and,
    "muli": np.multiply,
    "negi": np.negative,
    "ori": np.bitwise_or,
    "subi": np.subtract,
    "xori": np.bitwise_xor,
}
"""Op on whole numbers -> what it computes; it may not fit, which `wrapped` sees to."""

SIGNED: Mapping[str, Function] = {"maxi": np.maximum, "mini": np.minimum}
"""Op on whole numbers -> what it computes, if it reads them as signed."""

COMPARED: Mapping[str, Function] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}
"""Predicate -> what it asks."""


def wrapped(array: Array, bits: int) -> Array:
    """Return whole numbers as signed ones of so many bits."""
    if bits == 1:
        return (array & 1).astype(bool)
    array = array.astype(np.int64)
    return array if bits >= 64 else (array << 64 - bits) >> 64 - bits


def whole(op: Op, given: Sequence[Array]) -> Array:
    """Return what an op of `INTEGERS` computes."""
    numbers = (each.astype(np.int64) for each in given)
    return wrapped(INTEGERS[op.name](*numbers), op.result.type.element.bits)


def read(array: Array, element: Scalar, signedness: object) -> Array:
    """Return whole numbers of a type as an op reads them, signed or unsigned."""
    if element.bits == 1:
        array = array.astype(np.int64)
        return array if signedness == "unsigned" else -array
    if signedness != "unsigned":
        return array
    return array.view(np.uint64) if element.bits >= 64 else array & (1 << element.bits) - 1


def _read(op: Op, array: Array) -> Array:
    """Return an operand as an op reads it, whose operands are of one type."""
    return read(array, next(op.operand_list()).type.element, op.attributes.get("signedness"))


def chosen(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return the larger or the smaller of each pair of numbers."""
    larger = _read(op, lhs) > _read(op, rhs)
    return np.where(larger == (op.name == "maxi"), lhs, rhs)


def divided(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return quotients, as an op rounds them; by 0, which is undefined, as by 1."""
    lhs, rhs = _read(op, lhs), _read(op, np.where(rhs == 0, 1, rhs).astype(rhs.dtype))
    down = lhs // rhs
    inexact = down * rhs != lhs
    rounding = op.attributes["rounding"]
    if rounding == "negative_inf":
        return down
    if rounding == "positive_inf":
        return down + inexact
    return down + (inexact & ((lhs < 0) != (rhs < 0)))


def remaining(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return remainders of the division toward zero; by 0, which is undefined, as by 1."""
    return np.fmod(_read(op, lhs), _read(op, np.where(rhs == 0, 1, rhs).astype(rhs.dtype)))


def shifted(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return numbers shifted by as many bits as there are."""
    rhs = rhs.astype(np.int64) % op.result.type.element.bits
    if op.name == "shli":
        return lhs.astype(np.int64) << rhs
    lhs = _read(op, lhs)
    return lhs >> rhs.astype(lhs.dtype)


def extended(op: Op, source: Array) -> Array:
    """Return whole numbers of a wider type."""
    return _read(op, source)


def compared(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return where a predicate holds."""
    if op.name == "cmpi":
        lhs, rhs = _read(op, lhs), _read(op, rhs)
    return COMPARED[str(op.attributes["comparison_predicate"])](lhs, rhs)


def from_float(op: Op, source: Array) -> Array:
    """Return floats as whole numbers, toward zero."""
    return np.nan_to_num(np.trunc(source), posinf=1e9, neginf=-1e9).astype(np.int64)


CONVERSIONS: Mapping[str, Callable[..., Array]] = {
    "cmpf": compared,
    "cmpi": compared,
    "divi": divided,
    "exti": extended,
    "ftoi": from_float,
    "maxi": chosen,
    "mini": chosen,
    "remi": remaining,
    "shli": shifted,
    "shri": shifted,
}
"""Op whose attributes count -> what it computes, whole numbers that may not fit."""


def from_whole(op: Op, source: Array) -> Array:
    """Return whole numbers as floats."""
    return _read(op, source).astype(np.float64)
