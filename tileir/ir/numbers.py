"""Python numbers as the bytes of constants, without NumPy."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence
from typing import Any

from tileir.errors import BuildError
from tileir.types import Scalar, Tile

from . import floats

_FLOATS = {"f16": "e", "f32": "f", "f64": "d"}
"""Element type -> its code of `struct`, which rounds to nearest, ties to even, as we do."""

_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Bytes of an element -> the code of `struct` for its bit pattern."""

_BITS_ONLY = "fnv8E5M3FNU"
"""The floating-point type whose constants are made from bit patterns."""


def pack(value: Any, type: Tile | None) -> tuple[Tile, bytes]:
    """Return the type and the bytes of a constant; see `constants.to_constant`.

    `value` is one number for the whole tile, or nested sequences of its shape. What has a method
    `tolist`, as tensors of torch have, counts as what that returns.
    """
    if type is None or not isinstance(type.element, Scalar):
        raise BuildError(f"{value!r} needs the type of a tile of numbers, such as 16xf32")
    shape, numbers = _flat(value, type)
    element, splat = type.element, shape == () and type.shape != ()
    try:
        if element.is_float and element.name != _BITS_ONLY:
            return type, _pack_floats(element, [_float_of(number) for number in numbers])
        patterns = [_pattern_of(number, element, type) for number in numbers]
        return type, pack_patterns(element, patterns, type.size if splat else 0)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, BuildError):
            raise
        raise BuildError(f"{value!r} is no constant of {type}: {error}") from None


def _flat(value: Any, type: Tile) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape of nested sequences, () or that of the tile, and the numbers in them."""
    shape: tuple[int, ...] = ()
    items = [_as_list(value)]
    while any(map(_is_list, items)):
        extents = {len(item) if _is_list(item) else -1 for item in items}
        if len(extents) > 1:
            raise BuildError(f"{value!r} is no {type}: its rows differ in length")
        shape += tuple(extents)
        if shape != type.shape[: len(shape)]:  # a list may contain itself, and never end
            break
        items = [_as_list(part) for item in items for part in item]
    if shape and shape != type.shape:
        raise BuildError(f"an array of shape {shape} is no {type}")
    return shape, items


def _as_list(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _float_of(number: Any) -> float:
    if isinstance(number, str | bytes):  # which float() would read
        raise BuildError(f"{number!r} is no number")
    return float(number)


def _pack_floats(element: Scalar, numbers: list[float]) -> bytes:
    if element.name in _FLOATS:
        try:
            return struct.pack(f"<{len(numbers)}{_FLOATS[element.name]}", *numbers)
        except OverflowError:  # the code knows no rounding to infinity
            pass
    patterns = []
    for number in numbers:
        pattern = floats.pattern_of(element.name, number)
        if pattern is None:
            raise BuildError(f"{element} has no NaN")
        patterns.append(pattern)
    return pack_patterns(element, patterns, 0)


def _pattern_of(number: Any, element: Scalar, type: Tile) -> int:
    """Return the bit pattern of an integer, which may be signed or unsigned."""
    if isinstance(number, float):
        raise BuildError(f"{number!r} is no integer, and {type} takes integers")
    bits, integer = element.bits, operator.index(number)
    lowest = -(1 << (bits - 1)) if bits > 1 and element.is_integer else 0
    if not lowest <= integer < 1 << bits:
        raise BuildError(f"{number!r} does not fit {element}")
    return integer & ((1 << bits) - 1)


def pack_patterns(element: Scalar, patterns: list[int], splat: int) -> bytes:
    """Return bit patterns in the layout of a constant.

    If `splat` is not 0, the one pattern stands for a tile of `splat` elements.
    """
    size = (element.bits + 7) // 8
    if element.name == "i1":
        bits = patterns * min(splat, 8) if splat else patterns
        packed = bytearray((len(bits) + 7) // 8)
        for index, bit in enumerate(bits):
            packed[index // 8] |= bit << index % 8
        return bytes(packed)
    if size in _CODES:
        return struct.pack(f"<{len(patterns)}{_CODES[size]}", *patterns)
    return b"".join(pattern.to_bytes(size, "little") for pattern in patterns)
