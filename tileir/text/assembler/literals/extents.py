"""Sizes of attributes, whose aliases are spelled out in bytecode, where they can be endless."""

from __future__ import annotations

from typing import NamedTuple

from tileir.attributes import DenseElements, Hints, SameElements

BYTES_EACH = 128
"""Bytes of a long attribute that count as one more attribute; few are as long as that."""


class Opaque(NamedTuple):
    """The text of an attribute that bytecode cannot hold."""

    text: str


class DenseArray(NamedTuple):
    """Numbers of one type without a shape, ``array<i32: 1, 2>``, which bytecode cannot hold."""

    values: tuple
    text: str


class Extent(NamedTuple):
    """The size of an attribute: its levels of nested attributes, and the number of attributes."""

    height: int
    size: int


class Extents:
    """The extents of attributes; each is computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Extent, object]] = {}

    def of(self, value: object) -> Extent:
        """Return the extent of an attribute."""
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
            extent = Extent(height, 1 + sum(extent.size for extent in extents))
            self._known[id(value)] = extent, value
        return self._known[id(value)][0]


def _bytes(value: object) -> int:
    """Return the bytes of an attribute that can be long without containing others, else 0."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, DenseElements):
        return len(value.constant.data)
    return 8 * len(value.groups) if isinstance(value, SameElements) else 0
