"""Corruptions 183 to 194: the Constant section."""

from __future__ import annotations

from ..small import table, varint
from .base import CONSTANT, INT, Module, code, numbers
from .rows import FILE, refused, same

WORD, FOUR = FILE.constants


def placed(*offsets: int) -> Module:
    return FILE.section(CONSTANT, table([WORD, FOUR], width=8, offsets=offsets))


def counted(count: int) -> Module:
    return FILE.section(CONSTANT, table([WORD, FOUR], width=8, count=varint(count)))


def second(entry: bytes) -> Module:
    return FILE.with_(constants=[WORD, entry])


ROWS = (
    refused(
        183,
        "no constants, as cuTile writes it",
        FILE.section(CONSTANT, b"\x00" + b"\xcb" * 7),
        "global value constant index out of bounds",
        "bad_index",
    ),
    refused(
        184,
        "offsets that decrease",
        placed(5, 0),
        "invalid constant start indices: end (0) is less than start (5) for constant 0",
        "bad_offset",
    ),
    refused(
        185,
        "offset beyond the end",
        placed(0, 9999),
        "constant 0 extends beyond available data: size=9999",
        "bad_offset",
    ),
    refused(
        186,
        "offset 2^63",
        placed(0, 1 << 63),
        "constant 0 extends beyond available data: size=9223372036854775808",
        "bad_offset",
    ),
    refused(187, "2^31 constants", counted(1 << 31), "@8 insufficient data for constant", "limit"),
    refused(
        188,
        "2^61 constants",
        counted(1 << 61),
        "@9 varint value exceeds maximum supported capacity",
        "limit",
    ),
    refused(
        189,
        "inner length too large",
        second(b"\x7f" + FOUR[1:]),
        "@1 failed to read the raw byte data",
        "truncated",
    ),
    refused(
        190,
        "inner length too small",
        second(b"\x0f" + FOUR[1:]),
        "@16 failed to validate buffer size and format",
        "bad_value",
    ),
    same(191, "bytes after the inner length", second(FOUR + b"????"), "table_layout"),
    refused(
        192,
        "inner length 2^64-1",
        second(varint((1 << 64) - 1) + FOUR[1:]),
        "@10 failed to read the raw byte data",
        "truncated",
    ),
    same(193, "one element for all", second(b"\x04" + FOUR[1:5])),
    refused(
        194,
        "constant 99",
        FILE.ops(constant=code("constant") + numbers(INT, 99)),
        "@31 constant index 99 out of bounds",
        "bad_index",
    ),
)
