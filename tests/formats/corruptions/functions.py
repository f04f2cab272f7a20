"""Corruptions 195 to 257: the function table, its flags byte, hints and bodies."""

from __future__ import annotations

from ..small import varint
from .base import FUNC, SM_100, Module
from .rows import FILE, NEWEST, Row, crash, other, refused, same

SIMT = "uses preview feature 'simt', which is not enabled"
MISREAD = "@3 operand index 10 out of bounds (size=2)"
NOT_PUBLIC = "entry op must have public symbol visibility"
BOTH = "@5 function entry cannot be both kernel and extern impl"
TESTING = "@5 function entry has testing form in non-test build"
RESERVED = "@5 function entry has reserved form value"
NO_BLOCK = "'cuda_tile.entry' op expects a non-empty block"
NO_HINTS = "invalid optimization hints attribute for function 'kern'"


def with_flags(flags: int) -> Module:
    """The 13.3 file; the hints are there if bit 2 says so."""
    return FILE.with_(flags=flags, hints=FILE.hints if flags & 4 else b"")


def newest_flags(flags: int) -> Module:
    """The 13.5 file, whose layout does not follow the flags."""
    return NEWEST.with_(flags=flags)


def functions(count: int, data: bytes) -> Module:
    return FILE.section(FUNC, varint(count) + data)


def said_length(length: int) -> Module:
    return functions(1, FILE.head() + varint(length) + FILE.code)


def refused_flags(number: int, flags: int, message: str, kind: str) -> Row:
    return refused(number, f"13.3 flags {flags:#04x}", with_flags(flags), message, kind)


def refused_newest(number: int, flags: int, message: str, kind: str = "bad_value") -> Row:
    return refused(number, f"13.5 flags {flags:#04x}", newest_flags(flags), message, kind)


def unknown(number: int, bits: int) -> tuple[Row, Row]:
    """A bit of the upper half, without and with the kernel bit."""
    message = f"@5 function entry has unrecognized flag bits (0x{bits:X})"
    return refused_newest(number, bits, message), refused_newest(number + 1, bits | 2, message)


def kept(number: int, flags: int) -> tuple[Row, Row]:
    """Bits that 13.3 ignores, without hints and with them."""
    return (
        other(number, f"13.3 flags {flags:#04x}", with_flags(flags), "unknown_flags"),
        same(number + 1, f"13.3 flags {flags | 4:#04x}", with_flags(flags | 4), "unknown_flags"),
    )


