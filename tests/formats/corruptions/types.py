"""Corruptions 144 to 182: the Type section's table, records, and chains of them."""

from __future__ import annotations

from ..small import table, varint
from .base import (
    F32,
    I32,
    INT,
    KERN,
    PTR,
    QUAD,
    TENSOR,
    TILE,
    TYPE,
    VIEW,
    Module,
    numbers,
    sizes,
)
from .rows import FILE, NEWER, NEWEST, OLDEST, crash, refused, same

RECORDS = FILE.types
OFFSETS = [sum(map(len, RECORDS[:index])) for index in range(len(RECORDS))]
UNUSED_BITS = "unused bits set in optional parameter flags"
NO_I32 = "@13 failed to read valid IntegerType for IntegerAttr"


def counted(count: int) -> Module:
    return FILE.section(TYPE, table(RECORDS, count=varint(count)))


def moved(*offsets: int) -> Module:
    return FILE.section(TYPE, table(RECORDS, offsets=offsets))


def flagged(module: Module, index: int, flags: int, value: int | None = None) -> Module:
    """A type record with other flags, and an optional parameter at its end."""
    record = module.types[index]
    end = b"" if value is None else varint(value)
    return module.type(index, record[:1] + varint(flags) + record[2:] + end)


def rank(count: int) -> bytes:
    return numbers(13, F32) + varint(count) + (16).to_bytes(8, "little")


def arrays(depth: int) -> bytes:
    """Arrays of one array each, inside each other."""
    return b"\x06\x01" * depth + b"\x06\x00"


def pointers(depth: int) -> Module:
    """The pointer type at the head of a chain."""
    first = len(RECORDS)
    chain = [b"\x0c" + varint(first + 1 + index) for index in range(depth - 1)]
    chain.append(b"\x0c" + varint(F32))
    records = [*RECORDS, *chain]
    records[PTR] = b"\x0c" + varint(first)
    return FILE.with_(types=records)


SWAPPED = [OFFSETS[0], OFFSETS[2], OFFSETS[1], *OFFSETS[3:]]

