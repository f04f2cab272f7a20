"""What may be passed for a parameter, and the struct that the machine code reads it from."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from tileir.errors import LaunchError
from tileir.types import Element, Pointer, Scalar

from ..kernel import Kernel
from ..scalar.types import memory_bytes
from .lower import argument_offsets
from .pointers import address_of

_FORMATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
_SMALL_FLOATS = {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an entry: element type, offset in the struct, whether stored through."""

    elements: tuple[Element, ...]
    offsets: tuple[int, ...]
    size: int
    written: frozenset[int]

    @classmethod
    def of(cls, kernel: Kernel, written: set[int]) -> Parameters:
        """The parameters of a kernel."""
        offsets, size = argument_offsets(kernel)
        elements = tuple(value.type.element for value in kernel.parameters)
        return cls(elements, tuple(offsets), size, frozenset(written))

    def pack(self, symbol: str, args: Sequence[Any]) -> tuple[bytearray, list[Any]]:
        """The struct for these arguments, and what must stay alive while it is in use."""
        try:
            args = list(args)
        except TypeError:
            raise LaunchError(f"{symbol}: the arguments must be a list, got {args!r}") from None
        if len(args) != len(self.elements):
            expected, found = _count(len(self.elements)), len(args)
            raise LaunchError(f"{symbol} takes {expected}, but {found} were given")
        packed, keep = bytearray(max(self.size, 1)), []
        for number, (element, argument) in enumerate(zip(self.elements, args, strict=True)):
            try:
                data = self._bytes(number, element, argument, keep)
            except LaunchError as problem:
                raise LaunchError(f"{symbol}: parameter {number} ({element}): {problem}") from None
            start = self.offsets[number]
            packed[start : start + len(data)] = data
        return packed, keep

    def _bytes(self, number: int, element: Element, argument: Any, keep: list[Any]) -> bytes:
        if isinstance(element, Pointer):
            address, owner = address_of(argument, element.pointee, number in self.written)
            keep.append(owner)
            return address.to_bytes(8, "little")
        if element.is_integer:
            return _integer(element, argument)
        return _float(element, argument)


def _count(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"


def _integer(element: Scalar, argument: Any) -> bytes:
    """Signed and unsigned numbers are both welcome: the type has no sign, only the ops have."""
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
    """Rounded to nearest; a finite number must stay finite."""
    number = _python(argument)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise LaunchError(f"expected a number, got {_describe(argument)}")
    try:
        number = float(number)
        if element.name in _FORMATS:
            return struct.pack(_FORMATS[element.name], number)
    except OverflowError:
        raise LaunchError(f"{argument} is out of range") from None
    with np.errstate(all="ignore"):
        small = np.float64(number).astype(_SMALL_FLOATS[element.name])
    if math.isfinite(number) and not math.isfinite(float(small)):
        raise LaunchError(f"{argument} is out of range")
    return small.tobytes()


def _python(argument: Any) -> Any:
    """A NumPy scalar, or an array of rank 0, as a Python number."""
    if isinstance(argument, np.generic) or (isinstance(argument, np.ndarray) and not argument.ndim):
        item = argument.item()
        return item if isinstance(item, (int, float)) else _widened(argument, item)
    return argument


def _widened(argument: Any, item: Any) -> Any:
    """ml_dtypes numbers are no Python floats."""
    try:
        return float(item) if argument.dtype.kind not in "cOSUMm" else item
    except TypeError:
        return item


def _describe(argument: Any) -> str:
    return f"{type(argument).__name__} {argument!r:.60}"
