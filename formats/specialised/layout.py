"""The layout of a record in one version: gates are decided, and flag bits are explicit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from construct import Construct, Renamed

from tileir.formats.leaves import Bool, Fixed, Leaf, SignedVarInt, VarInt
from tileir.formats.nodes import If, Record, Since, Unless, Versioned
from tileir.formats.version import Version


class Test(NamedTuple):
    """A condition on an earlier field: it has one of the bits of `mask`, or none if `clear`."""

    field: str
    mask: int
    clear: bool

    def text(self, names: Mapping[str, str]) -> str:
        """Return it as an expression; `names` has the variables of fields."""
        test = f"{names[self.field]} & {self.mask}"
        return f"not {test}" if self.clear else test


class Field(NamedTuple):
    """A field as one version has it.

    `node` is None if the version lacks the field, which is then `default`; `gate` is the node that
    decides so, if any. The field is present if all `tests` hold.
    """

    name: str
    node: Construct | None
    default: Any = None
    tests: tuple[Test, ...] = ()
    gate: Since | None = None

    def condition(self, names: Mapping[str, str]) -> str:
        """Return the tests as one expression; `names` has the variables of fields."""
        return " and ".join(test.text(names) for test in self.tests)


def layout(record: Record, version: Version) -> list[Field]:
    """Return the fields of a record in a version."""
    fields: list[Field] = []
    absent = set()
    for named in record.subcons:
        field = _field(named, version)
        if any(test.field in absent for test in field.tests):
            field = Field(field.name, None)
        if field.node is None:
            absent.add(field.name)
        fields.append(field)
    return fields


def announcer(field: Field) -> str:
    """Return the name of the flag word that announces a field; "" if it is always present."""
    return field.tests[0].field if field.tests else ""


def _field(named: Renamed, version: Version) -> Field:
    node: Construct = named.subcon
    tests = []
    while True:
        match node:
            case Since() if version < node.since:
                return Field(named.name, None, node.default, gate=node)
            case Versioned():
                node = node.at(version)
                if node is None:
                    return Field(named.name, None)
            case If():
                tests.append(Test(node.field, node.mask, isinstance(node, Unless)))
                node = node.subcon
            case Since() | Renamed():
                node = node.subcon
            case _:
                return Field(named.name, node, None, tuple(tests))


def stored(leaf: Any) -> Leaf:
    """Return the leaf that a leaf is stored as: a varint for an enum, a byte for a flag word."""
    return getattr(leaf, "number", leaf)


def is_varint(node: Construct | None) -> bool:
    """Whether the node is stored as a varint."""
    return isinstance(node, Leaf) and isinstance(stored(node), VarInt)


def is_plain(node: Construct | None) -> bool:
    """Whether the node is stored as an unsigned varint."""
    return is_varint(node) and not isinstance(stored(node), SignedVarInt)


def is_byte(node: Construct | None) -> bool:
    """Whether the node is always one byte."""
    if not isinstance(node, Leaf):
        return False
    number = stored(node)
    return isinstance(number, Bool) or (isinstance(number, Fixed) and number.size == 1)


def is_small(node: Construct | None) -> bool:
    """Whether the node is usually one byte below 128, and so can be part of a run."""
    return is_varint(node) or is_byte(node)
