"""Corruptions 307 to 337: the three tables of the Debug section, and its records."""

from __future__ import annotations

from collections.abc import Sequence

from ..small import table, varint
from .base import DEBUG, OPS, SOURCE, Module, debug_indices, debug_starts, numbers
from .rows import FILE, NEWEST, Row, crash, other, refused, same

NO_LOCATION = "failed to read function location for 'kern'"
STARTS = debug_starts((0,))
UNKNOWN = [0] * (OPS + 1)


def payload(indices: bytes, *, starts: bytes = STARTS, records: bytes | None = None) -> Module:
    if records is None:
        records = table(FILE.records, len(starts) + len(indices))
    return FILE.section(DEBUG, starts + indices + records)


def listed(indices: Sequence[int]) -> Module:
    return FILE.with_(indices=indices)


def at(position: int, number: int) -> Module:
    """The list with another element."""
    return listed([*FILE.indices[:position], number, *FILE.indices[position + 1 :]])


def many_starts(count: int) -> Module:
    starts = debug_starts((0,), varint(count))
    return payload(debug_indices(FILE.indices, len(starts)), starts=starts)


def many_indices(count: int) -> Module:
    return payload(debug_indices(FILE.indices, len(STARTS), varint(count)))


def many_records(count: int) -> Module:
    indices = debug_indices(FILE.indices, len(STARTS))
    before = len(STARTS) + len(indices)
    return payload(indices, records=table(FILE.records, before, count=varint(count)))


def records(data: bytes) -> Module:
    """No op has a location, and the table of records is this."""
    return payload(debug_indices(UNKNOWN, len(STARTS)), records=data)


def swapped() -> bytes:
    """The offsets of the first two records exchanged."""
    data = FILE.records
    offsets = [sum(map(len, data[:index])) for index in range(len(data))]
    offsets[:2] = offsets[1::-1]
    indices = debug_indices(FILE.indices, len(STARTS))
    before = len(STARTS) + len(indices)
    return payload(indices, records=table(data, before, offsets=offsets)).build()


def calls(depth: int) -> bytes:
    """A call site inlined into a call site, and so on; the first op is there."""
    first = len(FILE.records)
    chain = [numbers(6, 4, first + 2 + index) for index in range(depth - 1)] + [numbers(6, 4, 4)]
    module = FILE.with_(records=[*FILE.records, *chain])
    return module.with_(indices=[4, first + 1, *FILE.indices[2:]]).build()


def location(number: int, what: str, record: bytes, *warns: str) -> Row:
    """The location of most ops replaced by something else that counts as unknown."""
    return other(number, what, FILE.record(6, record), *warns)


ROWS = (
    same(307, "nothing done to it", FILE),
    refused(
        308,
        "indices aligned to 4",
        payload(debug_indices(FILE.indices, len(STARTS), alignment=4)),
        f"@711 {NO_LOCATION}",
        "bad_index",
    ),
    same(
        309,
        "all padding with bytes 0",
        lambda: FILE.section(DEBUG, FILE.debug().replace(b"\xcb", b"\x00")).build(),
        "padding",
    ),
    refused(
        310,
        "2^20 lists",
        many_starts(1 << 20),
        "@4 number of operations with debug info (1048576) exceeds the maximum of 58",
        "limit",
    ),
    refused(
        311,
        "2^62 lists",
        many_starts(1 << 62),
        "@12 number of operations with debug info (4611686018427387904) exceeds the maximum",
        "limit",
    ),
    refused(
        312,
        "2^61 indices",
        many_indices(1 << 61),
        "@24 number of debug info indices (2305843009213693952) exceeds the maximum of 27",
        "limit",
    ),
    refused(313, "one index more said", many_indices(21), f"@715 {NO_LOCATION}", "bad_index"),
    refused(
        314,
        "2^62 records",
        many_records(1 << 62),
        "@185 number of debug info attributes (4611686018427387904) exceeds the maximum of 15",
        "limit",
    ),
    refused(
        315,
        "one index too few",
        listed(FILE.indices[:-1]),
        "@122 failed to read operation location.",
        "bad_index",
    ),
    same(316, "two indices more", listed([*FILE.indices, 6, 6])),
    refused(
        317,
        "only the function has a location",
        listed(FILE.indices[:1]),
        "@1 failed to read operation location.",
        "bad_index",
    ),
    other(318, "all locations unknown", listed(UNKNOWN)),
    refused(
        319,
        "record 99 for the third op",
        at(3, 99),
        "@13 failed to read operation location.",
        "bad_index",
    ),
    refused(
        320,
        "a file for the third op",
        at(3, 1),
        "@13 failed to read operation location.",
        "bad_value",
    ),
    refused(
        321,
        "list beyond the indices",
        FILE.with_(starts=[1000]),
        f"@715 {NO_LOCATION}",
        "bad_index",
    ),
    refused(
        322,
        "list at 2^32-1",
        FILE.with_(starts=[0xFFFFFFFF]),
        f"@715 {NO_LOCATION}",
        "bad_index",
    ),
    location(323, "debug tag 7", b"\x07" + FILE.records[5][1:], "unknown_tag", "table_layout"),
    location(324, "debug tag 0", b"\x00" + FILE.records[5][1:], "table_layout"),
    refused(
        325,
        "a location without its column",
        FILE.record(4, FILE.records[3][:-1]),
        "@3 failed to read column number when parsing FileLineColLoc",
        "truncated",
    ),
    same(326, "a byte after a location", FILE.record(4, FILE.records[3] + b"\x55"), "table_layout"),
    refused(
        327,
        "scope 0",
        FILE.record(4, numbers(4, 0, SOURCE, 4, 5)),
        "@1 failed to read scope attribute when parsing DILocAttr",
        "bad_value",
    ),
    refused(
        328,
        "a block in itself",
        FILE.record(5, numbers(3, 5, 1, 6, 7)),
        "@1 failed to read scope attribute when parsing DILexicalBlockAttr",
        "bad_value",
    ),
    crash(329, "50,000 inlined calls", lambda: calls(50_000), "limit"),
    refused(
        330,
        "a call of itself",
        FILE.record(7, numbers(6, 7, 4)),
        "@1 failed to read callee attribute when parsing CallSiteLoc",
        "bad_value",
    ),
    refused(
        331,
        "name of a file 99",
        FILE.record(1, numbers(2, 99, 2)),
        "string index 99 out of bounds",
        "bad_index",
    ),
    refused(
        332,
        "no records",
        records(b"\x00\xcb\xcb\xcb"),
        "@180 failed to read debug info offset pointer",
        "truncated",
    ),
    other(333, "no records and a byte more", records(b"\x00\xcb\xcb\xcb\x55"), "unused"),
    other(
        334,
        "one unknown record, as cuTile writes it",
        FILE.with_(indices=UNKNOWN, records=[b"\x00"]),
    ),
    refused(
        335,
        "offsets that decrease",
        swapped,
        "@1 failed to read file attribute when parsing DISubprogramAttr",
        "bad_offset",
    ),
    refused(
        336,
        "a subprogram without flags, 13.5",
        NEWEST.record(3, NEWEST.records[2][:-1]),
        "@6 failed to read flags when parsing DISubprogramAttr",
        "truncated",
    ),
    other(337, "a declared subprogram, 13.5", NEWEST.record(3, NEWEST.records[2][:-1] + b"\x01")),
)