ROWS = (
    other(195, "no functions", functions(0, b"")),
    refused(
        196,
        "2 functions, one there",
        functions(2, FILE.function()),
        "@715 failed to parse function section",
        "truncated",
    ),
    refused(
        197,
        "2^40 functions",
        functions(1 << 40, FILE.function()),
        "@6 number of functions (1099511627776) exceeds payload size (148)",
        "limit",
    ),
    refused(
        198,
        "two functions of one name",
        functions(2, FILE.function() * 2),
        "redefinition of symbol named 'kern'",
        "verify",
    ),
    refused_flags(199, 0, SIMT, "preview"),
    refused_flags(200, 1, SIMT, "preview"),
    other(201, "13.3 flags 0x02", with_flags(2)),
    refused_flags(202, 3, NOT_PUBLIC, "verify"),
    refused_flags(203, 4, MISREAD, "preview"),
    refused_flags(204, 5, MISREAD, "preview"),
    refused_flags(205, 7, NOT_PUBLIC, "verify"),
    refused_flags(206, 8, SIMT, "preview"),
    *kept(207, 0x0A),
    *kept(209, 0x12),
    *kept(211, 0x22),
    *kept(213, 0x42),
    *kept(215, 0x82),
    refused_flags(217, 0xFF, NOT_PUBLIC, "verify"),
    crash(218, "13.5 flags 0x00", newest_flags(0), "preview"),
    crash(219, "13.5 flags 0x01", newest_flags(1), "preview"),
    refused_newest(220, 3, NOT_PUBLIC, "verify"),
    refused_newest(221, 4, "@11 failed to read valid FloatType for FloatAttr", "preview"),
    refused_newest(222, 6, BOTH),
    refused_newest(223, 7, BOTH),
    refused_newest(224, 8, TESTING, "preview"),
    refused_newest(225, 0xA, TESTING),
    *unknown(226, 0x10),
    *unknown(228, 0x20),
    *unknown(230, 0x40),
    *unknown(232, 0x80),
    refused(
        234,
        "13.5 without hints and argument attributes",
        NEWEST.with_(hints=b"", arguments=b""),
        "@7 unsupported AttributeTag 128 for self-contained attribute",
        "unknown_tag",
    ),
    refused(
        235,
        "13.5 without argument attributes",
        NEWEST.with_(arguments=b""),
        "@20 unsupported AttributeTag 128 for self-contained attribute",
        "unknown_tag",
    ),
    same(
        236,
        "two dictionaries as argument attributes",
        NEWEST.with_(arguments=b"\x06\x02\x0a\x00\x0a\x00"),
    ),
    same(237, "one dictionary as argument attributes", NEWEST.with_(arguments=b"\x06\x01\x0a\x00")),
    same(
        238, "a dictionary in the place of argument attributes", NEWEST.with_(arguments=b"\x0a\x00")
    ),
    refused(
        239,
        "hints are a dictionary",
        FILE.with_(hints=b"\x0a" + FILE.hints[1:]),
        f"@715 {NO_HINTS}",
        "bad_value",
    ),
    refused(240, "hints are a truth value", FILE.with_(hints=b"\x03\x01"), NO_HINTS, "bad_value"),
    refused(
        241,
        "hints of attribute tag 13",
        FILE.with_(hints=b"\x0d\x00"),
        "attribute 'MultimemReductionKindAttr' requires bytecode version 13.5+",
        "not_available",
    ),
    refused(
        242,
        "hints of attribute tag 0",
        FILE.with_(hints=b"\x00"),
        "@6 unsupported AttributeTag 0 for self-contained attribute",
        "unknown_tag",
    ),
    other(243, "hints for sm_999", FILE.string(SM_100, b"sm_999")),
    other(244, "location 0", FILE.with_(location=b"\x00")),
    refused(
        245,
        "location 2",
        FILE.with_(location=b"\x02"),
        "@715 failed to read function location for 'kern'",
        "bad_index",
    ),
    refused(
        246,
        "location 2^63",
        FILE.with_(location=varint(1 << 63)),
        "@723 failed to read function location for 'kern'",
        "bad_value",
    ),
    refused(
        247,
        "body length 1 more",
        said_length(125),
        "@19 function body length 125 exceeds remaining bytecode data (124 bytes)",
        "truncated",
    ),
    refused(
        248,
        "body length 1 less",
        said_length(123),
        "@123 failed to read operand count",
        "truncated",
    ),
    refused(
        249,
        "body length 2^64-1",
        said_length((1 << 64) - 1),
        "@28 function body length 18446744073709551615 exceeds remaining bytecode data",
        "truncated",
    ),
    refused(250, "an empty body", FILE.with_(body={}), NO_BLOCK, "verify"),
    refused(251, "no return", FILE.ops(**{"return": b""}), "block with no terminator", "verify"),
    refused(
        252,
        "a second return",
        FILE.ops(more=FILE.body["return"]),
        "@125 failed to read operation location.",
        "bad_index",
    ),
    same(253, "7 bytes 0xCB after the last function", functions(1, FILE.function() + b"\xcb" * 7)),
    same(254, "bytes after the last function", functions(1, FILE.function() + b"????"), "unused"),
    refused(255, "an empty body, 13.5", NEWEST.with_(body={}), NO_BLOCK, "verify"),
    refused_newest(256, 0xC, RESERVED, "preview"),
    refused_newest(257, 0xE, RESERVED),
)
