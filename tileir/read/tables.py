"""The tables that bodies and attributes refer to, and the decoding of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from tileir import attributes as attr
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.cursor import Slice
from tileir.formats.enums import MULTIMEM_REDUCTION_KIND
from tileir.formats.nodes import Malformed
from tileir.ir.constants import Constant
from tileir.types import Scalar, Tile, Type

from .bad_reference import BadReference, again
from .preview_attributes import decode_preview
from .strings import Strings
from .type_table import TypeTable


@dataclass(slots=True)
class Tables:
    """Everything that a body or an attribute may refer to by index."""

    strings: Strings
    types: TypeTable
    constants: Sequence[Slice]
    _attributes: dict[tuple, object] = field(default_factory=dict, repr=False)
    _typed: dict[tuple[int, int], Constant] = field(default_factory=dict, repr=False)
    _repeats: dict[int, dict[object, bool]] = field(default_factory=dict, repr=False)

    def attribute(self, row: tuple) -> object:
        """Decode a tagged attribute; equal rows give the same object, unless that is mutable."""
        try:
            known = self._attributes.get(row)
        except TypeError:  # the row holds a list: the attribute is a list or dictionary
            return decode_attribute(row, self)
        if known is None:
            known = self._attributes[row] = decode_attribute(row, self)
        return known

    def constant_data(self, index: int) -> memoryview | bytes:
        """Return the bytes of the constant of that index."""
        if index >= len(self.constants):
            raise BadReference("constant", index, len(self.constants))
        entry = self.constants[index]
        if isinstance(entry, Malformed):
            raise again(entry["error"])
        return entry.data

    def constant(self, index: int, type: Type | None) -> Constant:
        """Return the constant of that index, with the type that its user gives it."""
        known = self._typed.get((index, id(type)))  # a Constant keeps its type, so the id, alive
        if known is not None:
            return known
        data = self.constant_data(index)
        if not isinstance(type, Tile):
            problem = f"{type} is not a tile"
            raise BadReference("constant", index, len(self.constants), problem=problem)
        constant = Constant(type, data, self._repeats.setdefault(index, {}))
        if not constant.fits:
            problem = f"{len(data)} bytes do not fit {type}"
            raise BadReference("constant", index, len(self.constants), problem=problem)
        self._typed[index, id(type)] = constant
        return constant


def decode_attribute(row: tuple, tables: Tables) -> object:
    """Decode the row of a tagged attribute to a Python value (see `tileir.attributes`)."""
    tag, *fields = row
    match ATTRIBUTE.arms[tag].name, fields:
        case "Integer", (type, bits):
            return attr.IntegerAttribute(cast("Scalar", _type(type, tables)), int(bits))
        case "Float", (type, bits):
            return attr.FloatAttribute(cast("Scalar", _type(type, tables)), int(bits))
        case "Bool", (truth,):
            return bool(truth)
        case "Type", (type,):
            return attr.TypeAttribute(_type(type, tables))
        case "String", (index,):
            return _inside("string", tables.strings.at, index)
        case "Array", (elements,):
            return _inside("elements", decode_list, elements, tables)
        case "DenseElements", (type, index):
            linked = _type(type, tables)
            return attr.DenseElements(_inside("constant", tables.constant, index, linked))
        case "DivBy", (divisor, _, every, along):
            return attr.DivBy(int(divisor), _plain(every), _plain(along))
        case "SameElements", (groups,):
            return attr.SameElements(tuple(groups))
        case "Bounded", (_, lower, upper):
            return attr.Bounded(_plain(lower), _plain(upper))
        case "Dictionary", (entries,):
            return _inside("entries", decode_dictionary, entries, tables)
        case "OptimizationHints", (entries,):
            return _inside("entries", decode_hints, entries, tables)
        case "MultimemReductionKind", (number,):
            enum = MULTIMEM_REDUCTION_KIND
            return attr.EnumAttribute(enum.name, enum.by_value[number].name)
    return decode_preview(row, tables.strings, tables.types)


def _plain(number: int | None) -> int | None:
    """Return a number that may be absent as a plain int, without how it was written."""
    return None if number is None else int(number)


def _inside(field: str, decode, *given):
    """Decode a field, and put its name in the path of a BadReference."""
    try:
        return decode(*given)
    except BadReference as bad:
        raise bad.inside(field) from None


def _type(index: int, tables: Tables) -> Type:
    return _inside("type", tables.types.at, index)


def decode_list(rows: Sequence[tuple], tables: Tables) -> tuple:
    """Decode a list of tagged attributes."""
    decoded = []
    for index, row in enumerate(rows):
        try:
            decoded.append(decode_attribute(row, tables))
        except BadReference as bad:
            raise bad.inside(index) from None
    return tuple(decoded)


def decode_dictionary(entries: Sequence[tuple], tables: Tables) -> dict[str, object]:
    """Decode a dictionary of attributes; a key may occur only once."""
    result: dict[str, object] = {}
    for index, (number, value) in enumerate(entries):
        try:
            key = _inside("key", tables.strings.at, number)
            if not key or key in result:
                problem = f"the key {key!r} twice" if key else "an empty key"
                size = len(tables.strings)
                raise BadReference("string", number, size, path=".key", problem=problem)
            result[key] = _inside("value", decode_attribute, value, tables)
        except BadReference as bad:
            raise bad.inside(index) from None
    return result


def decode_hints(entries: Sequence[tuple], tables: Tables) -> attr.Hints:
    """Decode hints: architecture -> dictionary of hints."""
    hints = decode_dictionary(entries, tables)
    for index, value in enumerate(hints.values()):
        if not isinstance(value, dict):
            where, tag = f"[{index}].value.tag", entries[index][1][0]
            raise BadReference("attribute", tag, 0, path=where, problem="not a dictionary of hints")
    return attr.Hints(hints)
