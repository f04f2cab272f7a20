"""Encoding of attributes as records: the inverse of `read.tables` and `read.op_decoders`."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from construct import Construct

from tileir import attributes as attr
from tileir.errors import BuildError
from tileir.expressions import PREVIEW_ATTRIBUTES
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
from tileir.ir.attribute_kinds import attribute_problem, constant_problem, value_problem
from tileir.ir.constants import Constant
from tileir.types import Type

from .preview_attributes import encode_preview
from .tables import OutputTables
from .type_table import case_number

Record = dict[str, Any]
"""The fields of a node of the schema, by name."""


def encode_attribute(value: object, tables: OutputTables) -> Record:
    """Return the record of a tagged attribute; `tileir.attributes` lists the possible values."""
    _require(attribute_problem(value, tables.limits.attribute_depth))
    return _tagged(value, tables)


def _require(problem: str) -> None:
    if problem:
        raise BuildError(problem)


def _tagged(value: Any, tables: OutputTables) -> Record:
    """Return the record of what `attribute_problem` has found to be an attribute."""
    match value:
        case bool():
            return {"variant": "Bool", "truth": int(value)}
        case str():
            return {"variant": "String", "string": tables.string(value)}
        case attr.IntegerAttribute() | attr.FloatAttribute():
            variant = "Integer" if isinstance(value, attr.IntegerAttribute) else "Float"
            return {"variant": variant, "type": tables.types.index(value.type), "bits": value.bits}
        case attr.TypeAttribute():
            return {"variant": "Type", "type": tables.types.index(value.type)}
        case attr.DenseElements():
            type = value.constant.type
            record = {"variant": "DenseElements", "type": tables.types.index(type)}
            return record | encode_constant(value.constant, type, tables)
        case attr.DivBy():
            return {"variant": "DivBy"} | _integers(value, "divisor", "every", "along")
        case attr.SameElements():
            return {"variant": "SameElements", "groups": [integer(g) for g in value.groups]}
        case attr.Bounded():
            return {"variant": "Bounded"} | _integers(value, "lower", "upper")
        case attr.EnumAttribute():
            return _enum_attribute(value, tables)
        case attr.Hints():
            return {"variant": "OptimizationHints", "entries": _entries(value.entries, tables)}
        case dict():
            return {"variant": "Dictionary", "entries": _entries(value, tables)}
        case tuple() | list():
            return {"variant": "Array", "elements": [_tagged(item, tables) for item in value]}
    if isinstance(value, PREVIEW_ATTRIBUTES):
        return encode_preview(value, tables.string, tables.types.index)
    raise AssertionError(value)


def _integers(value: object, *names: str) -> Record:
    """Encode fields of an attribute that are integers or None."""
    given = {name: getattr(value, name) for name in names}
    return {name: number if number is None else integer(number) for name, number in given.items()}


def _enum_attribute(value: attr.EnumAttribute, tables: OutputTables) -> Record:
    """Encode an enum case; only one enum so far has an attribute tag of its own."""
    for arm in ATTRIBUTE.by_name.values():
        for field in arm.fields.subcons:
            if isinstance(field.subcon, EnumValue) and field.subcon.enum.name == value.enum:
                number = case_number(field.subcon.enum, value.name, tables.version)
                return {"variant": arm.name, field.name: number}
    raise AssertionError(value)


def _entries(entries: Mapping[str, object], tables: OutputTables) -> list[Record]:
    """Encode a dictionary of attributes."""
    return [
        {"key": tables.string(key), "value": _tagged(value, tables)}
        for key, value in entries.items()
    ]


def encode_constant(constant: Constant, type: Type | None, tables: OutputTables) -> Record:
    """Return the `constant` field of a record for a constant of that type."""
    _require(constant_problem(constant))
    if constant.type != type:
        raise BuildError(f"a constant of {constant.type!r} where the type is {type}")
    return {"constant": tables.constants.index(constant.data)}


def encode_inline(node: Construct, value: Any, tables: OutputTables, result: Type | None) -> Any:
    """Return the record of an attribute slot whose layout is `node`."""
    if isinstance(node, EnumValue):
        return case_number(node.enum, value if value is not None else "", tables.version)
    _require(value_problem(node, value, tables.limits.attribute_depth))
    if node is ATTRIBUTE:
        return _tagged(value, tables)
    if node is ATTRIBUTE_LIST:
        return [_tagged(item, tables) for item in value]
    if node is DICTIONARY:
        return _entries(value.entries, tables)
    if node is STRING_INDEX:
        return tables.string(value)
    if node is TYPE_INDEX:
        return tables.types.index(value)
    if node is CONSTANT_INDEX:
        return encode_constant(value, result, tables)["constant"]
    if node is BOOL_LIST or node is INT_LIST:
        return [integer(item) for item in value]
    if isinstance(node, Bool | VarInt):
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
