"""Dense constants: the numbers of a tile, row-major, little-endian, in the Constant section.

The file stores no type with a constant; the op result or global that uses it gives one. Elements
take whole bytes (tf32 three, 4-bit types one, value in the low nibble), except i1: eight elements
share a byte, the first in the lowest bit. One stored element fills a whole tile.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import ARRAYS, needing
from tileir.types import Scalar, Tile

from . import floats, numbers

if TYPE_CHECKING:
    import numpy as np


COMPARED = 1 << 16
"""Bytes of a constant that are compared at once."""


def element_size(element: Scalar) -> int:
    """Return the bytes of one element in a constant; for i1, eight elements share one byte."""
    return (element.bits + 7) // 8


@dataclass(frozen=True, slots=True)
class Constant:
    """A typed constant. `data` is a view into the file, never a copy.

    `repeats` remembers whether `data` is one element over and over, by the element's size; all
    constants that are made of one entry of the table share it.
    """

    type: Tile
    data: memoryview | bytes
    repeats: dict[object, bool] = field(default_factory=dict, compare=False, repr=False)

    def __reduce__(self) -> tuple:
        return Constant, (self.type, bytes(self.data))

    @property
    def is_splat(self) -> bool:
        """Whether one stored element stands for the whole tile."""
        size = self.type.size
        if self.type.element.name == "i1":
            if size > 8:
                return len(self.data) == 1
            return size == 1 or (size == 8 and self.data[0] in (0x00, 0xFF))
        return len(self.data) == element_size(self.type.element) or size == 1

    @property
    def uniform(self) -> bool:
        """Whether all elements are the same, even if all are stored."""
        if self.is_splat:
            return True
        bits = self.type.element.name == "i1"
        unit = self.type.size if bits else element_size(self.type.element)
        known = self.repeats.get((bits, unit))
        if known is None:
            known = self._all_bits_alike() if bits else _repeated(self.data, unit)
            self.repeats[bits, unit] = known
        return known

    def _all_bits_alike(self) -> bool:
        """Whether all elements of a tile of i1 are the same."""
        whole, rest = divmod(self.type.size, 8)
        first = self.data[0] & 1
        if any((self.data[whole] >> bit & 1) != first for bit in range(rest)):
            return False
        return _repeated(self.data[:whole], 1) and self.data[0] in (0x00, 0xFF) if whole else True

    @property
    def fits(self) -> bool:
        """Whether the size of `data` is one that the type allows."""
        size, element = self.type.size, self.type.element
        if not isinstance(element, Scalar):
            return False
        if element.name == "i1":
            return len(self.data) in (1, (size + 7) // 8)
        return len(self.data) in (element_size(element), size * element_size(element))

    def bits(self, index: int = 0) -> int:
        """Return the bit pattern of the element at a row-major index."""
        if self.type.element.name == "i1":
            if self.is_splat:
                return int(self.data[0] & 1)
            return self.data[index // 8] >> index % 8 & 1
        width = element_size(self.type.element)
        start = 0 if self.is_splat else index * width
        return int.from_bytes(self.data[start : start + width], "little")

    def value(self, index: int = 0) -> int | float | bool | None:
        """Return the number at a row-major index; None for a float of an unpublished encoding."""
        bits, element = self.bits(index), self.type.element
        if element.name == "i1":
            return bool(bits)
        if element.is_float:
            return floats.value_of(element.name, bits)
        return bits - (1 << element.bits) if bits >> (element.bits - 1) else bits

    def array(self) -> np.ndarray:
        """Return a copy of all elements, as an array of the tile's shape.

        Small floats have types of ml_dtypes; tf32 becomes float32; fnv8E5M3FNU stays bits, as
        uint8.
        """
        with needing(ARRAYS, "an array"), not_forking:
            from .arrays import unpack

        return unpack(self.type, self.data, self.is_splat)

    def __str__(self) -> str:
        element = self.type.element
        count = 1 if self.is_splat else min(self.type.size, 4)
        shown = [self._spell(index) for index in range(count)]
        more = ", ..." if not self.is_splat and self.type.size > count else ""
        text = shown[0] if self.is_splat else f"[{', '.join(shown)}{more}]"
        return f"<{element}: {text}>"

    def _spell(self, index: int) -> str:
        element = self.type.element
        if element.is_float:
            return floats.spell(element.name, self.bits(index), element.bits)
        return str(self.value(index)).lower()


def _repeated(data: memoryview | bytes, unit: int) -> bool:
    """Whether data are the same `unit` bytes over and over."""
    alike = bytes(data[:unit]) * (COMPARED // unit)
    return all(
        alike.startswith(bytes(data[start : start + len(alike)]))
        for start in range(0, len(data), len(alike))
    )


def to_constant(value: Any, type: Tile | None = None) -> Constant:
    """Return numbers as a constant: an array, or one number for the whole tile.

    The type follows from an array of NumPy; Python numbers need one and are rounded to it, to
    nearest, ties to even. An array's bits are not converted, and not copied if its layout is that
    of a constant, so it must not change until the constant is written. BuildError if the numbers
    do not fit the type.
    """
    numpy = sys.modules.get("numpy")  # without which nobody can have made an array of it
    if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
        with needing(ARRAYS, "an array"), not_forking:
            from . import arrays

        return Constant(*arrays.pack(value, type))
    return Constant(*numbers.pack(value, type))
