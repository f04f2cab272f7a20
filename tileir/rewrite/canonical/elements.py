"""Elements of constants, as bit patterns in Python's integers."""

from __future__ import annotations

import math
from fractions import Fraction

from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.ir.floats import pattern_of, value_of
from tileir.ir.numbers import pack_patterns
from tileir.types import Scalar, Tile

MOST_ELEMENTS = 64
"""Constants that store more elements than this one by one are not computed with."""


def constant_of(value: Value) -> Constant | None:
    """Return the constant that a value is; None if it is not made by the op `constant`."""
    made_by = value.owner
    return made_by.attributes["value"] if isinstance(made_by, Op) and is_constant(made_by) else None


def is_constant(op: Op) -> bool:
    """Whether an op is `constant`."""
    return op.name == "constant"


def pattern(value: Value) -> int | None:
    """Return the bits that all elements of a constant have; None if they differ or are not known.

    A number without elements, of a type that has no patterns, is none.
    """
    constant = constant_of(value)
    if constant is None or not constant.uniform:
        return None
    return constant.bits(0)


def patterns(value: Value) -> list[int] | None:
    """Return the bits of the elements of a constant, one for all if they are the same.

    None for what is no constant, or has too many elements.
    """
    constant = constant_of(value)
    if constant is None:
        return None
    if constant.uniform:
        return [constant.bits(0)]
    size = constant.type.size
    return [constant.bits(index) for index in range(size)] if size <= MOST_ELEMENTS else None


def constant(type: Tile, bits: list[int]) -> Constant | None:
    """Return a constant of one pattern for all elements, or of all; None if the type has none."""
    element = type.element
    if not isinstance(element, Scalar) or element.name == "i4":
        return None
    if all(each == bits[0] for each in bits):
        return Constant(type, pack_patterns(element, bits[:1], type.size if type.shape else 0))
    return Constant(type, pack_patterns(element, bits, 0))


def integer(value: Value) -> Scalar | None:
    """Return the element type of a tile of integers of at least a byte; None for other values.

    Ops do not agree on whether an i1 that is set is 1 or -1, where they read it as a number.
    """
    element = value.type.element if isinstance(value.type, Tile) else None
    whole = isinstance(element, Scalar) and element.is_integer and element.bits >= 8
    return element if whole else None


def all_ones(element: Scalar) -> int:
    """Return the pattern of all bits set."""
    return (1 << element.bits) - 1


def signed(bits: int, element: Scalar) -> int:
    """Return a pattern read in two's complement."""
    half = 1 << (element.bits - 1)
    return (bits ^ half) - half


def read(bits: int, element: Scalar, signedness: str) -> int:
    """Return a pattern read as the attribute `signedness` says."""
    return signed(bits, element) if signedness == "signed" else bits


def fits(number: int, element: Scalar, signedness: str) -> bool:
    """Whether a type has a number, read as the attribute `signedness` says."""
    lowest = -(1 << (element.bits - 1)) if signedness == "signed" else 0
    return lowest <= number < lowest + (1 << element.bits)


def exact_float(element: Scalar, number: float | Fraction) -> int | None:
    """Return the bits of a number in a floating-point type; None if it would have to be rounded.

    NaN is not exact, because its bits are not told by the number.
    """
    if isinstance(number, Fraction):
        try:
            nearest = float(number)
        except OverflowError:
            return None
        if Fraction(nearest) != number:
            return None
        number = nearest
    if math.isnan(number):
        return None
    bits = pattern_of(element.name, number)
    back = None if bits is None else value_of(element.name, bits)
    if back is None or back != number or math.copysign(1, back) != math.copysign(1, number):
        return None
    return bits
