"""Corruptions 39 to 114: sections cut, moved, doubled, emptied, misaligned, of wrong length."""

from __future__ import annotations

from dataclasses import replace

from ..small import varint
from .base import CONSTANT, DEBUG, FUNC, GLOBAL, ORDER, STRING, TYPE, Part, join
from .rows import FILE, Row, other, refused, same

NAMES = {1: "String", 2: "Func", 3: "Debug", 4: "Constant", 5: "Type", 6: "Global"}
EMPTY_TABLE = b"\x00"
CUTS = {
    FUNC: (
        "@12 unexpected end of data while reading section header",
        "@13 failed to read section length",
        "@15 section length 143 exceeds remaining data size 1",
        "@16 section length 143 exceeds remaining bytecode data. 142",
    ),
    GLOBAL: (
        "@159 unexpected end of data while reading section header",
        "@160 failed to read section length",
        "@161 section length 7 exceeds remaining data size 0",
        "@161 section length 7 exceeds remaining data size 6",
    ),
    CONSTANT: (
        "@168 unexpected end of data while reading section header",
        "@169 failed to read section length",
        "@170 section length 46 exceeds remaining data size 6",
        "@176 section length 46 exceeds remaining bytecode data. 45",
    ),
    DEBUG: (
        "@222 unexpected end of data while reading section header",
        "@223 failed to read section length",
        "@225 section length 238 exceeds remaining data size 7",
        "@232 section length 238 exceeds remaining bytecode data. 237",
    ),
    TYPE: (
        "@470 unexpected end of data while reading section header",
        "@471 failed to read section length",
        "@473 section length 139 exceeds remaining data size 3",
        "@476 section length 139 exceeds remaining bytecode data. 138",
    ),
    STRING: (
        "@615 unexpected end of data while reading section header",
        "@616 failed to read section length",
        "@617 section length 94 exceeds remaining data size 3",
        "@620 section length 94 exceeds remaining bytecode data. 93",
    ),
}
"""What NVIDIA says of a file that ends before a section, in its head, and in its payload."""


def ends(number: int) -> tuple[int, int, int]:
    """Where a section begins, where its payload does, and where it ends."""
    before = len(join(FILE.parts(ORDER[: ORDER.index(number)]), end=b""))
    end = len(join(FILE.parts(ORDER[: ORDER.index(number) + 1]), end=b""))
    return before, end - len(FILE.payload(number)), end


def cuts(first: int) -> list[Row]:
    rows = []
    for number, messages in CUTS.items():
        before, payload, end = ends(number)
        sizes = (before, before + 1, payload, end - 1)
        words = ("before", "after the id of", "at the payload of", "in the last byte of")
        for size, where, message in zip(sizes, words, messages, strict=True):
            what = f"cut {where} the {NAMES[number]} section"
            make = lambda size=size: FILE.build()[:size]  # noqa: E731
            rows.append(refused(first + len(rows), what, make, message, "truncated"))
    return rows


def with_part(number: int, **how) -> bytes:
    """The file, one section written in another way."""
    return join([replace(p, **how) if p.number == number else p for p in FILE.parts()])


def doubled(number: int, first: bytes | None = None, last: bytes | None = None) -> bytes:
    """The file with a section twice, one after the other."""
    parts = []
    for part in FILE.parts():
        if part.number == number and first is not None:
            parts.append(replace(part, payload=first))
        parts.append(part)
        if part.number == number and last is not None:
            parts.append(replace(part, payload=last))
    return join(parts)


def without(number: int) -> bytes:
    return FILE.build([other for other in ORDER if other != number])


def unknown(number: int, identity: int) -> Row:
    return refused(
        number,
        f"a section of id {identity:#x} and no length",
        lambda: join([Part(identity, b""), *FILE.parts()]),
        f"@13 unknown section ID: {identity}",
        "unknown_section",
    )


