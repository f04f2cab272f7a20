"""What generated code calls for everything that is not the common case.

The fast functions know one-byte fields and plain multi-byte varints. Whatever else they meet they
answer with `Unusual`; then the traced decoder reads the same bytes with the rules of the schema's
own nodes and finds an oddity, or the error and its place. So a rule is never stated twice.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from construct import Construct

from tileir.formats.cursor import Cursor, Environment, Path, Slice, Writer
from tileir.formats.leaves import MASK64, Leaf, WideInt, encode_varint, zigzag
from tileir.formats.nodes import Items

from .layout import is_varint

SIGNED = tuple(raw >> 1 ^ -(raw & 1) for raw in range(128))
"""What a zigzag byte stands for."""


ALONE = tuple((number,) for number in range(128))
"""A tuple of one number, for each number of one byte."""

SINGLE = tuple(bytes((number,)) for number in range(128))
"""A sequence of one number, for each number of one byte, where a list of numbers is its bytes."""


class Unusual(Exception):
    """Not what the fast functions are made for. It never leaves the codec."""


REFUSALS = (Unusual, IndexError, KeyError, ValueError, TypeError, RecursionError, struct.error)
"""How a fast function gives up: running off the end of its bytes is an IndexError, and so on."""


def refuse(*_) -> None:
    """What stands in a dispatch table for a tag that no arm has."""
    raise Unusual


class Reading:
    """What a fast decoder carries along: the window in the file, type tags, nesting so far.

    `data` is the window as bytes: a copy, unless one is given.
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
    """The rest of a varint of which `first` has been read, in its shortest form only."""
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
    """`count` varints in a row, as a list or a tuple."""
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
    """The bit pattern of a number of the type with that index."""
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


def interpret(node: Construct, data, position: int) -> tuple[object, int]:
    """A node that generated code has no words for, read by the node itself."""
    warnings: list = []
    view = memoryview(data)
    cursor = Cursor(view, position, len(view), "", Environment(None), warnings=warnings)
    value = node._parse(cursor, None, "")
    if warnings:
        raise Unusual
    return value, cursor.position


def counted(count: int) -> list:
    """The list for a count: one that remembers it if it was not written in the shortest form."""
    if count.__class__ is not WideInt:
        return []
    items = Items()
    items.wide_count = count
    return items


class Compiled(Construct):
    """A generated function in the place of the node it was made from."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def _parse(self, cursor: Cursor, context, path: Path):
        value, cursor.position = self.function(cursor, cursor.position, path)
        return value

    def _build(self, value, writer: Writer, context, path: Path):
        self.function(writer, value)
        return value


def put_varint(out: bytearray, value: int, bits: int) -> None:
    """Write a number that does not fit into seven bits, or is no number."""
    if value < 0 or value >> bits:
        raise Unusual
    out += encode_varint(value)


def put_signed(out: bytearray, value: int) -> None:
    """Write a signed number as a zigzag varint."""
    if not -(1 << 63) <= value < 1 << 63:
        raise Unusual
    out += encode_varint(zigzag(value))


def put_scalar(node, out: bytearray, value: int, tags: Sequence, index: int) -> None:
    """Write the bit pattern of a number of the type with that index."""
    bits = node.width(tags, index)
    if bits is None or value < 0 or value >> bits:
        raise Unusual
    number = node.number_of(int(value), bits)
    if node.leaf(bits) is node.byte:
        out.append(number)
    else:
        out += encode_varint(number & MASK64)


class Probe(Cursor):
    """A cursor over single bytes that has no words for what is amiss, only an exception."""

    def error(self, *_, **__) -> Unusual:
        """The exception, whatever is wrong."""
        return Unusual()

    def warn(self, *_) -> None:
        """What is odd is no better than what is wrong."""
        raise Unusual


def plain_bytes(leaf: Leaf, version) -> dict[int, int]:
    """What each single byte means to a leaf, of those it reads without a word.

    Found by asking the leaf itself, once for each byte with which it can end.
    """
    found = {}
    probe = Probe(memoryview(bytes(range(256))), 0, 0, "", Environment(version))
    for byte in range(128 if is_varint(leaf) else 256):
        probe.position, probe.end = byte, byte + 1
        try:
            found[byte] = leaf.read(probe, "")
        except Unusual:
            continue
    return found
