"""Converts numbers that are passed for scalar parameters to bytes."""

from __future__ import annotations

import math
import operator
import struct
from fractions import Fraction
from typing import Any

import numpy as np

from tileir.codegen.scalar.sizes import memory_bytes
from tileir.errors import LaunchError
from tileir.ir.constants import to_constant
from tileir.ir.floats import FORMATS, Format, largest, nearest
from tileir.types import Scalar, Tile

from .shown import shown

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


def number_bytes(element: Scalar, argument: Any) -> bytes:
    """Return the number's bytes in memory; LaunchError if the type cannot represent it."""
    return _integer(element, argument) if element.is_integer else _float(element, argument)


def _integer(element: Scalar, argument: Any) -> bytes:
    """Accept signed and unsigned numbers: the type has no signedness, only ops have."""
    try:
        number = operator.index(argument if type(argument) is int else _python(argument))
    except TypeError:
        raise LaunchError(f"expected an integer, got {_describe(argument)}") from None
    low, high = -(1 << (element.bits - 1)), (1 << element.bits) - 1
    if not low <= number <= high:
        raise LaunchError(f"{number} is out of range, expected {low} to {high}")
    bits = number & high
    return bits.to_bytes(memory_bytes(element), "little")


def _float(element: Scalar, argument: Any) -> bytes:
    """Round to nearest; LaunchError if a finite number overflows."""
    number = _python(argument)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise LaunchError(f"expected a number, got {_describe(argument)}")
    try:
        number = float(number)
        if element.name in _FORMATS:
            return struct.pack(_FORMATS[element.name], number)
    except OverflowError:
        raise LaunchError(f"{shown(argument)} is out of range") from None
    if element.name == "fnv8E5M3FNU":
        return _unsigned_float(FORMATS[element.name], number)
    small = to_constant(number, Tile(element, ())).array()
    if math.isfinite(number) and not math.isfinite(float(small)):
        raise LaunchError(f"{shown(argument)} is out of range")
    return small.tobytes()


def _unsigned_float(form: Format, number: float) -> bytes:
    """Convert a number to an 8-bit format without sign and infinity, which NumPy lacks."""
    last = largest(form)
    if not math.isfinite(number):
        return bytes([last + 1])
    pattern = nearest(form, abs(Fraction(number)))
    if pattern is None or pattern > last or number < 0:
        raise LaunchError(f"{shown(number)} is out of range")
    return bytes([pattern])


def _python(argument: Any) -> Any:
    """Convert a NumPy scalar, or an array of rank 0, to a Python number."""
    if isinstance(argument, np.generic) or (isinstance(argument, np.ndarray) and not argument.ndim):
        item = argument.item()
        return item if isinstance(item, (int, float)) else _widened(argument, item)
    return argument


def _widened(argument: Any, item: Any) -> Any:
    """Convert a number of ml_dtypes, whose `item` is no Python float."""
    try:
        return float(item) if argument.dtype.kind not in "cOSUMm" else item
    except TypeError:
        return item


def _describe(argument: Any) -> str:
    return f"{type(argument).__name__} {shown(argument)}"
