"""Corruptions 130 to 143: the String section's table and names."""

from __future__ import annotations

from collections.abc import Sequence

from ..small import table, varint
from .base import KERN, LATENCY, SIGNATURE, STRING, STRINGS, Module, numbers
from .rows import FILE, other, refused, same

ENTRIES = FILE.strings
OFFSETS = [sum(map(len, STRINGS[:index])) for index in range(len(STRINGS))]


def counted(count: int) -> Module:
    return FILE.section(STRING, table(STRINGS, count=varint(count)))


def placed(offsets: Sequence[int], before: bytes = b"") -> Module:
    blob = before + b"".join(STRINGS)
    head = table([b""] * len(STRINGS), offsets=offsets)
    return FILE.section(STRING, head + blob)


def moved(index: int, offset: int) -> Module:
    return placed([*OFFSETS[:index], offset, *OFFSETS[index + 1 :]])


SWAPPED = [OFFSETS[0], OFFSETS[2], OFFSETS[1], *OFFSETS[3:]]

ROWS = (
    refused(
        130,
        "no strings",
        FILE.section(STRING, b"\x00"),
        "string index 0 out of bounds",
        "bad_index",
    ),
    refused(
        131,
        "1000 strings",
        counted(1000),
        "@2 number of strings (1000) exceeds the maximum of 23",
        "limit",
    ),
    refused(
        132,
        "2^62 strings",
        counted(1 << 62),
        "@9 number of strings (4611686018427387904) exceeds the maximum of 23",
        "limit",
    ),
    same(
        133,
        "padding of the table with bytes 0",
        FILE.section(STRING, table(STRINGS).replace(b"\xcb", b"\x00", 3)),
        "padding",
    ),
    refused(
        134,
        "last string beyond the end",
        moved(LATENCY, 1000),
        "@113 invalid empty attribute name",
        "bad_value",
    ),
    refused(
        135,
        "name of the function beyond the end",
        moved(KERN, 1000),
        "@715 function name at index 4 is empty",
        "bad_value",
    ),
    other(136, "offsets that decrease", placed(SWAPPED), "table_layout"),
    same(
        137,
        "a gap before the first string",
        placed([offset + 2 for offset in OFFSETS], b"??"),
        "table_layout",
    ),
    other(138, "name of the function is no UTF-8", FILE.string(KERN, b"k\xff\xfen")),
    other(139, "name of the function has a NUL", FILE.string(KERN, b"k\x00rn")),
    same(140, "strings twice", FILE.with_(strings=[*STRINGS, STRINGS[KERN], STRINGS[0]])),
    refused(
        141,
        "name of the function is empty",
        FILE.string(KERN, b""),
        "@711 function name at index 4 is empty",
        "bad_value",
    ),
    refused(
        142,
        "name of the function is string 200",
        FILE.with_(entry=numbers(200, SIGNATURE)),
        "string index 200 out of bounds",
        "bad_index",
    ),
    other(143, "bytes after the last string", FILE.section(STRING, table(STRINGS) + b"????")),
)
