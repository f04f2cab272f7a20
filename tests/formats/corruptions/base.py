"""The file that is corrupted: one kernel that has something of everything, in four versions.

`Module` holds the parts of the file, so that a corruption is the file with one part replaced; the
parts that nobody replaces are the same everywhere. Sections, regions in regions of ops, hints on
the kernel and on an op, a constant, a global and debug records of every kind are there. The 13.3
file has 715 bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tileir.formats.ops import BY_NAME

from ..small import padding, table, varint

V13_1, V13_3, V13_4, V13_5 = (13, 1), (13, 3), (13, 4), (13, 5)

MAGIC = b"\x7fTileIR\x00"
STRING, FUNC, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = range(1, 8)
ORDER = (FUNC, GLOBAL, CONSTANT, DEBUG, TYPE, STRING)
ALIGNMENT = {STRING: 4, FUNC: 8, DEBUG: 8, CONSTANT: 8, TYPE: 4, GLOBAL: 0, PRODUCER: 0}

STRINGS = (
    b"table", b"k.py", b"/src", b"k", b"kern", b"sm_100", b"num_cta_in_cga", b"occupancy",
    b"latency",
)  # fmt: skip
NAME, SOURCE, FOLDER, SHORT_NAME, KERN, SM_100, NUM_CTA, OCCUPANCY, LATENCY = range(9)

(I1, I32, INT, F32, PTR, POINTER, FLOAT, QUAD, TILE, TENSOR, VIEW, SIGNATURE, TOKEN, BOOL) = range(
    14
)
"""Positions in the type table. INT, FLOAT, POINTER and BOOL are tiles of rank 0."""

INTEGER, DICTIONARY, HINTS = b"\x01", b"\x0a", b"\x0b"
"""Attribute tags."""


def code(mnemonic: str) -> bytes:
    """The opcode of an op."""
    return varint(BY_NAME[mnemonic].opcode)


def numbers(*values: int) -> bytes:
    """Varints one after the other."""
    return b"".join(map(varint, values))


def sizes(*values: int, width: int = 8) -> bytes:
    """A counted list of little-endian integers."""
    return varint(len(values)) + b"".join(
        value.to_bytes(width, "little", signed=True) for value in values
    )


def types(version: tuple[int, int]) -> list[bytes]:
    """The type table: records in the order of the names above."""
    flags = b"\x00" if version >= V13_4 else b""
    padded = (b"\x01", b"\x00") if version >= V13_3 else (b"", b"\x01\x00")
    return [
        b"\x00",
        b"\x03",
        numbers(13, I32, 0),
        b"\x07",
        b"\x0c" + flags + numbers(F32),
        numbers(13, PTR, 0),
        numbers(13, F32, 0),
        numbers(13, F32) + sizes(4),
        numbers(13, F32) + sizes(16),
        b"\x0e" + flags + numbers(F32) + sizes(-(1 << 63)) + sizes(1),
        b"\x0f" + padded[0] + sizes(16, width=4) + numbers(TENSOR) + sizes(0, width=4) + padded[1],
        numbers(16, 2, POINTER, INT, 0),
        b"\x11",
        numbers(13, I1, 0),
    ]


def body(version: tuple[int, int]) -> dict[str, bytes]:
    """The ops by name, in the order of the file; a region's header is a piece of its own."""
    inbounds = b"\x01\x00" if version >= V13_4 else b""
    latency = numbers(1, SM_100) + DICTIONARY + numbers(1, LATENCY) + INTEGER + numbers(I32, 2)
    return {
        "assume": code("assume") + numbers(POINTER, 8, 16, 0, 0),
        "assume_size": code("assume") + numbers(INT, 8, 8, 0, 1),
        "tensor": code("make_tensor_view") + numbers(1, TENSOR, 2, 1, 3, 0),
        "view": code("make_partition_view") + numbers(VIEW, 4),
        "token": code("make_token") + numbers(TOKEN),
        "block": code("get_tile_block_id") + numbers(INT, INT, INT),
        "constant": code("constant") + numbers(INT, 0),
        "add": code("addi") + numbers(INT, 0, 7, 10),
        "load": code("load_view_tko") + numbers(2, TILE, TOKEN, 4, 0) + inbounds
        + numbers(5, 1, 7, 6),
        "compare": code("cmpi") + numbers(BOOL, 2, 1, 11, 3),
        "if": code("if") + numbers(1, TILE, 14, 2),
        "then": numbers(1, 0, 2),
        "then_add": code("addf") + numbers(TILE, 0, 0, 12, 12),
        "then_yield": code("yield") + numbers(0, 1, 15),
        "else": numbers(1, 0, 1),
        "else_yield": code("yield") + numbers(0, 1, 12),
        "reduce": code("reduce") + numbers(1, FLOAT, 0) + numbers(1, 2, F32, 0) + numbers(1, 15, 1),
        "combine": numbers(1, 2, FLOAT, FLOAT, 2),
        "combine_add": code("addf") + numbers(FLOAT, 0, 0, 16, 17),
        "combine_yield": code("yield") + numbers(0, 1, 18),
        "store": code("store_view_tko") + numbers(1, TOKEN, 6, 0) + latency + inbounds
        + numbers(15, 5, 1, 7, 13),
        "return": code("return") + numbers(0, 0),
    }  # fmt: skip


