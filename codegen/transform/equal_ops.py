"""Which ops compute the same: value numbering.

Each value has a number. Two ops are equal if they are of one kind and have operands with equal
numbers in the same slots, equal attributes and results of the same types; then their results have
equal numbers, too, whether or not one of the ops takes the place of the other. Source locations do
not count.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from tileir.codegen.ops import traits_of
from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.types import Scalar, Tile

Key = tuple[Hashable, ...]
"""What equal ops have in common."""


class Numbering:
    """The numbers of the values of a kernel."""

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}
        self._contents: dict[Hashable, int] = {}
        self._seen: dict[int, tuple[object, int]] = {}

    def identify(self, op: Op, other: Op) -> None:
        """Give the results of an op the numbers that those of an equal one have."""
        for value, equal in zip(op.results, other.results, strict=True):
            self._numbers[value] = self.number(equal)

    def key(self, op: Op) -> Key | None:
        """Return the key of an op; None if an attribute is of a kind that is not compared."""
        try:
            attributes = tuple(
                (name, self._comparable(value)) for name, value in op.attributes.items()
            )
        except TypeError:
            return None
        operands = tuple([(slot, self._numbered(operand)) for slot, operand in op.operands.items()])
        if _commutes(op):
            operands = tuple(sorted([cast("int", number) for _, number in operands]))
        types = tuple(result.type for result in op.results)
        return op.name, operands, attributes, types

    def _numbered(self, operand: Value | tuple[Value, ...] | None) -> Hashable:
        if isinstance(operand, tuple):
            return tuple(map(self.number, operand))
        return None if operand is None else self.number(operand)

    def number(self, value: Value) -> int:
        """Return the number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    def _comparable(self, attribute: object) -> Hashable:
        """Return an attribute as something to compare; TypeError if that is not known of its kind.

        Large constants are looked through once, however many ops have them.
        """
        if isinstance(attribute, Constant):
            data = attribute.data
            if id(data) not in self._seen:
                content = data if _is_hashable(data) else bytes(data)
                number = self._contents.setdefault(content, len(self._contents))
                self._seen[id(data)] = data, number
            return attribute.type, self._seen[id(data)][1]
        if isinstance(attribute, list | tuple):
            return tuple(map(self._comparable, attribute))
        hash(attribute)
        return attribute


def _is_hashable(data: bytes | memoryview) -> bool:
    return isinstance(data, bytes) or (data.readonly and data.format == "B")


def _commutes(op: Op) -> bool:
    """Whether the operands of an op may be exchanged.

    Sums and products of floats commute but for NaN: which of two NaNs they return is left open, and
    must not change.
    """
    if not traits_of(op).commutes or not isinstance(op.result.type, Tile):
        return False
    element = op.result.type.element
    return isinstance(element, Scalar) and element.is_integer
