"""Conversions between element types, and the same bits under another type."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tileir.ir import Op
from tileir.types import Scalar

from . import rounding
from .elements import bits, each, floats, of_bits, read, stored_bits, wrapped
from .undefined import Undefined


def _source(op: Op) -> Scalar:
    return next(op.operand_list()).type.element


def exti(op: Op, source):
    return wrapped(read(source, _source(op), op.attributes["signedness"]), op.result.type.element)


def trunci(op: Op, source):
    narrow, promise = op.result.type.element, op.attributes["overflow"]
    result = wrapped(read(source, _source(op), "unsigned"), narrow)
    for signedness, names in (
        ("signed", ("no_signed_wrap", "no_wrap")),
        ("unsigned", ("no_unsigned_wrap", "no_wrap")),
    ):
        kept = read(result, narrow, signedness) == read(source, _source(op), signedness)
        if promise in names and not np.all(kept):
            raise Undefined(f"digits lost despite {promise}")
    return result


def itof(op: Op, source):
    element = op.result.type.element
    numbers = read(source, _source(op), op.attributes["signedness"])
    return each(lambda number: rounding.rounded(Fraction(number), element.name), element, numbers)


def ftoi(op: Op, source):
    """Drops the fraction. Only a saturating conversion has an answer for what does not fit.

    To an i1 it is a test for zero, as NVIDIA's compiler has it.
    """
    source = floats(source, _source(op))
    if op.result.type.element.bits == 1:
        return source != 0
    element, is_signed = op.result.type.element, op.attributes["signedness"] == "signed"
    lowest = -(1 << (element.bits - 1)) if is_signed else 0
    highest = lowest + (1 << element.bits) - 1

    def one(number: float) -> int:
        fits = math.isfinite(number) and lowest <= math.trunc(number) <= highest
        if fits:
            return math.trunc(number)
        if not op.attributes["saturating"]:
            raise Undefined(f"{number} is no {element}")
        if math.isnan(number):
            return 0
        return lowest if number < 0 else highest

    return wrapped(each(one, np.dtype(object), source), element)


def ftof(op: Op, source):
    element, mode = op.result.type.element, op.attributes["rounding_mode"]
    source = floats(source, _source(op))
    if element.name != "f8E8M0FNU":
        return rounding.narrowed(source, element, mode)
    return each(lambda number: _power_of_two(number, mode), element, source)


def _power_of_two(number: float, mode: str) -> float:
    """A power of two with an exponent from -127 to 127; only positive numbers are near one."""
    if math.isnan(number):
        return number
    if number <= 0:
        raise Undefined(f"{number} as a power of two")
    if math.isinf(number):
        return 2.0**127
    exact = Fraction(number)
    exponent = rounding.magnitude(exact)
    if mode == "positive_inf" and rounding.power(exponent) != exact:
        exponent += 1
    return 2.0 ** min(max(exponent, -127), 127)


def bitcast(op: Op, source):
    return of_bits(bits(source, _source(op)), op.result.type.element)


def same(op: Op, source):
    """Another pointee for the same addresses."""
    return source


def int_to_ptr(op: Op, source):
    return source.view(np.uint64)


def ptr_to_int(op: Op, source):
    return source.view(np.int64)


def pack(op: Op, source):
    """Bytes as memory has them; eight of i1 and two of 4 bits share one, the first lowest."""
    return np.packbits(_stream(source, _source(op)), bitorder="little").view(np.int8)


def unpack(op: Op, source):
    element = op.result.type.element
    width = _packed_bits(element)
    stream = np.unpackbits(source.view(np.uint8), bitorder="little").reshape(-1, width)
    weights = np.asarray([1 << place for place in range(width)], object)
    return of_bits((stream.astype(object) * weights).sum(axis=1), element)


def _stream(array: np.ndarray, element: Scalar) -> np.ndarray:
    """All bits in the order of memory."""
    width = _packed_bits(element)
    patterns = bits(array, element)
    return np.asarray([p >> place & 1 for p in patterns for place in range(width)], np.uint8)


def _packed_bits(element: Scalar) -> int:
    return 1 if element.name == "i1" else stored_bits(element)


OPS = {
    function.__name__: function
    for function in (bitcast, exti, ftof, ftoi, int_to_ptr, itof, pack, ptr_to_int, trunci, unpack)
} | {"ptr_to_ptr": same}