OPS = 19
"""Ops of the body, the nested ones included."""

ENTRY_HINTS = (
    HINTS + numbers(1, SM_100) + DICTIONARY + numbers(2, NUM_CTA) + INTEGER + numbers(I32, 1)
    + numbers(OCCUPANCY) + INTEGER + numbers(I32, 1)
)  # fmt: skip


def constants() -> list[bytes]:
    """A 4-byte integer and four 4-byte floats, each after its length."""
    return [b"\x04" + struct.pack("<I", 1), b"\x10" + struct.pack("<4f", 1, 1, 1, 1)]


def debug_records(version: tuple[int, int]) -> list[bytes]:
    """A record of every kind; references to records count from 1."""
    return [
        numbers(2, SOURCE, FOLDER),
        numbers(1, 1),
        numbers(5, 1, 3, SHORT_NAME, KERN, 2, 3) + (b"\x00" if version >= V13_5 else b""),
        numbers(4, 3, SOURCE, 4, 5),
        numbers(3, 3, 1, 6, 7),
        numbers(4, 5, SOURCE, 8, 9),
        numbers(6, 6, 4),
    ]


@dataclass(frozen=True)
class Module:
    """The parts of a file. `payloads` replaces whole payloads by section number."""

    version: tuple[int, int] = V13_3
    tag: int = 0
    strings: Sequence[bytes] = STRINGS
    types: Sequence[bytes] = ()
    constants: Sequence[bytes] = field(default_factory=constants)
    global_: bytes = b""
    flags: int = 6
    entry: bytes = numbers(KERN, SIGNATURE)
    location: bytes = b"\x01"
    hints: bytes = ENTRY_HINTS
    arguments: bytes = b""
    body: Mapping[str, bytes] = field(default_factory=dict)
    starts: Sequence[int] = (0,)
    indices: Sequence[int] = (4, *[6] * 8, 7, *[6] * (OPS - 9))
    records: Sequence[bytes] = ()
    payloads: Mapping[int, bytes] = field(default_factory=dict)

    def with_(self, **parts) -> Module:
        """The module with other parts."""
        return replace(self, **parts)

    def ops(self, **pieces: bytes) -> Module:
        """The module with other ops; a piece that the body lacks goes to its end."""
        return replace(self, body={**self.body, **pieces})

    def type(self, index: int, record: bytes) -> Module:
        """The module with another type record."""
        return replace(self, types=replaced(self.types, index, record))

    def string(self, index: int, text: bytes) -> Module:
        """The module with another string."""
        return replace(self, strings=replaced(self.strings, index, text))

    def record(self, number: int, record: bytes) -> Module:
        """The module with another debug record; they count from 1."""
        return replace(self, records=replaced(self.records, number - 1, record))

    def section(self, number: int, payload: bytes) -> Module:
        """The module with another payload of a section."""
        return replace(self, payloads={**self.payloads, number: payload})

    @property
    def code(self) -> bytes:
        """The bytes of the body."""
        return b"".join(self.body.values())

    def head(self) -> bytes:
        """The entry of the function table up to the length of the body."""
        return self.entry + bytes([self.flags]) + self.location + self.hints + self.arguments

    def function(self) -> bytes:
        """The entry of the function table."""
        return self.head() + varint(len(self.code)) + self.code

    def debug(self, *, indices: bytes | None = None, records: bytes | None = None) -> bytes:
        """The Debug payload; its second and third part may be given as bytes."""
        start = debug_starts(self.starts)
        middle = debug_indices(self.indices, len(start)) if indices is None else indices
        before = len(start) + len(middle)
        return start + middle + (table(self.records, before) if records is None else records)

    def payload(self, number: int) -> bytes:
        """The payload of a section."""
        if number in self.payloads:
            return self.payloads[number]
        match number:
            case 1:
                return table(self.strings)
            case 2:
                return b"\x01" + self.function()
            case 3:
                return self.debug()
            case 4:
                return table(self.constants, width=8)
            case 5:
                return table(self.types)
            case 6:
                return b"\x01" + self.global_
        raise ValueError(number)

    def parts(self, order: Sequence[int] = ORDER) -> list[Part]:
        """The sections."""
        return [Part(number, self.payload(number)) for number in order]

    def build(self, order: Sequence[int] = ORDER) -> bytes:
        """The file."""
        return join(self.parts(order), version=self.version, tag=self.tag)


