"""A yardstick: a decoder of function bodies as one would write it by hand.

A reader with a method for each kind of field, a function for each op or family of ops, and versions
as `if`. It knows nothing of the schema, gives the same rows as the specialised decoder, refuses the
same bytes and has the same limits; only an error here does not say where. What the specialised
decoder gains over code like this is what the benchmark tells.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from tileir.formats.limits import DEFAULT, Limits

from .by_hand_ops import READERS


class Refused(Exception):
    """Not what the specialised decoder would read without a word."""


WIDTHS = {0: 1, 1: 8, 2: 16, 3: 32, 4: 64, 5: 16, 6: 16, 7: 32, 8: 19, 9: 64, 10: 8, 11: 8,
          18: 8, 19: 4, 22: 4, 130: 8}  # fmt: skip
"""Tag of an element type -> bits of a number of that type."""

INTEGERS = {0, 1, 2, 3, 4, 22}


class Reader:
    """A position in the bytes of one body, and what reading depends on."""

    def __init__(self, data: bytes, minor: int, tags: Sequence, limits: Limits) -> None:
        self.data = data
        self.position = 0
        self.minor = minor
        self.tags = tags
        self.limits = limits
        self.regions = self.attributes = 0

    def byte(self) -> int:
        """One byte."""
        value = self.data[self.position]
        self.position += 1
        return value

    def varint(self, bits: int = 64) -> int:
        """LEB128 in its shortest form."""
        data, position = self.data, self.position
        value = data[position]
        position += 1
        if value > 127:
            value &= 127
            shift = 7
            while True:
                byte = data[position]
                position += 1
                value |= (byte & 127) << shift
                if byte < 128:
                    break
                shift += 7
                if shift > 63:
                    raise Refused("a varint of more than ten bytes")
            if not byte:
                raise Refused("an overlong varint")
            if value >> bits:
                raise Refused("a varint out of range")
        self.position = position
        return value

    def index(self) -> int:
        """An index of a type, string, constant or value."""
        return self.varint(32)

    def signed(self) -> int:
        """Zigzag LEB128."""
        raw = self.varint()
        return raw >> 1 ^ -(raw & 1)

    def count(self, item_size: int = 1) -> int:
        """A number of items of at least so many bytes each."""
        count = self.varint()
        if count * item_size > len(self.data) - self.position:
            raise Refused("more items than bytes")
        return count

    def indices(self) -> tuple:
        """Counted indices."""
        return tuple([self.index() for _ in range(self.count())])

    def types(self, count: int) -> tuple:
        """So many type indices."""
        return tuple([self.index() for _ in range(count)])

    def type(self) -> tuple:
        """The type of the only result."""
        return (self.index(),)

    def enum(self, cases: int) -> int:
        """A case of an enum that has so many, without gaps."""
        value = self.varint(32)
        if value >= cases:
            raise Refused("no case of the enum")
        return value

    def rounding(self) -> int:
        """A rounding mode."""
        return self.enum(8 if self.minor >= 4 else 7)

    def flags(self, bits: int) -> int:
        """A flag word with so many bits in use."""
        value = self.varint()
        if value >> bits:
            raise Refused("unknown flag bits")
        return value

    def value_if(self, flag: int) -> int | None:
        """A value that a flag announces."""
        return self.index() if flag else None

    def scope_if(self, flag: int) -> int | None:
        """A memory scope that a flag announces."""
        return self.enum(3) if flag else None

    def bools(self) -> bytes:
        """Counted bytes."""
        count = self.count()
        start = self.position
        self.position += count
        return self.data[start : self.position]

    def integers(self) -> tuple:
        """Counted 32-bit integers."""
        count = self.count(4)
        values = struct.unpack_from(f"<{count}i", self.data, self.position)
        self.position += 4 * count
        if -(1 << 31) in values or (1 << 31) - 1 in values:
            raise Refused("the end of the range in a list")
        return values

    # Attributes -----------------------------------------------------------------------------

    def attribute(self) -> tuple:
        """A tagged attribute."""
        tag = self.varint(32)
        match tag:
            case 1 | 2:
                type = self.index()
                return tag, type, self.number(type, tag == 1)
            case 3:
                return tag, self.byte()
            case 4 | 5:
                return tag, self.index()
            case 6:
                return tag, self.nested(self.attribute_list)
            case 7:
                return tag, self.index(), self.index()
            case 8:
                divisor, flags = self.varint(), self.flags(2)
                every = self.signed() if flags & 1 else None
                return tag, divisor, flags, every, self.signed() if flags & 2 else None
            case 9:
                count = self.count(8)
                values = struct.unpack_from(f"<{count}q", self.data, self.position)
                self.position += 8 * count
                return tag, values
            case 10 | 11:
                return tag, self.nested(self.dictionary)
            case 12:
                flags = self.flags(2)
                lower = self.signed() if flags & 1 else None
                return tag, flags, lower, self.signed() if flags & 2 else None
            case 13 if self.minor >= 5:
                return tag, self.enum(8)
        raise Refused("no attribute of this version")

    def nested(self, read: Callable[[], list]) -> list:
        """Attributes inside an attribute, of limited depth."""
        self.attributes += 1
        if self.attributes > self.limits.attribute_depth:
            raise Refused("attributes nested too deeply")
        value = read()
        self.attributes -= 1
        return value

    def attribute_list(self) -> list[tuple]:
        """Counted attributes."""
        return [self.attribute() for _ in range(self.count())]

    def dictionary(self) -> list[tuple]:
        """Counted keys and attributes."""
        return [(self.index(), self.attribute()) for _ in range(self.count(2))]

    def number(self, type: int, integer: bool) -> int:
        """The bit pattern of a number of a type."""
        tag = self.tags[type] if type < len(self.tags) else None
        if tag not in WIDTHS or (tag in INTEGERS) != integer:
            raise Refused("no type of a number")
        bits = WIDTHS[tag]
        if integer:
            value = self.byte() if bits == 1 else self.varint()
        elif bits <= 8:
            value = self.byte()
        else:
            value = self.signed() & 0xFFFFFFFFFFFFFFFF
        if value >> bits:
            raise Refused("a number that does not fit its type")
        return value

    # Ops ------------------------------------------------------------------------------------

    def op(self) -> tuple:
        """An op: opcode, offset, fields."""
        start = self.position
        opcode = self.varint(32)
        read, since = READERS[opcode]
        if self.minor < since:
            raise Refused("no op of this version")
        return opcode, start, *read(self)

    def region_list(self, count: int) -> tuple:
        """The regions of an op, which has so many; of limited depth."""
        if self.varint() != count:
            raise Refused("another number of regions")
        self.regions += 1
        if self.regions > self.limits.region_depth:
            raise Refused("regions nested too deeply")
        regions = []
        for _ in range(count):
            regions.append([self.block() for _ in range(self.count(2))])
        self.regions -= 1
        return tuple(regions)

    def block(self) -> tuple:
        """Argument types and ops."""
        return self.indices(), [self.op() for _ in range(self.count(2))]


def decode(data: bytes, minor: int, tags: Sequence = (), limits: Limits = DEFAULT) -> list[tuple]:
    """The op rows of a body of version 13.`minor`. Refuses with Refused, IndexError or KeyError."""
    reader = Reader(data, minor, tags, limits)
    rows = []
    size = len(data)
    while reader.position < size:
        rows.append(reader.op())
    return rows
