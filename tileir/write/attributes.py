"""Encoding of attributes as records: the inverse of `read.tables` and `read.op_decoders`."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from construct import Construct

from tileir import attributes as attr
from tileir.errors import BuildError
from tileir.formats.attributes import (
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.types import TYPE_INDEX
from tileir.ir.constants import Constant
from tileir.types import Tile, Type

from .tables import OutputTables
from .type_table import case_number

Record = dict[str, Any]
"""The fields of a node of the schema, by name."""


def encode_attribute(value: object, tables: OutputTables, depth: int = 0) -> Record:
    """Return the record of a tagged attribute; `tileir.attributes` lists the possible values."""
    if depth > tables.limits.attribute_depth:
        raise BuildError(f"attributes nested more than {tables.limits.attribute_depth} deep")
    match value:
        case bool():
            return {"variant": "Bool", "truth": int(value)}
        case str():
            return {"variant": "String", "string": tables.string(value)}
        case attr.IntegerAttribute() | attr.FloatAttribute():
            return _number(value, tables)
        case attr.TypeAttribute():
            return {"variant": "Type", "type": tables.types.index(value.type)}
        case attr.DenseElements():
            type: Any = getattr(value.constant, "type", None)
            record = {"variant": "DenseElements", "type": tables.types.index(type)}
            return record | encode_constant(value.constant, type, tables)
        case attr.DivBy():
            return {"variant": "DivBy"} | _integers(value, "divisor", "every", "along")
        case attr.SameElements():
            return {"variant": "SameElements", "groups": [integer(g) for g in listed(value.groups)]}
        case attr.Bounded():
            return {"variant": "Bounded"} | _integers(value, "lower", "upper")
        case attr.EnumAttribute():
            return _enum_attribute(value, tables)
        case attr.Hints():
            entries = _hints(value, tables, depth)
            return {"variant": "OptimizationHints", "entries": entries}
        case dict():
            return {"variant": "Dictionary", "entries": _dictionary(value, tables, depth)}
        case tuple() | list():
            elements = [encode_attribute(item, tables, depth + 1) for item in value]
            return {"variant": "Array", "elements": elements}
    raise BuildError(f"{value!r} is no attribute")


def _integers(value: object, *names: str) -> Record:
    """Encode fields of an attribute that are integers or None."""
    given = {name: getattr(value, name) for name in names}
    return {name: number if number is None else integer(number) for name, number in given.items()}


def _number(value: attr.IntegerAttribute | attr.FloatAttribute, tables: OutputTables) -> Record:
    variant = "Integer" if isinstance(value, attr.IntegerAttribute) else "Float"
    type = value.type
    if getattr(type, "is_integer", None) != (variant == "Integer"):
        raise BuildError(f"{type} is no type of {variant.lower()} attributes")
    if not 0 <= integer(value.bits) < 1 << type.bits:
        raise BuildError(f"{value.bits:#x} is no pattern of {type.bits} bits")
    return {"variant": variant, "type": tables.types.index(type), "bits": value.bits}


def _enum_attribute(value: attr.EnumAttribute, tables: OutputTables) -> Record:
    """Encode an enum case; only one enum so far has an attribute tag of its own."""
    for arm in ATTRIBUTE.by_name.values():
        for field in arm.fields.subcons:
            if isinstance(field.subcon, EnumValue) and field.subcon.enum.name == value.enum:
                number = case_number(field.subcon.enum, value.name, tables.version)
                return {"variant": arm.name, field.name: number}
    raise BuildError(f"{value.enum} is no enum that an attribute can hold")


def _dictionary(entries: Mapping[str, object], tables: OutputTables, depth: int) -> list[Record]:
    if "" in entries:
        raise BuildError("an empty key in a dictionary of attributes")
    return [
        {"key": tables.string(key), "value": encode_attribute(value, tables, depth + 1)}
        for key, value in entries.items()
    ]


def _hints(value: attr.Hints, tables: OutputTables, depth: int = 0) -> list[Record]:
    if not isinstance(value.entries, dict):
        raise BuildError(f"expected a dictionary of hints, found {value.entries!r}")
    for key, hints in value.entries.items():
        if not isinstance(hints, dict):
            raise BuildError(f"hints for {key} must be a dictionary, found {hints!r}")
    return _dictionary(value.entries, tables, depth)


def encode_constant(constant: object, type: Type | None, tables: OutputTables) -> Record:
    """Return the `constant` field of a record for a constant of that type."""
    if not isinstance(constant, Constant):
        raise BuildError(f"expected a Constant, found {constant!r}")
    if constant.type != type:
        raise BuildError(f"a constant of {constant.type!r} where the type is {type}")
    if not isinstance(constant.data, bytes | memoryview):
        raise BuildError(f"the data of a constant are bytes or a memoryview: {constant.data!r}")
    view = memoryview(constant.data)
    if (view.itemsize, view.ndim) != (1, 1):
        raise BuildError(f"the data of a constant are bytes, not items of {view.itemsize} bytes")
    if not isinstance(type, Tile) or not constant.fits:
        raise BuildError(f"{len(constant.data)} bytes do not fit {type}")
    return {"constant": tables.constants.index(constant.data)}


def encode_inline(node: Construct, value: Any, tables: OutputTables, result: Type | None) -> Any:
    """Return the record of an attribute slot whose layout is `node`."""
    if isinstance(node, EnumValue):
        return case_number(node.enum, value if value is not None else "", tables.version)
    if node is ATTRIBUTE:
        return encode_attribute(value, tables)
    if node is ATTRIBUTE_LIST:
        return encode_attribute(listed(value), tables)["elements"]
    if node is DICTIONARY:
        if not isinstance(value, attr.Hints):
            raise BuildError(f"expected Hints, found {value!r}")
        return _hints(value, tables)
    if node is STRING_INDEX:
        return tables.string(value)
    if node is TYPE_INDEX:
        return tables.types.index(value)
    if node is CONSTANT_INDEX:
        return encode_constant(value, result, tables)["constant"]
    if node is BOOL_LIST:
        return [truth(item) for item in listed(value)]
    if node is INT_LIST:
        return [integer(item) for item in listed(value)]
    if isinstance(node, Bool):
        return truth(value)
    if isinstance(node, VarInt):
        return integer(value)
    raise AssertionError(node)


def listed(value: object) -> Sequence:
    """Return a tuple or list unchanged; BuildError for anything else."""
    if not isinstance(value, tuple | list):
        raise BuildError(f"expected a tuple, found {value!r}")
    return value


def truth(value: object) -> int:
    """Return 1 for True and 0 for False; BuildError for anything else."""
    if not isinstance(value, bool):
        raise BuildError(f"expected True or False, found {value!r}")
    return int(value)


def integer(value: Any) -> int:
    """Return an integer as an int; BuildError for any other kind of number."""
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError(f"expected an integer, found {value!r}") from None
