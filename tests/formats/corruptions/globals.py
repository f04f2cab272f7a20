"""Corruptions 338 to 357: the Global and Producer sections."""

from __future__ import annotations

from ..small import varint
from .base import GLOBAL, NAME, ORDER, PRODUCER, QUAD, STRING, STRINGS, Module, Part, join, numbers
from .rows import FILE, NEWEST, OLDEST, Row, other, refused, same

MADE_BY = (*STRINGS, b"hand-made 1")


def with_global(*fields: int) -> Module:
    return FILE.with_(global_=numbers(*fields))


def changed(number: int, what: str, *fields: int) -> Row:
    return other(number, what, with_global(*fields))


def counted(count: int) -> Module:
    return FILE.section(GLOBAL, varint(count) + FILE.global_)


def produced(module: Module, payload: bytes = varint(len(STRINGS))) -> bytes:
    """The file with a Producer section before the strings."""
    module = module.with_(strings=MADE_BY).section(PRODUCER, payload)
    order = [*ORDER[:-1], PRODUCER, STRING]
    return join([Part(number, module.payload(number)) for number in order], version=module.version)


ROWS = (
    changed(338, "visibility 1", NAME, QUAD, 1, 16, 1, 0),
    refused(
        339,
        "visibility 2",
        with_global(NAME, QUAD, 1, 16, 2, 0),
        "@715 invalid symbol visibility value: 2",
        "bad_value",
    ),
    changed(340, "constant 1", NAME, QUAD, 1, 16, 0, 1),
    changed(341, "constant 7", NAME, QUAD, 1, 16, 0, 7),
    changed(342, "alignment 0", NAME, QUAD, 1, 0, 0, 0),
    changed(343, "alignment 3", NAME, QUAD, 1, 3, 0, 0),
    refused(
        344,
        "value 99",
        with_global(NAME, QUAD, 99, 16, 0, 0),
        "@715 global value constant index out of bounds",
        "bad_index",
    ),
    refused(
        345,
        "name 99",
        with_global(99, QUAD, 1, 16, 0, 0),
        "@715 failed to get global symbol name string for index 99",
        "bad_index",
    ),
    refused(
        346, "type 99", with_global(NAME, 99, 1, 16, 0, 0), "@0 provided type is null", "bad_index"
    ),
    refused(
        347,
        "2 globals, one there",
        counted(2),
        "@1 number of globals (2) exceeds the maximum of 1",
        "limit",
    ),
    refused(
        348,
        "2^40 globals",
        counted(1 << 40),
        "@6 number of globals (1099511627776) exceeds the maximum of 1",
        "limit",
    ),
    refused(
        349,
        "padding to 8 before the global",
        FILE.section(GLOBAL, b"\x01" + b"\xcb" * 7 + FILE.global_),
        "string index 332450759894475 out of bounds",
        "bad_value",
    ),
    same(350, "bytes after the last global", FILE.with_(global_=FILE.global_ + b"????"), "unused"),
    same(351, "six fields in 13.1", OLDEST.with_(global_=FILE.global_), "unused"),
    other(352, "a producer, 13.3", lambda: produced(FILE)),
    other(353, "a producer, 13.1", lambda: produced(OLDEST)),
    other(354, "a producer, 13.5", lambda: produced(NEWEST)),
    refused(
        355,
        "producer 99",
        lambda: produced(FILE, varint(99)),
        "@1 failed to get producer string at index 99",
        "bad_index",
    ),
    refused(
        356,
        "a producer of no bytes",
        lambda: produced(FILE, b""),
        "@0 failed to read producer string index",
        "truncated",
    ),
    other(
        357,
        "bytes after the producer",
        lambda: produced(FILE, varint(len(STRINGS)) + b"????"),
        "unused",
    ),
)
