"""Offset tables whose offsets are not what a producer writes: what NVIDIA's reader makes of them.

Each shape is tried on the four kinds of table; behind the entries that the file uses come some that
nothing uses. What is refused is what NVIDIA refuses, and records on top of each other.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from pathlib import Path

import pytest

from tests.formats.corruptions.base import (
    CONSTANT,
    DEBUG,
    STRING,
    TYPE,
    Module,
    base,
    debug_indices,
    debug_starts,
)
from tests.formats.small import table
from tileir import Bytecode, BytecodeError

FILE = base()
ENTRIES = {
    STRING: FILE.strings,
    CONSTANT: FILE.constants,
    TYPE: FILE.types,
    DEBUG: FILE.records,
}
NAMES = {STRING: "string", CONSTANT: "constant", TYPE: "type", DEBUG: "debug"}
SPARE = {STRING: b"more", CONSTANT: b"\x01\x07", TYPE: b"\x09", DEBUG: b"\x00"}
"""An entry that is in order and that nothing uses."""


def with_table(number: int, offsets: list[int], blob: bytes) -> Module:
    """The file with a table of these offsets."""
    width = 8 if number == CONSTANT else 4
    if number != DEBUG:
        return FILE.section(
            number, table([b""] * len(offsets), width=width, offsets=offsets) + blob
        )
    start = debug_starts((0,))
    head = start + debug_indices(FILE.indices, len(start))
    return FILE.section(
        DEBUG, head + table([b""] * len(offsets), len(head), offsets=offsets) + blob
    )


def shaped(number: int, more: list[str]) -> tuple[Module, bool]:
    """The file with entries of those words behind the others, and whether records then overlap."""
    entries = ENTRIES[number]
    blob = b"".join(entries)
    offsets = list(accumulate(map(len, entries), initial=0))
    size = offsets.pop()
    whole = blob + SPARE[number]
    places = {
        "next": size,
        "end": len(whole),
        "after": len(whole) + 1,
        "far": 1 << 30,
        "start": 0,
        "second": offsets[1],
    }
    offsets += [places[word] for word in more]
    spans = sorted(
        (begin, end)
        for begin, end in zip(offsets, [*offsets[1:], len(whole)], strict=True)
        if begin < end <= len(whole)
    )
    overlap = any(left[1] > right[0] for left, right in pairwise(spans))
    return with_table(number, offsets, whole), overlap


MORE = [
    ["next"],
    ["next", "next"],
    ["next", "end"],
    ["next", "end", "end"],
    ["end"],
    ["after"],
    ["far"],
    ["next", "after"],
    ["next", "far"],
    ["start"],
    ["second"],
    ["next", "start"],
    ["next", "second"],
    ["next", "end", "start"],
    ["next", "far", "start"],
    ["next", "end", "next"],
]


def read(data: bytes) -> str:
    try:
        Bytecode.parse(data).touch()
    except BytecodeError as error:
        return error.kind
    return "read"


@pytest.mark.oracle
@pytest.mark.parametrize("more", MORE, ids="-".join)
@pytest.mark.parametrize("number", ENTRIES, ids=NAMES.get)
def test_offsets(number: int, more: list[str], tool, tmp_path: Path) -> None:
    module, overlap = shaped(number, more)
    path = tmp_path / "table.tileirbc"
    path.write_bytes(module.build())
    theirs = tool("tileirdisasm", path).returncode
    assert theirs in (0, 3)
    ours = read(module.build())
    if number != STRING and overlap:
        assert ours == "bad_offset"
    else:
        assert (ours == "read") == (theirs == 0)


def test_both_verdicts_and_overlaps_occur() -> None:
    """For each kind of table but strings, which are cut to what is there."""
    for number in ENTRIES:
        found = {(read(shaped(number, more)[0].build()), shaped(number, more)[1]) for more in MORE}
        wanted = {("read", False), ("bad_offset", True)} if number != STRING else {("read", True)}
        assert wanted <= found, NAMES[number]
