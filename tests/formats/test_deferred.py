"""Long tables are read record by record: nothing else about a file changes by that.

All tables count as long here, so that ordinary files and broken ones tell whether it does.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.corpus import INVALID, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tests.lab.fuzz import agreement
from tests.lab.fuzz.sameness import difference
from tileir import Bytecode, BytecodeError
from tileir.formats import codec
from tileir.formats.deferred import Deferred

from .bombs import SHARED, SOURCE
from .corruptions import ROWS
from .small import EMPTY_SIGNATURE, debug, file, kernel, table

MOST = 1 << 16
"""Files of more bytes have tests of their own."""


@pytest.fixture
def all_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Type and Debug section is long enough for its records to be read one by one."""
    monkeypatch.setattr(codec, "DEFERRED_SIZE", 0)


def meaning(data: bytes, **how) -> tuple[object, list[str]]:
    """Everything a file means, or the error, and what it is warned of."""
    try:
        bytecode = Bytecode.parse(data, **how).touch()
    except BytecodeError as error:
        return str(error), []
    return list(agreement.decoded(bytecode)), [str(warning) for warning in bytecode.warnings]


def compare(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read at once and one by one; also by the reference, which gives the same order of warnings.

    Otherwise that order is free: what nothing uses is looked at last.
    """
    monkeypatch.setattr(codec, "DEFERRED_SIZE", 1 << 62)
    expected, warned = meaning(data)
    monkeypatch.setattr(codec, "DEFERRED_SIZE", 0)
    one_by_one = meaning(data)
    assert not difference(expected, one_by_one[0])
    assert Counter(warned) == Counter(one_by_one[1])
    by_the_reference = meaning(data, reference=True)
    assert not difference(expected, by_the_reference[0])
    assert one_by_one[1] == by_the_reference[1]


def strictly(data: bytes) -> bool:
    """Whether nothing at all is odd about a file."""
    try:
        Bytecode.parse(data, strict=True)
    except BytecodeError:
        return False
    return True


@every_fixture(files=OLDEST_AND_NEWEST)
def deferred_records_mean_the_same(fixture: Fixture) -> None:
    with pytest.MonkeyPatch.context() as patch:
        compare(fixture.data, patch)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_invalid_files_mean_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(path.read_bytes(), monkeypatch)


@pytest.mark.parametrize("verdict", sorted({row.ours for row in ROWS}))
def test_what_is_broken_is_broken_in_the_same_way(verdict: str, monkeypatch, named, whole) -> None:
    """Every third of the rows of a verdict, with --whole all of them."""
    rows = [row for row in ROWS if row.ours == verdict]
    for row in rows[:: 1 if whole else 3]:
        with named(f"row {row.number}"):
            compare_broken(row.make(), monkeypatch)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("what", SHARED)
def test_what_is_shared_or_deep_is_broken_in_the_same_way(what: str, monkeypatch) -> None:
    data = SHARED[what]()
    if len(data) > MOST:
        pytest.skip("too deep either way, and tested as such")
    compare_broken(data, monkeypatch)


def compare_broken(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """`compare`, and what is refused if asked for."""
    compare(data, monkeypatch)
    monkeypatch.setattr(codec, "DEFERRED_SIZE", 1 << 62)
    expected = strictly(data)
    monkeypatch.setattr(codec, "DEFERRED_SIZE", 0)
    assert strictly(data) == expected


def test_records_are_read_when_asked_for(all_long: None) -> None:
    types = [EMPTY_SIGNATURE, *[b"\x03", b"\x0d\x01\x00", b"\x7f", b"\x0c\x00\x09"] * 100]
    bytecode = Bytecode.parse(file(*kernel(types)))
    entries = bytecode.types.entries
    assert isinstance(entries, Deferred)
    assert not entries.known
    assert bytecode.functions[0].type.parameters == ()
    assert list(entries.known) == [0]
    assert str(bytecode.types[2]) == "tile<i32>"
    assert sorted(entries.known) == [0, 1, 2]
    assert entries[2] is entries[2] is entries[-399]
    assert [entry["variant"] for entry in entries[1:4]] == ["i32", "tile", "malformed"]
    with pytest.raises(IndexError):
        entries[len(types)]
    tags = bytecode.types.tags
    assert len(tags) == len(types)
    assert list(tags[:4]) == [16, 3, 13, None]


def test_what_nothing_uses_is_warned_of_after_everything_is_read(all_long: None) -> None:
    types = [EMPTY_SIGNATURE, b"\x7f", b"\x0c\x00\x09", b"\x03\x00"]
    bytecode = Bytecode.parse(file(*kernel(types, location=1), debug([*SOURCE, b"\x09\x07"])))
    kinds = ["section_order", "section_order"]
    assert [warning.kind for warning in bytecode.warnings] == kinds
    kinds += ["malformed", "malformed", "table_layout", "unknown_tag", "table_layout"]
    for _ in range(2):
        assert [warning.kind for warning in bytecode.touch().warnings] == kinds
    assert bytecode.debug.entries.known.keys() == {4}


def test_tables_out_of_order_are_read_at_once(all_long: None) -> None:
    entries = [EMPTY_SIGNATURE, b"\x03", b"\x07"]
    strings, _, functions = kernel(entries)
    for offsets in ([1, 3, 4], [0, 3, 3, 4]):
        payload = table(entries, offsets=offsets, count=bytes([len(offsets)]))
        bytecode = Bytecode.parse(file(strings, (5, 4, payload), functions))
        assert isinstance(bytecode.types.entries, Deferred) == (offsets[0] == 0)
    for offsets in ([0, 3, 90], [0, 4, 4, 90]):
        payload = table(entries, offsets=offsets, count=bytes([len(offsets)]))
        bytecode = Bytecode.parse(file(strings, (5, 4, payload), functions))
        assert not isinstance(bytecode.types.entries, Deferred)


def test_short_tables_are_read_at_once() -> None:
    bytecode = Bytecode.parse(file(*kernel([EMPTY_SIGNATURE])))
    assert not isinstance(bytecode.types.entries, Deferred)
