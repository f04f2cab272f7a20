"""Corruptions 115 to 129: numbers in more bytes than they need, or in too many."""

from __future__ import annotations

from ..small import table
from .base import FUNC, SIGNATURE, STRING, STRINGS, code, numbers
from .container import with_part
from .rows import FILE, Row, refused, same


def overlong(value: int, width: int, last: int | None = None) -> bytes:
    """A number in `width` bytes; `last` replaces the last of them."""
    data = bytearray(value >> 7 * k & 127 | 128 for k in range(width))
    data[-1] = data[-1] & 127 if last is None else last
    return bytes(data)


LENGTH = len(FILE.payload(STRING))


def length(number: int, width: int, last: int | None, what: str, warns: str) -> Row:
    return same(
        number, what, lambda: with_part(STRING, length=overlong(LENGTH, width, last)), warns
    )


def name(width: int) -> bytes:
    return overlong(4, width) + numbers(SIGNATURE)


ROWS = (
    length(115, 3, None, "section length in 3 bytes", "overlong_varint"),
    length(116, 5, None, "section length in 5 bytes", "overlong_varint"),
    length(117, 9, None, "section length in 9 bytes", "overlong_varint"),
    length(118, 10, None, "section length in 10 bytes", "overlong_varint"),
    refused(
        119,
        "section length in 11 bytes",
        lambda: with_part(STRING, length=overlong(LENGTH, 11)),
        "@626 failed to read section length",
        "bad_value",
    ),
    length(120, 10, 2, "section length with bit 64", "wide_varint"),
    length(121, 10, 0x7E, "section length with bits 64 to 69", "wide_varint"),
    same(
        122,
        "alignment in 2 bytes",
        lambda: with_part(STRING, spelled_alignment=overlong(4, 2)),
        "overlong_varint",
    ),
    same(123, "name of a function in 2 bytes", FILE.with_(entry=name(2)), "overlong_varint"),
    same(124, "name of a function in 10 bytes", FILE.with_(entry=name(10)), "overlong_varint"),
    refused(
        125,
        "name of a function in 11 bytes",
        FILE.with_(entry=name(11)),
        "@723 failed to parse function section",
        "bad_value",
    ),
    same(
        126,
        "number of functions in 2 bytes",
        FILE.section(FUNC, overlong(1, 2) + FILE.function()),
        "overlong_varint",
    ),
    same(
        127,
        "opcode in 2 bytes",
        FILE.ops(assume=overlong(code("assume")[0], 2) + FILE.body["assume"][1:]),
        "overlong_varint",
    ),
    same(
        128,
        "number of strings in 2 bytes",
        FILE.section(STRING, table(STRINGS, count=overlong(len(STRINGS), 2))),
        "overlong_varint",
    ),
    refused(
        129,
        "a varint that does not end, after the last op",
        FILE.ops(more=b"\x80"),
        "@125 failed to read operation opcode",
        "truncated",
    ),
)
