"""The functions that generated code calls for everything but the common case.

The fast functions read one-byte fields and plain multi-byte varints. For anything else they raise
`Unusual`; then the traced decoder reads the same bytes by the rules of the schema's own nodes, and
finds the oddity, or the error and its path. So no rule is stated twice.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from construct import Construct

from tileir.formats.cursor import ByteWriter, Cursor, Environment, Path, Slice
from tileir.formats.leaves import MASK64, Leaf, WideInt, encode_varint, zigzag
from tileir.formats.nodes import Items
from tileir.formats.version import LATEST

from .layout import is_varint

SIGNED = tuple(raw >> 1 ^ -(raw & 1) for raw in range(128))
"""The number of each zigzag byte."""

ALONE = tuple((number,) for number in range(128))
"""A tuple of one number, for each number of one byte."""

SINGLE = tuple(bytes((number,)) for number in range(128))
"""A bytes object of one number, for each number of one byte, where lists of numbers are bytes."""


class Unusual(Exception):
    """The fast functions cannot read or write this; the exception never leaves the codec."""


REFUSALS = (Unusual, IndexError, KeyError, ValueError, TypeError, RecursionError, struct.error)
"""The exceptions of a fast function that gives up: past the end of its bytes an IndexError, etc."""


def refuse(*_) -> None:
    """Raise Unusual: the entry of a dispatch table for a tag without an arm."""
    raise Unusual


class Reading:
    """The state of a fast decoder: the window in the file, type tags, levels of nesting.

    `data` is the window as bytes: a copy, unless it is given.
    """

    __slots__ = (
        "attribute",
        "attribute_depth",
        "base",
        "data",
        "region",
        "region_depth",
        "tags",
        "view",
    )

    def __init__(
        self, where: Slice, environment: Environment, data: bytes | memoryview | None = None
    ) -> None:
        self.base = where.offset
        self.data = bytes(where.data) if data is None else data
        self.view = where.data if isinstance(where.data, memoryview) else memoryview(where.data)
        self.tags = environment.type_tags
        self.region = self.attribute = 0
        self.region_depth = environment.limits.region_depth
        self.attribute_depth = environment.limits.attribute_depth


def varint(data, position: int, first: int, bits: int) -> tuple[int, int]:
    """Read the rest of a varint after its byte `first`; Unusual if it is not the shortest form."""
    byte = data[position]
    if 0 < byte < 0x80 and bits > 13:
        return first & 0x7F | byte << 7, position + 1
    value, shift = first & 0x7F, 7
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 63:
            raise Unusual
    if not byte or value >> bits:
        raise Unusual
    return value, position


def varints(data, position: int, count: int, bits: int, kind: type):
    """Read `count` varints, as a list or a tuple."""
    if count > len(data) - position:
        raise Unusual
    values = []
    for _ in range(count):
        value = data[position]
        position += 1
        if value > 0x7F:
            value, position = varint(data, position, value, bits)
        values.append(value)
    return kind(values), position


def scalar(node, data, position: int, tags: Sequence, index: int) -> tuple[int, int]:
    """Read the bit pattern of a number of the type with an index."""
    bits = node.width(tags, index)
    if bits is None:
        raise Unusual
    raw = data[position]
    position += 1
    if raw > 0x7F and node.leaf(bits) is node.number:
        raw, position = varint(data, position, raw, 64)
    pattern = node.pattern(raw, bits)
    if pattern >> bits or (bits == 1 and raw > 1):
        raise Unusual
    return pattern, position


def interpret(node: Construct, data, position: int) -> tuple[Any, int]:
    """Read a node by its own rules, for which there is no generated code."""
    warnings: list = []
    view = memoryview(data)
    cursor = Cursor(view, position, len(view), "", Environment(LATEST), warnings=warnings)
    value = node._parse(cursor, None, "")
    if warnings:
        raise Unusual
    return value, cursor.position


def counted(count: int) -> list:
    """Return a new list; it keeps the count if that was not written in its shortest form."""
    if count.__class__ is not WideInt:
        return []
    items = Items()
    items.wide_count = count
    return items


def ended(items: list, cursor: Cursor) -> Items:
    """Return a list that ended early, with what follows its items."""
    made = Items(items)
    made.wide_count = getattr(items, "wide_count", None)
    made.opaque = cursor.opaque
    return made


class CompiledNode(Construct):
    """A node that calls a generated function, in place of the node that it was generated from."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def _parse(self, cursor: Cursor, context, path: Path):
        value, cursor.position = self.function(cursor, cursor.position, path)
        return value

    def _build(self, value, writer: ByteWriter, context, path: Path):
        self.function(writer, value)
        return value


def put_varint(out: bytearray, value: int, bits: int) -> None:
    """Write a number of more than seven bits; Unusual if it does not fit."""
    if value < 0 or value >> bits:
        raise Unusual
    out += encode_varint(value)


def put_signed(out: bytearray, value: int) -> None:
    """Write a signed number as a zigzag varint."""
    if not -(1 << 63) <= value < 1 << 63:
        raise Unusual
    out += encode_varint(zigzag(value))


def put_scalar(node, out: bytearray, value: int, tags: Sequence, index: int) -> None:
    """Write the bit pattern of a number of the type with an index."""
    bits = node.width(tags, index)
    if bits is None or value < 0 or value >> bits:
        raise Unusual
    number = node.number_of(int(value), bits)
    if node.leaf(bits) is node.byte:
        out.append(number)
    else:
        out += encode_varint(number & MASK64)


class Probe(Cursor):
    """A cursor over single bytes whose errors and warnings are `Unusual`."""

    def error(self, *_, **__) -> Unusual:
        """Return Unusual, whatever is wrong."""
        return Unusual()

    def warn(self, *_) -> None:
        """Raise Unusual: an oddity counts as an error."""
        raise Unusual


def plain_bytes(leaf: Leaf, version) -> dict[int, int]:
    """Return the value of each single byte that a leaf reads without error or warning.

    The leaf itself reads each byte once.
    """
    values = {}
    probe = Probe(memoryview(bytes(range(256))), 0, 0, "", Environment(version))
    for byte in range(128 if is_varint(leaf) else 256):
        probe.position, probe.end = byte, byte + 1
        try:
            values[byte] = leaf.read(probe, "")
        except Unusual:
            continue
    return values
