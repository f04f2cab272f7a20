"""What an op says apart from its operands, as numbers: equal ops of two modules have the same.

An attribute that an older version of the format leaves unsaid counts as its default, and so does a
result that it lacks. Constants count by value, however they are stored; hints and dictionaries by
their entries, in any order. An architecture without any hint says nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from tileir.attributes import DenseElements, Hints
from tileir.formats.nodes import Each
from tileir.formats.ops.spec import NO_MEMORY_EFFECT, PURE, TOKEN, UNDECLARED, Attribute
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.types import Token

DEFAULT = "default"
"""What stands for an attribute that has its default, said or not."""


EFFECTLESS = frozenset({PURE, NO_MEMORY_EFFECT, UNDECLARED})
"""Effects of ops whose results follow from their operands alone."""


class Contents:
    """The numbers of what has been seen so far; one for both modules of a comparison."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._data: dict[int, tuple[object, int]] = {}
        self._rows: dict[str, tuple[tuple[str, Any], ...]] = {}

    def number(self, content: Hashable) -> int:
        """Return the number of a content: equal contents have equal ones."""
        return self._numbers.setdefault(content, len(self._numbers))

    def of(self, op: Op) -> int:
        """Return the number of what an op says: mnemonic, attributes, types, regions."""
        row = op.spec.mnemonic
        slots = self._rows.get(row)
        if slots is None:
            slots = self._rows[row] = tuple((s.name, s.default) for s in op.spec.attributes)
        attributes = op.attributes
        said = tuple([self._said(attributes.get(name), default) for name, default in slots])
        counts = tuple([_count(operand) for operand in op.operands.values()])
        arguments = tuple([self._arguments(region) for region in op.regions])
        return self.number((row, said, result_types(op), counts, arguments))

    def attribute(self, slot: Attribute, value: object) -> Hashable:
        """Return what the value of an attribute slot is compared by."""
        return self._said(value, slot.default)

    def _said(self, value: object, default: object) -> Hashable:
        if value is None or (type(value) is type(default) and value == default):
            return None if default is None else DEFAULT
        if isinstance(default, Each) and isinstance(value, tuple):
            return DEFAULT if all(item == default.value for item in value) else value
        return self.comparable(value)

    def comparable(self, value: object) -> Hashable:
        """Return an attribute, or a part of one, as something to compare."""
        if isinstance(value, Constant):
            return self._constant(value)
        if isinstance(value, DenseElements):
            return "dense", self._constant(value.constant)
        if isinstance(value, Hints):
            said = {name: hints for name, hints in value.entries.items() if hints != {}}
            return "hints", self.comparable(said)
        if isinstance(value, dict):
            named = [(str(name), self.comparable(item)) for name, item in value.items()]
            return "entries", tuple(sorted(named, key=lambda entry: entry[0]))
        if isinstance(value, tuple | list):
            return tuple([self.comparable(item) for item in value])
        try:
            hash(value)
        except TypeError:  # which no file has
            return repr(value)
        return value

    def _constant(self, value: Constant) -> Hashable:
        """Return type and content; large data is looked through once, however many ops share it."""
        if not value.fits:
            return value.type, bytes(value.data)
        if value.uniform:
            return value.type, value.bits()
        data = value.data
        if id(data) not in self._data:
            content = bytes(data)
            unused = -value.type.size % 8 if value.type.element.name == "i1" else 0
            if unused:
                content = content[:-1] + bytes([content[-1] & (0xFF >> unused)])
            self._data[id(data)] = data, self.number(content)
        return value.type, "data", self._data[id(data)][1]

    @staticmethod
    def _arguments(region: Any) -> Hashable:
        return tuple([tuple([value.type for value in block.arguments]) for block in region.blocks])


def result_types(op: Op) -> tuple[Hashable, ...]:
    """Return the types of an op's results, tokens that old versions lack included."""
    types = tuple([value.type for value in op.results])
    if len(types) < len(op.spec.results):
        types += tuple([Token() for slot in op.spec.results[len(types) :] if _lacking(slot)])
    return types


def _lacking(slot: Any) -> bool:
    return slot.type is TOKEN and slot.arity == "one"


def _count(operand: object) -> int:
    return len(operand) if isinstance(operand, tuple) else operand is not None
