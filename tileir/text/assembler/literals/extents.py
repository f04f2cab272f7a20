"""How large attributes are: what is an alias in the text can be endless where it is written."""

from __future__ import annotations

from typing import NamedTuple

from tileir.attributes import DenseElements, Hints, SameElements

BYTES_EACH = 128
"""So many bytes of one attribute count as one attribute more: few are as long as that."""


class Opaque(NamedTuple):
    """An attribute that bytecode has nothing for, as it is spelled."""

    text: str


class DenseArray(NamedTuple):
    """Numbers of one type without a shape, ``array<i32: 1, 2>``, which bytecode has nothing for."""

    values: tuple
    text: str


class Extent(NamedTuple):
    """How many levels of attributes there are inside one, and how many attributes it is."""

    height: int
    size: int


class Extents:
    """The extents of attributes. What was asked about is not walked again inside of another."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Extent, object]] = {}

    def of(self, value: object) -> Extent:
        """How far an attribute extends."""
        if isinstance(value, Opaque):
            return Extent(0, 1)
        if isinstance(value, DenseArray):
            value = value.values
        elif isinstance(value, Hints):
            value = value.entries
        if not isinstance(value, dict | tuple):
            return Extent(0, 1 + _bytes(value) // BYTES_EACH)
        if id(value) not in self._known:
            items = value.values() if isinstance(value, dict) else value
            extents = [self.of(item) for item in items]
            height = max((extent.height for extent in extents), default=0) + 1
            found = Extent(height, 1 + sum(extent.size for extent in extents))
            self._known[id(value)] = found, value
        return self._known[id(value)][0]


def _bytes(value: object) -> int:
    """How long an attribute is that can be long without holding others."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, DenseElements):
        return len(value.constant.data)
    return 8 * len(value.groups) if isinstance(value, SameElements) else 0