def replaced(items: Sequence[bytes], index: int, item: bytes) -> list[bytes]:
    """The items with another one at a position."""
    return [*items[:index], item, *items[index + 1 :]]


def debug_starts(starts: Sequence[int], count: bytes | None = None) -> bytes:
    """First part of the Debug payload: where each function's list begins."""
    head = varint(len(starts)) if count is None else count
    return head + padding(len(head), 4) + struct.pack(f"<{len(starts)}I", *starts)


def debug_indices(
    indices: Sequence[int], before: int, count: bytes | None = None, alignment: int = 8
) -> bytes:
    """Second part of the Debug payload, `before` bytes into it: the record of each op."""
    head = varint(len(indices)) if count is None else count
    head += padding(before + len(head), alignment)
    return head + struct.pack(f"<{len(indices)}Q", *indices)


@dataclass(frozen=True)
class Part:
    """A section as it is written. What is None is what a producer writes."""

    number: int
    payload: bytes
    alignment: int | None = None
    flagged: bool | None = None
    length: bytes | None = None
    spelled_alignment: bytes | None = None
    fill: bytes = b"\xcb"
    padded: bool = True

    def build(self, offset: int) -> bytes:
        """The section's bytes, `offset` being where it begins in the file."""
        alignment = ALIGNMENT.get(self.number, 0) if self.alignment is None else self.alignment
        flagged = bool(alignment) if self.flagged is None else self.flagged
        data = bytes([self.number | 0x80 * flagged])
        data += varint(len(self.payload)) if self.length is None else self.length
        if flagged:
            spelled = self.spelled_alignment
            data += varint(alignment) if spelled is None else spelled
            if self.padded:
                data += self.fill * (-(offset + len(data)) % alignment)
        return data + self.payload


def join(
    parts: Sequence[Part | bytes], *, version: tuple[int, int] = V13_3, tag: int = 0,
    end: bytes = b"\x00",
) -> bytes:  # fmt: skip
    """A file of sections (or of bytes in the place of one), ended by `end`."""
    data = MAGIC + bytes(version) + struct.pack("<H", tag)
    for part in parts:
        data += part.build(len(data)) if isinstance(part, Part) else part
    return data + end


def base(version: tuple[int, int] = V13_3) -> Module:
    """The file before anything is done to it."""
    newest = version >= V13_5
    return Module(
        version=version,
        types=types(version),
        global_=numbers(NAME, QUAD, 1, 16) + (numbers(0, 0) if version >= V13_3 else b""),
        flags=2 if newest else 6,
        arguments=b"\x06\x00" if newest else b"",
        body=body(version),
        records=debug_records(version),
    )
