"""Records with other numbers in their index fields: what joining modules takes.

Every index of the format is an `Index` leaf that says what it points into, so one walk along the
schema moves them all, in types and debug records as in op rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from construct import Construct

from tileir.formats.cursor import Slice
from tileir.formats.leaves import Index, Leaf
from tileir.formats.nodes import Counted, Record, RowRecord, UntilEnd, Variant
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.specialised.layout import Field, layout
from tileir.formats.version import Version

Link = Callable[[str, int], int]
"""(what an index points into, the index) -> the index to write instead."""


@cache
def _layout(record: Record, version: Version) -> list[Field]:
    return layout(record, version)


def relocate(node: Construct, value, version: Version, link: Link):
    """A record or row of `node`, as the specialised codec has it, with indices as `link` says."""
    if value is None or isinstance(value, Slice):
        return value
    match node:
        case Index():
            return link(node.target, value)
        case Leaf():
            return value
        case Counted() | UntilEnd() | Repeat() | Regions():
            if isinstance(node.subcon, Leaf) and not isinstance(node.subcon, Index):
                return value
            return [relocate(node.subcon, part, version, link) for part in value]
        case RowRecord():
            return tuple(_parts(node, value, version, link))
        case Variant() if node.rows:
            head = 2 if isinstance(node, OpVariant) else 1
            fields = node.arms[value[0]].fields
            return (*value[:head], *_parts(fields, value[head:], version, link))
        case Variant():
            fields = node.arms[value["tag"]].fields
            return {**value, **relocate(fields, value, version, link)}
        case Record():
            fields = _layout(node, version)
            given = [value[field.name] for field in fields]
            names = [field.name for field in fields]
            return dict(zip(names, _parts(node, given, version, link), strict=True))
    return value


def _parts(node: Record, values, version: Version, link: Link):
    for field, value in zip(_layout(node, version), values, strict=True):
        yield value if field.node is None else relocate(field.node, value, version, link)
