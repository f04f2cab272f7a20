"""What a record refers to: its indices into tables, by what they are indices of.

The walk follows the schema. A node from which no wanted index can be reached has no collector, so
of the many fields of a body only the few that hold such indices are looked at. Records have the
form that the specialised codec gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from construct import Construct

from tileir.formats.leaves import Index
from tileir.formats.nodes import Counted, Malformed, Record, RowRecord, UntilEnd, Variant
from tileir.formats.ops.wire import OpVariant, Regions, Repeat
from tileir.formats.types import Extension
from tileir.formats.version import Version

from .layout import layout

WANTED = ("string", "constant", "debug record", "debug list")
"""What the indices that are collected are indices of; see `leaves.Index`."""


class References:
    """The indices found so far, by what they are indices of, and the number of ops walked through.

    Types are not among them.
    """

    def __init__(self) -> None:
        self.found: dict[str, set[int]] = {target: set() for target in WANTED}
        self.ops = 0

    def collect(self, node: Construct, record: object, version: Version) -> None:
        """Add what a record of a node refers to. A body that is still bytes is left out."""
        collector = _collector(node, version)
        if collector is not None and record is not None and not isinstance(record, Malformed):
            collector(record, self)


Collector = Callable[[Any, References], None]
Fields = tuple[tuple[int | str, Collector], ...]
"""The place of each field that can refer to something, in a row or in a named record."""


@cache
def _collector(node: Construct, version: Version) -> Collector | None:
    """Return what collects from the records of a node; None if nothing wanted can be there."""
    match node:
        case Index() if node.target in WANTED:
            return _index(node.target)
        case Counted() | UntilEnd() if isinstance(node.subcon, OpVariant):
            return _ops(node.subcon, version)
        case Counted() | UntilEnd() | Repeat() | Regions():
            return _each(_collector(node.subcon, version))
        case Extension():
            return _collector(node.subcon, version)
        case Variant():
            return _variant(node, version)
        case RowRecord():
            return _of_fields(_fields(node, version, 0))
        case Record():
            return _of_fields(_fields(node, version, None))
    return None


def _index(target: str) -> Collector:
    return lambda number, references: references.found[target].add(int(number))


def _each(inner: Collector | None) -> Collector | None:
    if inner is None:
        return None

    def collect(items, references: References) -> None:
        for item in items:
            inner(item, references)

    return collect


def _ops(node: OpVariant, version: Version) -> Collector:
    """Return the collector of a list of ops."""
    known: dict[int, Fields] = {}

    def collect(rows, references: References) -> None:
        references.ops += len(rows)
        for row in rows:
            fields = known.get(row[0])
            if fields is None:
                fields = known[row[0]] = _fields(node.arms[row[0]].fields, version, 2)
            for place, inner in fields:
                if row[place] is not None:
                    inner(row[place], references)

    return collect


def _variant(node: Variant, version: Version) -> Collector:
    known: dict[str | int, Fields] = {}
    arms, selector, head = (node.arms, 0, 1) if node.rows else (node.by_name, "variant", None)

    def collect(record, references: References) -> None:
        key = record[selector]
        fields = known.get(key)
        if fields is None:  # not before, because variants contain themselves
            fields = known[key] = _fields(arms[key].fields, version, head)
        for place, inner in fields:
            if record[place] is not None:
                inner(record[place], references)

    return collect


def _of_fields(fields: Fields) -> Collector | None:
    if not fields:
        return None

    def collect(record, references: References) -> None:
        for place, inner in fields:
            if record[place] is not None:
                inner(record[place], references)

    return collect


def _fields(node: Record, version: Version, head: int | None) -> Fields:
    """Return the fields that can refer to something; `head` is what a row has before its fields."""
    fields = []
    for index, field in enumerate(layout(node, version)):
        inner = None if field.node is None else _collector(field.node, version)
        if inner is not None:
            fields.append((field.name if head is None else head + index, inner))
    return tuple(fields)
