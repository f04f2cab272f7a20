"""Tables that are not back to back: kept as they are as long as that is what they say."""

from __future__ import annotations

import struct

import pytest

from tests.formats.small import padding, varint
from tileir import BuildError, BytecodeError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.version import V13_4

F32, I32, POINTER = b"\x07", b"\x03", b"\x0c\x00\x00"


def payload(offsets: list[int], blob: bytes) -> bytes:
    """A table of 4-byte offsets as it lies in the file."""
    count = varint(len(offsets))
    return count + padding(len(count), 4) + struct.pack(f"<{len(offsets)}I", *offsets) + blob


def parse(name: str, data: bytes):
    """The record of a String or Type section."""
    return codec.parse_section(memoryview(data), name, Slice(0, memoryview(data)), V13_4)[0]


def build(name: str, record) -> bytes:
    """The bytes of the section again."""
    return codec.build_section(name, record, V13_4)


def strings(record) -> list[bytes]:
    """The texts of a String section."""
    return [bytes(entry.data) for entry in record["entries"]]


ODD = {
    "a gap in front": ([2, 5], b"..abcdef"),
    "a gap between": ([0, 3, 6], b"abcxyzdef"),
    "the same twice": ([0, 0, 3], b"abcdef"),
    "going back": ([3, 0], b"abcdef"),
    "beyond the end": ([0, 99], b"abcdef"),
}


@pytest.mark.parametrize("name", ODD)
def test_strings_stay_what_they_are_when_one_is_added(name: str) -> None:
    data = payload(*ODD[name])
    record = parse("String", data)
    before = strings(record)
    assert build("String", record) == data
    record["entries"].append(Slice(0, b"new"))
    assert strings(parse("String", build("String", record))) == [*before, b"new"]


@pytest.mark.parametrize("name", ODD)
def test_a_string_that_is_replaced_is_written(name: str) -> None:
    record = parse("String", payload(*ODD[name]))
    wanted = [b"ab", *strings(record)[1:]]
    record["entries"][0] = Slice(0, b"ab")  # also where the old one begins with it
    assert strings(parse("String", build("String", record))) == wanted
    del record["entries"][-1]
    assert strings(parse("String", build("String", record))) == wanted[:-1]


TYPES = payload([0, 1, 5], F32 + POINTER + b"\xee" + I32)
"""f32, then a pointer with a byte too many behind it, then i32."""


def test_entries_edited_in_place_are_written() -> None:
    record = parse("Type", TYPES)
    assert build("Type", record) == TYPES
    record["entries"][1]["pointee"] = 2
    again = parse("Type", build("Type", record))
    assert [entry["variant"] for entry in again["entries"]] == ["f32", "ptr", "i32"]
    assert again["entries"][1]["pointee"] == 2
    record["entries"][1]["pointee"] = 0
    assert build("Type", record) == TYPES


def test_types_are_appended_behind_what_is_there() -> None:
    record = parse("Type", TYPES)
    record["entries"].append({"variant": "ptr", "pointee": 2})
    built = build("Type", record)
    assert F32 + POINTER + b"\xee" + I32 + b"\x0c\x00\x02" in built
    assert parse("Type", built)["entries"][3]["pointee"] == 2


def test_malformed_entries_stay_where_they_are() -> None:
    data = payload([0, 1, 3], F32 + b"\xc8\x01" + I32)
    record = parse("Type", data)
    assert record["entries"][1]["variant"] == "malformed"
    record["entries"].append({"variant": "i1"})
    again = parse("Type", build("Type", record))
    assert [entry["variant"] for entry in again["entries"]] == ["f32", "malformed", "i32", "i1"]


def test_entries_that_share_their_bytes_are_not_written_apart() -> None:
    """A thousand strings, half of them all of the table: together 500 times its size."""
    record = parse("String", payload([0, 9] * 500, bytes(1000)))
    record["entries"][0] = Slice(0, b"x")
    with pytest.raises(BuildError, match="share their bytes too often"):
        build("String", record)


def test_entries_that_share_their_bytes_too_often_are_not_read() -> None:
    """Up to a mebibyte for nothing, and four times the table."""
    assert len(parse("String", payload([0, 9] * 500, bytes(2000)))["entries"]) == 1000
    with pytest.raises(BytecodeError, match="at most 1448576 bytes altogether in 100000 bytes"):
        parse("String", payload([0, 9] * 500, bytes(100_000)))


def test_bytes_behind_an_empty_table_are_not_lost() -> None:
    record = parse("String", b"\x00abc")
    assert build("String", record) == b"\x00abc"
    with pytest.raises(BuildError, match="3 bytes after the empty table would be lost"):
        build("String", {**record, "entries": [Slice(0, b"x")]})
    filled = parse("String", b"\x00\xcb\xcb\xcb")
    assert build("String", {**filled, "entries": [Slice(0, b"x")]}) == payload([0], b"x")
