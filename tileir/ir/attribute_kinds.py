"""Which Python values an attribute slot can hold, or a field of a function or a global.

Reading makes nothing else; what was set by hand may be anything. The kind of value follows from the
layout of the slot in the schema, so one table serves whoever writes values and whoever verifies
them. Rules about values (the cases that an op allows, types that must agree) are the verifier's.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping
from typing import Any

from construct import Construct

from tileir import attributes as attr
from tileir.errors import BuildError
from tileir.expressions import PREVIEW_ATTRIBUTES, problem_of
from tileir.formats.attributes import (
    ATTRIBUTE,
    CONSTANT_INDEX,
    DICTIONARY,
    STRING_INDEX,
)
from tileir.formats.cursor import ByteWriter, Environment
from tileir.formats.leaves import Bool, EnumValue, Leaf
from tileir.formats.limits import DEFAULT
from tileir.formats.nodes import Counted, If
from tileir.formats.ops.spec import Attribute
from tileir.formats.sections import GLOBAL
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import LATEST
from tileir.types import FunctionType, Scalar, Tile

from .constants import Constant
from .type_kinds import type_problem

SMALL = range(256)
"""Numbers that every leaf for numbers can hold."""


def slot_problem(slot: Attribute, value: Any, limit: int = DEFAULT.attribute_depth) -> str:
    """Return why an attribute slot cannot hold a value; "" if it can.

    An enum that is missing is for the rule about its cases. `limit` is how many levels of arrays
    and dictionaries may lie inside each other.
    """
    if value is None and (isinstance(slot.node, EnumValue) or (slot.optional and slot.node)):
        return ""
    return value_problem(slot.node, value, limit)


def value_problem(
    node: Construct | None, value: Any, limit: int = DEFAULT.attribute_depth, depth: int = 0
) -> str:
    """Return why a value is none of those that a layout stands for; None is that of a flag.

    The value lies inside of `depth` arrays and dictionaries.
    """
    if node is None or isinstance(node, Bool):
        return "" if isinstance(value, bool) else f"expected True or False, found {value!r}"
    if isinstance(node, EnumValue):
        right = isinstance(value, str)
        return "" if right else f"expected {' or '.join(node.enum.by_name)}, found {value!r}"
    if node is ATTRIBUTE:
        return attribute_problem(value, limit, depth)
    if node is DICTIONARY:
        right = isinstance(value, attr.Hints)
        return _hints(value, limit, depth) if right else f"expected Hints, found {value!r}"
    if isinstance(node, If):
        return "" if value is None else value_problem(node.subcon, value, limit, depth)
    if isinstance(node, Counted):
        if not isinstance(value, tuple | list):
            return f"expected a tuple, found {value!r}"
        for item in value:
            wrong = value_problem(node.subcon, item, limit, depth + 1)
            if wrong:
                return wrong
        return ""
    if node in KINDS:
        return KINDS[node](value)
    if isinstance(node, Leaf):
        return _number(node, value)
    raise AssertionError(node)


def item_problem(item: Any, kinds: Mapping[str, Construct | None]) -> str:
    """Return why a field of a function (`ENTRY`) or of a global (`GLOBAL_VARIABLE`) is wrong."""
    for name, node in kinds.items():
        value = getattr(item, name)
        wrong = value_problem(node, value)
        if name == "name" and (wrong or not value):
            return f"it has no name, but {value!r}" if wrong else "it has no name"
        if wrong:
            return f"{name}: {wrong}"
        if name == "type" and kinds is not GLOBAL_VARIABLE and not isinstance(value, FunctionType):
            return f"type: expected a signature, found {value!r}"
    return ""


def text_problem(value: Any) -> str:
    """Return why a value is no text that a file can hold."""
    if not isinstance(value, str):
        return f"expected a text, found {value!r}"
    if value.isascii():
        return ""
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        return f"{value!r} cannot be written as UTF-8: {error.reason}"
    return ""


def _number(leaf: Leaf, value: Any) -> str:
    if value.__class__ is int and value in SMALL:
        return ""
    if isinstance(value, bool):  # an int for Python, and "True" in a text
        return f"expected an integer, found {value!r}"
    try:
        number = operator.index(value)
    except TypeError:
        return f"expected an integer, found {value!r}"
    try:
        leaf.emit(number, ByteWriter(Environment(LATEST)))
    except (ValueError, OverflowError, struct.error, BuildError) as error:
        return f"{number} is not a valid {leaf.kind}: {error}"
    return ""


def constant_problem(value: Any) -> str:
    """Return why a value is no constant: numbers of a tile, in bytes of the right size."""
    if not isinstance(value, Constant):
        return f"expected a Constant, found {value!r}"
    wrong = type_problem(value.type)
    if wrong or not isinstance(value.type, Tile):
        return wrong or f"a constant of {value.type}, which is no tile"
    if not isinstance(value.data, bytes | memoryview):
        return f"the data of a constant are bytes or a memoryview: {value.data!r}"
    view = memoryview(value.data)
    if (view.itemsize, view.ndim) != (1, 1):
        return f"the data of a constant are bytes, not items of {view.itemsize} bytes"
    return "" if value.fits else f"{len(value.data)} bytes do not fit {value.type}"


ENTRY: Mapping[str, Construct | None] = {
    "name": STRING_INDEX,
    "type": TYPE_INDEX,
    "private": None,
    "hints": DICTIONARY,
    "argument_attributes": ATTRIBUTE,
}
"""Field of a function -> the layout of its value; None for one that is only a flag."""

GLOBAL_VARIABLE: Mapping[str, Construct | None] = {
    "name": STRING_INDEX,
    "type": TYPE_INDEX,
    "value": CONSTANT_INDEX,
    "alignment": next(field.subcon for field in GLOBAL.subcons if field.name == "alignment"),
    "private": None,
    "constant": None,
}
"""Field of a global -> the layout of its value; None for one that is only a flag."""

KINDS: dict[Construct, Callable[[Any], str]] = {
    STRING_INDEX: text_problem,
    TYPE_INDEX: type_problem,
    CONSTANT_INDEX: constant_problem,
}
"""Index of a table's entry -> what is wrong with what stands for the entry in the IR."""


