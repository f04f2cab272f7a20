"""Conversion between rows and named records: the same contents, as tuples and as dicts.

The specialised codec keeps the records of which bodies have very many as tuples, for speed:

    op         (opcode, offset in the body, field, field, ...)
    attribute  (tag, field, ...)
    block      (argument types, ops)
    entry of a dictionary  (key, value)

Fields are in the order of the file, absent ones None; `layout` gives their names for a version. The
reference gives a Container of named fields for each.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from construct import Construct

from tileir.formats.cursor import Slice
from tileir.formats.nodes import Counted, Record, RowRecord, Sized, UntilEnd, Variant
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.table import Table
from tileir.formats.types import Extension
from tileir.formats.version import Version

from .layout import layout


def pack(node: Construct, value, version: Version):
    """Convert a record of the reference to the form of the specialised codec."""
    return _convert(node, value, version, _pack_row, _pack_variant)


def unpack(node: Construct, value, version: Version):
    """Convert a record of the specialised codec to the form of the reference: rows become dicts."""
    return _convert(node, value, version, _unpack_row, _unpack_variant)


def _convert(node: Construct, value, version: Version, row, variant):
    """Convert a record, and what is in it, between the forms of the two codecs.

    `row` and `variant` convert what the forms have differently: records and variants of rows. Each
    gets the node, the value, the version and the function that converts a part.
    """

    def convert(inner: Construct, part):
        return _convert(inner, part, version, row, variant)

    if value is None or isinstance(value, Slice):
        return value
    match node:
        case Counted() | UntilEnd() | Repeat() | Regions():
            if not isinstance(node.subcon, Record | Variant | Counted):
                return value
            made: Any = type(value)() if isinstance(value, list) else []
            for part in value:
                made.append(convert(node.subcon, part))
            for kept in ("wide_count", "opaque"):
                if getattr(value, kept, None) is not None:
                    setattr(made, kept, getattr(value, kept))
            return made
        case Sized() | Extension():
            return convert(node.subcon, value)
        case Table() if _has_rows(node.subcon) and isinstance(value["entries"], list):
            entries = convert(Counted(node.subcon), value["entries"])
            same = all(map(operator.is_, entries, value["entries"]))  # as its layout knows them
            return value if same else value | {"entries": entries}
        case RowRecord():
            return row(node, value, version, convert)
        case Variant() if node.rows:
            return variant(node, value, version, convert)
        case Variant():
            arm = node.by_name.get(value["variant"])
            parts = () if arm is None else layout(arm.fields, version)
            changed = {
                field.name: convert(field.node, value[field.name])
                for field in parts
                if field.node is not None
                and _has_rows(field.node)
                and value.get(field.name) is not None
            }
            return value | changed if changed else value
        case Record():
            return value | {
                field.name: convert(field.node, value[field.name])
                for field in layout(node, version)
                if field.node is not None and field.name in value
            }
    return value


@cache
def _has_rows(node: Construct) -> bool:
    """Whether records that the codecs have in different forms may be among the parts of a node."""
    if isinstance(node, RowRecord) or (isinstance(node, Variant) and node.rows):
        return True
    if isinstance(node, Variant):
        return any(_has_rows(arm.fields) for arm in node.arms.values())
    parts = [*getattr(node, "subcons", ()), getattr(node, "subcon", None)]
    return any(_has_rows(part) for part in parts if part is not None)


def _fields(node: Record, value, version: Version, convert) -> list:
    return [
        part if field.node is None else convert(field.node, part)
        for field in layout(node, version)
        for part in (value.get(field.name, field.default),)
    ]


def _named(node: Record, parts, version: Version, convert) -> dict:
    return {
        field.name: part if field.node is None else convert(field.node, part)
        for field, part in zip(layout(node, version), parts, strict=True)
    }


def _pack_row(node: RowRecord, value, version: Version, convert) -> tuple:
    return tuple(_fields(node, value, version, convert))


def _unpack_row(node: RowRecord, value, version: Version, convert) -> dict:
    return _named(node, value, version, convert)


def _pack_variant(node: Variant, value, version: Version, convert) -> tuple:
    arm = node.by_name[value["variant"]]
    head = (value.get("tag", arm.tag),)
    if isinstance(node, OpVariant):
        head = (*head, value.get("op_offset", 0))
    return (*head, *_fields(arm.fields, value, version, convert))


def _unpack_variant(node: Variant, value, version: Version, convert) -> dict:
    arm = node.arms[value[0]]
    head = {"tag": value[0], "variant": arm.name}
    if isinstance(node, OpVariant):
        head["op_offset"] = value[1]
        return head | _named(arm.fields, value[2:], version, convert)
    return head | _named(arm.fields, value[1:], version, convert)