ROWS = (
    refused(144, "no types", FILE.section(TYPE, b"\x00"), "@0 provided type is null", "bad_index"),
    refused(
        145,
        "1000 types",
        counted(1000),
        "@2 number of types (1000) exceeds the maximum of 34",
        "limit",
    ),
    refused(146, "offsets that decrease", moved(*SWAPPED), NO_I32, "bad_offset"),
    refused(
        147,
        "last type beyond the end",
        moved(*OFFSETS[:-1], 1000),
        "@24 failed to get result type 0 for MakeTokenOp",
        "bad_offset",
    ),
    refused(148, "type tag 23", FILE.type(I32, b"\x17"), "unknown type tag: 23", "bad_index"),
    refused(149, "type tag 127", FILE.type(I32, b"\x7f"), "unknown type tag: 127", "bad_index"),
    refused(
        150,
        "type tag 130 in 13.3",
        FILE.type(I32, b"\x82\x01"),
        "type 'FloatNV8E5M3FNU' requires bytecode version 13.4+, file version is 13.3",
        "bad_index",
    ),
    same(
        151,
        "type tag 23 that nothing uses",
        FILE.with_(types=[*RECORDS, b"\x17"]),
        "malformed",
    ),
    same(152, "type tag in 2 bytes", FILE.type(I32, b"\x83\x00"), "overlong_varint"),
    same(153, "type tag 256 + 3", FILE.type(I32, b"\x83\x02"), ours="bad_index"),
    same(154, "a byte after i32", FILE.type(I32, b"\x03\x55"), "table_layout"),
    refused(
        155,
        "a byte after a tile",
        FILE.type(QUAD, RECORDS[QUAD] + b"\x55"),
        "preview type extension requires the header to advertise preview content",
        "preview",
    ),
    refused(156, "a type of no bytes", FILE.type(I32, b""), NO_I32, "bad_index"),
    refused(
        157,
        "a tile of itself",
        FILE.type(QUAD, numbers(13, QUAD) + sizes(4)),
        "@1 failed to get elementType type",
        "bad_index",
    ),
    refused(
        158,
        "element type 99",
        FILE.type(QUAD, numbers(13, 99) + sizes(4)),
        "@1 failed to get elementType type",
        "bad_index",
    ),
    refused(
        159,
        "a tile of 17",
        FILE.type(TILE, numbers(13, F32) + sizes(17)),
        "all dimensions must be powers of two, got 17",
        "bad_value",
    ),
    refused(
        160,
        "a tile of -1",
        FILE.type(TILE, numbers(13, F32) + sizes(-1)),
        "all dimensions must be positive constants, got -1",
        "bad_value",
    ),
    refused(
        161,
        "a tile of rank 2^40",
        FILE.type(TILE, rank(1 << 40)),
        "@7 array size in bytecode (1099511627776) exceeds maximum supported capacity",
        "limit",
    ),
    crash(162, "a tile of rank 2^32-2", FILE.type(TILE, rank((1 << 32) - 2)), "limit"),
    refused(163, "bit 1 of a view's flags, 13.3", flagged(FILE, VIEW, 3), UNUSED_BITS, "bad_value"),
    refused(
        164, "bit 1 of a view's flags, 13.5", flagged(NEWEST, VIEW, 3), UNUSED_BITS, "bad_value"
    ),
    refused(
        165,
        "padding value 5",
        FILE.type(VIEW, RECORDS[VIEW][:-1] + b"\x05"),
        "invalid integer value for enum type: 5",
        "bad_value",
    ),
    refused(
        166,
        "no padding value",
        FILE.type(VIEW, RECORDS[VIEW][:-1]),
        "@12 failed to read VarInt for enum attribute",
        "truncated",
    ),
    same(
        167,
        "padding value announced by a 2, 13.1",
        OLDEST.type(VIEW, OLDEST.types[VIEW][:-2] + b"\x02\x00"),
    ),
    refused(
        168,
        "attribute 0 of a pointer, 13.4",
        flagged(NEWER, PTR, 1, 0),
        "tensor_view must preserve ptr_attr from base pointer",
        "verify",
    ),
    refused(
        169,
        "attribute 1 of a pointer, 13.4",
        flagged(NEWER, PTR, 1, 1),
        "enum value 1 is not available in bytecode version 13.4",
        "not_available",
    ),
    refused(
        170,
        "attribute 0 of a pointer, 13.5",
        flagged(NEWEST, PTR, 1, 0),
        "tensor_view must preserve ptr_attr from base pointer",
        "verify",
    ),
    refused(
        171, "bit 1 of a pointer's flags, 13.4", flagged(NEWER, PTR, 2), UNUSED_BITS, "bad_value"
    ),
    refused(
        172, "bit 1 of a pointer's flags, 13.5", flagged(NEWEST, PTR, 2), UNUSED_BITS, "bad_value"
    ),
    refused(
        173,
        "attribute 0 of a tensor view, 13.4",
        flagged(NEWER, TENSOR, 1, 0),
        "pointer base without ptr_attr cannot produce tensor_view with ptr_attr",
        "verify",
    ),
    refused(
        174,
        "bit 1 of a tensor view's flags, 13.4",
        flagged(NEWER, TENSOR, 2),
        UNUSED_BITS,
        "bad_value",
    ),
    same(
        175,
        "a type tag after a tensor view",
        FILE.type(TENSOR, RECORDS[TENSOR] + b"\x03"),
        "table_layout",
    ),
    refused(
        176,
        "signature 99",
        FILE.with_(entry=numbers(KERN, 99)),
        "@715 function signature index 99 out of bounds for function 'kern'",
        "bad_index",
    ),
    refused(
        177,
        "signature is a tile",
        FILE.with_(entry=numbers(KERN, INT)),
        "function signature index 2 does not refer to a function type",
        "bad_value",
    ),
    crash(178, "2^31 parameters", FILE.type(11, b"\x10" + numbers(1 << 31, 5, 2, 0)), "limit"),
    crash(
        179,
        "2^32-2 parameters",
        FILE.type(11, b"\x10" + numbers((1 << 32) - 2, 5, 2, 0)),
        "limit",
    ),
    refused(
        180,
        "type tag 209, 13.5",
        NEWEST.type(I32, b"\xd1\x01"),
        "encountered public-preview type tag 209",
        "bad_index",
    ),
    crash(
        181,
        "arrays in arrays, 100,000 deep",
        lambda: FILE.with_(hints=arrays(100_000)).build(),
        "limit",
    ),
    crash(182, "pointers to pointers, 50,000 deep", lambda: pointers(50_000).build(), "limit"),
)
