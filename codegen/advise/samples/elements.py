"""What ops compute of each element, in exact arithmetic as far as f64 has it.

Floats of all types are f64 here and are never rounded, so that what is equal but for rounding is
equal. Whole numbers are int64, addresses too, in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tileir.ir import Op

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
    "maxi": np.maximum,
    "mini": np.minimum,
    "muli": np.multiply,
    "negi": np.negative,
    "ori": np.bitwise_or,
    "subi": np.subtract,
    "xori": np.bitwise_xor,
}
"""Op on whole numbers -> what it computes; it may not fit, which `wrapped` sees to."""

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
        return (array.astype(np.int64) & 1).astype(bool)
    array = array.astype(np.int64)
    return array if bits >= 64 else (array << 64 - bits) >> 64 - bits


def divided(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return quotients, as an op rounds them; by 0, which is undefined, as by 1."""
    rhs = np.where(rhs == 0, 1, rhs)
    down = lhs // rhs
    inexact = down * rhs != lhs
    rounding = op.attributes["rounding"]
    if rounding == "negative_inf":
        return down
    if rounding == "positive_inf":
        return down + inexact
    return down + (inexact & ((lhs < 0) != (rhs < 0)))


def remaining(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return remainders of the division toward zero."""
    return np.fmod(lhs, np.where(rhs == 0, 1, rhs))


def shifted(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return numbers shifted by as many bits as there are."""
    bits = op.result.type.element.bits
    rhs = rhs % bits
    if op.name == "shli":
        return lhs << rhs
    if op.attributes["signedness"] == "unsigned" and bits < 64:
        lhs = lhs & (1 << bits) - 1
    return lhs >> rhs


def extended(op: Op, source: Array) -> Array:
    """Return whole numbers of a wider type."""
    bits = op.operands["from"].type.element.bits
    source = source.astype(np.int64)
    if op.attributes["signedness"] == "unsigned" and bits < 64:
        return source & (1 << bits) - 1
    return -source if bits == 1 else source


def compared(op: Op, lhs: Array, rhs: Array) -> Array:
    """Return where a predicate holds; unsigned numbers that are less than 0 are large ones."""
    if op.attributes.get("signedness") == "unsigned" and lhs.dtype == np.int64:
        lhs, rhs = lhs.view(np.uint64), rhs.view(np.uint64)
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
    "remi": remaining,
    "shli": shifted,
    "shri": shifted,
}
"""Op whose attributes count -> what it computes."""