# Tagged attributes ------------------------------------------------------------------------------

RECORDS = {
    kind: tuple(
        (field.name, field.subcon)
        for field in ATTRIBUTE.by_name[name].fields.subcons
        if field.name != "flags"
    )
    for kind, name in {
        attr.TypeAttribute: "Type",
        attr.DivBy: "DivBy",
        attr.SameElements: "SameElements",
        attr.Bounded: "Bounded",
        **{kind: kind.__name__ for kind in PREVIEW_ATTRIBUTES},
    }.items()
}
"""Class of an attribute that has the fields of its record -> those, with their layouts."""


def attribute_problem(value: Any, limit: int = DEFAULT.attribute_depth, depth: int = 0) -> str:
    """Return why a value is no tagged attribute; `tileir.attributes` lists what is one."""
    if depth > limit:
        return f"attributes nested more than {limit} deep"
    match value:
        case bool():
            return ""
        case str():
            return text_problem(value)
        case attr.IntegerAttribute() | attr.FloatAttribute():
            return _pattern(value)
        case attr.DenseElements():
            return constant_problem(value.constant)
        case attr.EnumAttribute():
            return _case(value)
        case attr.Hints():
            return _hints(value, limit, depth)
        case dict():
            return _dictionary(value, limit, depth)
        case tuple() | list():
            return next(filter(None, (attribute_problem(v, limit, depth + 1) for v in value)), "")
    read = RECORDS.get(value.__class__)
    if read is None:
        return f"{value!r} is no attribute"
    for name, node in read:
        inside = depth if isinstance(node, Counted) else depth + 1  # a list counts for itself
        wrong = value_problem(node, getattr(value, name), limit, inside)
        if wrong:
            return wrong
    return problem_of(value)


def _pattern(value: attr.IntegerAttribute | attr.FloatAttribute) -> str:
    kind = "integer" if isinstance(value, attr.IntegerAttribute) else "float"
    type, bits = value.type, value.bits
    if not isinstance(type, Scalar) or type_problem(type) or type.is_integer != (kind == "integer"):
        return f"{type} is no type of {kind} attributes"
    try:
        bits = operator.index(bits)
    except TypeError:
        return f"expected an integer, found {bits!r}"
    return "" if 0 <= bits < 1 << type.bits else f"{bits:#x} is no pattern of {type.bits} bits"


def _case(value: attr.EnumAttribute) -> str:
    for arm in ATTRIBUTE.by_name.values():
        for field in arm.fields.subcons:
            if isinstance(field.subcon, EnumValue) and field.subcon.enum.name == value.enum:
                cases = field.subcon.enum.by_name
                right = isinstance(value.name, str) and value.name in cases
                return "" if right else f"expected {' or '.join(cases)}, found {value.name!r}"
    return f"{value.enum!r} is no enum that an attribute can hold"


def _dictionary(entries: Mapping[Any, Any], limit: int, depth: int) -> str:
    for key, value in entries.items():
        wrong = text_problem(key) or attribute_problem(value, limit, depth + 1)
        if wrong or not key:
            return wrong or "an empty key in a dictionary of attributes"
    return ""


def _hints(value: attr.Hints, limit: int, depth: int) -> str:
    if not isinstance(value.entries, dict):
        return f"expected a dictionary of hints, found {value.entries!r}"
    for key, hints in value.entries.items():
        if not isinstance(hints, dict):
            return f"hints for {key} must be a dictionary, found {hints!r}"
    return _dictionary(value.entries, limit, depth)