def unaligned(number: int, section: int, message: str) -> Row:
    return refused(
        number,
        f"{NAMES[section]} section without an alignment",
        lambda: with_part(section, flagged=False),
        message,
        "alignment",
    )


def aligned(number: int, value: int, message: str) -> Row:
    """The alignment of the String section misspelt, the padding as it was."""
    return refused(
        number,
        f"String said to be aligned to {value}",
        lambda: with_part(STRING, spelled_alignment=varint(value)),
        message,
        "truncated" if value > 1 << 20 else "alignment",
    )


def said_length(number: int, section: int, length: int, what: str, message: str, kind: str) -> Row:
    return refused(number, what, lambda: with_part(section, length=varint(length)), message, kind)


JUNK = bytes.fromhex("a7 13 e5 90 4c 01 ff 7b 22 d8 36 60 8e f1 05 b9")

ROWS = (
    *cuts(39),
    refused(
        63,
        "no end marker",
        lambda: FILE.build()[:-1],
        "@714 unexpected end of data while reading section header",
        "truncated",
    ),
    refused(
        64,
        "a byte 0 after the end marker",
        lambda: FILE.build() + b"\x00",
        "@715 end section is not the last section",
        "leftover",
    ),
    refused(
        65,
        "16 bytes after the end marker",
        lambda: FILE.build() + JUNK,
        "@715 end section is not the last section",
        "leftover",
    ),
    refused(
        66,
        "end marker with the alignment bit",
        lambda: join(FILE.parts(), end=b"\x80"),
        "@715 end section should not have alignment flag set",
        "unknown_section",
    ),
    refused(
        67,
        "end marker with the alignment bit and a 1",
        lambda: join(FILE.parts(), end=b"\x80\x01"),
        "@715 end section should not have alignment flag set",
        "unknown_section",
    ),
    refused(
        68,
        "end marker first",
        lambda: join([b"\x00", *FILE.parts()], end=b""),
        "@13 end section is not the last section",
        "leftover",
    ),
    unknown(69, 8),
    unknown(70, 9),
    unknown(71, 127),
    refused(
        72,
        "a section of id 8, aligned, of 4 bytes",
        lambda: join([Part(8, bytes(4), alignment=8), *FILE.parts()]),
        "@13 unknown section ID: 8",
        "unknown_section",
    ),
    same(
        73,
        "String section twice",
        lambda: doubled(STRING, FILE.payload(STRING)),
        "duplicate_section",
    ),
    same(
        74,
        "an empty String section before the right one",
        lambda: doubled(STRING, EMPTY_TABLE),
        "duplicate_section",
    ),
    refused(
        75,
        "an empty String section after the right one",
        lambda: doubled(STRING, last=EMPTY_TABLE),
        "string index 0 out of bounds",
        "bad_index",
    ),
    same(
        76,
        "an empty Type section before the right one",
        lambda: doubled(TYPE, EMPTY_TABLE),
        "duplicate_section",
    ),
    same(77, "sections in reverse", lambda: FILE.build(ORDER[::-1]), "section_order"),
    same(78, "sections by id", lambda: FILE.build(sorted(ORDER)), "section_order"),
    refused(
        79,
        "no String section",
        lambda: without(STRING),
        "@616 string section is mandatory",
        "missing_section",
    ),
    refused(
        80,
        "String section of no bytes",
        FILE.section(STRING, b""),
        "@621 failed to parse string section",
        "truncated",
    ),
    refused(
        81,
        "no Func section",
        lambda: without(FUNC),
        "function section is mandatory",
        "missing_section",
    ),
    refused(
        82,
        "Func section of no bytes",
        FILE.section(FUNC, b""),
        "failed to parse function section",
        "truncated",
    ),
    refused(
        83,
        "no Debug section",
        lambda: without(DEBUG),
        "failed to read function location for 'kern'",
        "bad_index",
    ),
    refused(
        84,
        "Debug section of no bytes",
        FILE.section(DEBUG, b""),
        "@0 failed to read total number of operations with debug info",
        "truncated",
    ),
    refused(
        85,
        "no Constant section",
        lambda: without(CONSTANT),
        "global value constant index out of bounds",
        "bad_index",
    ),
    refused(
        86,
        "Constant section of no bytes",
        FILE.section(CONSTANT, b""),
        "failed to parse constant section",
        "truncated",
    ),
    refused(87, "no Type section", lambda: without(TYPE), "@0 provided type is null", "bad_index"),
    refused(
        88,
        "Type section of no bytes",
        FILE.section(TYPE, b""),
        "@575 failed to parse type section",
        "truncated",
    ),
    other(89, "no Global section", lambda: without(GLOBAL)),
    refused(
        90,
        "Global section of no bytes",
        FILE.section(GLOBAL, b""),
        "@0 failed to read number of global.",
        "truncated",
    ),
    unaligned(91, STRING, "@617 section 1 must have alignment that is a multiple of 4 bytes"),
    unaligned(92, TYPE, "@473 section 5 must have alignment that is a multiple of 4 bytes"),
    unaligned(93, FUNC, "@15 section 2 must have alignment that is a multiple of 8 bytes"),
    unaligned(94, CONSTANT, "@170 section 4 must have alignment that is a multiple of 8 bytes"),
    unaligned(95, DEBUG, "@225 section 3 must have alignment that is a multiple of 8 bytes"),
    refused(
        96,
        "String aligned to 2",
        lambda: with_part(STRING, alignment=2),
        "@618 section 1 must have alignment that is a multiple of 4 bytes",
        "alignment",
    ),
    same(97, "String section aligned to 16", lambda: with_part(STRING, alignment=16), "alignment"),
    same(
        98, "String section aligned to 4096", lambda: with_part(STRING, alignment=4096), "alignment"
    ),
    refused(
        99,
        "Func aligned to 4",
        lambda: with_part(FUNC, alignment=4),
        "@16 section 2 must have alignment that is a multiple of 8 bytes",
        "alignment",
    ),
    same(100, "Global aligned to 8", lambda: with_part(GLOBAL, alignment=8), "alignment"),
    aligned(101, 0, "@618 invalid alignment value: 0"),
    aligned(102, 1, "@618 section 1 must have alignment that is a multiple of 4 bytes"),
    aligned(103, 3, "@618 invalid alignment value: 3"),
    aligned(104, 6, "@618 invalid alignment value: 6"),
    aligned(105, 12, "@618 invalid alignment value: 12"),
    aligned(106, 1 << 40, "@623 failed to parse section header"),
    aligned(107, 1 << 63, "@627 failed to parse section header"),
    same(
        108,
        "padding of sections with bytes 0",
        lambda: join([replace(part, fill=b"\x00") for part in FILE.parts()]),
        "padding",
    ),
    refused(
        109,
        "no padding of sections",
        lambda: join([replace(part, padded=False) for part in FILE.parts()]),
        "@223 unknown section ID: 75",
        "unknown_section",
    ),
    said_length(
        110,
        STRING,
        95,
        "String length 1 more",
        "@715 unexpected end of data while reading section header",
        "truncated",
    ),
    said_length(
        111, STRING, 93, "String length 1 less", "@714 unknown section ID: 121", "unknown_section"
    ),
    said_length(
        112, TYPE, 138, "Type length 1 less", "@615 end section is not the last section", "leftover"
    ),
    said_length(
        113,
        FUNC,
        1 << 63,
        "Func length 2^63",
        "@23 section length 9223372036854775808 exceeds remaining data size 700",
        "truncated",
    ),
    said_length(
        114,
        FUNC,
        (1 << 64) - 1,
        "Func length 2^64-1",
        "@23 section length 18446744073709551615 exceeds remaining data size 700",
        "truncated",
    ),
)
