"""What is read when: opening reads the small tables, the rest waits, and errors wait with it."""

from __future__ import annotations

import gc
import sys
import threading
from operator import attrgetter

import pytest

from tests.corpus import FIXTURES
from tests.formats.small import RETURN, file, table, varint
from tests.tileir.read.test_bad_input import VECTOR_ADD
from tileir import Bytecode, BytecodeError
from tileir.read.tables import Tables
from tileir.types import Tile

SCALAR = [b"\x03", b"\x0d\x00\x00", b"\x10\x00\x00"]


def entry(name: int = 0, signature: int = 2, hints: bytes = b"") -> bytes:
    """A file of one kernel; the strings are "kern" and "key"."""
    start = varint(name) + varint(signature) + bytes([6 if hints else 2, 0]) + hints
    func = b"\x01" + start + varint(len(RETURN)) + RETURN
    return file((1, 4, table([b"kern", b"key"])), (5, 4, table(SCALAR)), (2, 8, func))


@pytest.mark.parametrize(
    ("data", "attribute", "path"),
    [
        (entry(signature=1), "type", "func[0].signature"),
        (entry(signature=9), "type", "func[0].signature"),
        (entry(hints=b"\x03\x01"), "hints", "func[0].hints.tag"),
        (entry(hints=b"\x05\x09"), "hints", "func[0].hints.string"),
        (entry(hints=b"\x0b\x01\x09\x0a\x00"), "hints", "func[0].hints.entries[0].key"),
    ],
)
def test_what_an_entry_refers_to_is_looked_up_when_asked_for(data, attribute, path) -> None:
    (function,) = Bytecode.parse(data).functions
    assert function.name == "kern"
    errors = []
    for read in (lambda: getattr(function, attribute), Bytecode.parse(data).touch):
        with pytest.raises(BytecodeError) as caught:
            read()
        errors.append(caught.value)
    assert {error.path for error in errors} == {path}
    assert errors[0].offset == errors[1].offset
    assert errors[0].offset > data.index(b"key")  # in the function table, not where it starts


@pytest.mark.parametrize(
    "data", [entry(name=7), entry().replace(b"\x03" + RETURN, b"\x40" + RETURN)]
)
def test_a_bad_function_table_is_an_error_once_it_is_asked_for(data: bytes) -> None:
    bytecode = Bytecode.parse(data)
    for _ in range(2):
        with pytest.raises(BytecodeError) as caught:
            _ = bytecode.functions
        assert caught.value.section == "Func"
    assert list(bytecode.strings) == ["kern", "key"]


@pytest.mark.parametrize(
    "data",
    [entry(name=7), entry(signature=1), entry(hints=b"\x05\x09")],
    ids=["name", "signature", "hints"],
)
def test_what_nobody_has_looked_at_is_written_as_it_was_read(data: bytes) -> None:
    bytecode = Bytecode.parse(data)
    assert bytecode.build() == data
    if data != entry(name=7):
        assert bytecode.functions[0].name == "kern"
        assert bytecode.build() == data


@pytest.mark.parametrize("name", ["functions", "debug", "original.functions"])
def test_threads_see_the_same_object(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The section is read while all others wait; each then has what the first has read."""
    bytecode, look_up = Bytecode.parse(VECTOR_ADD), attrgetter(name)
    seen, start, read = [], threading.Barrier(8), bytecode.original.section

    def slowly(section: str):
        record = read(section)
        threading.Event().wait(0.05)
        return record

    monkeypatch.setattr(bytecode.original, "section", slowly)

    def look() -> None:
        start.wait()
        seen.append(look_up(bytecode))

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(found) for found in seen}) == 1
    assert look_up(bytecode) is seen[0]


def test_reading_everything_leaves_the_collector_as_it_was() -> None:
    assert gc.isenabled()
    Bytecode.parse(VECTOR_ADD).touch()
    with pytest.raises(BytecodeError):
        Bytecode.parse(entry(signature=1)).touch()
    assert gc.isenabled()
    gc.disable()
    try:
        Bytecode.parse(VECTOR_ADD).touch()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_equal_attributes_are_decoded_once_unless_they_can_change() -> None:
    tables: Tables = Bytecode.parse(VECTOR_ADD).tables
    assert tables.attribute((8, 16, 0, None, None)) is tables.attribute((8, 16, 0, None, None))
    empty = (10, [])
    assert tables.attribute(empty) == {}
    assert tables.attribute(empty) is not tables.attribute(empty)


def test_a_constant_is_typed_once_for_each_type() -> None:
    bytecode = Bytecode.parse(VECTOR_ADD)
    tables, tile = bytecode.tables, next(t for t in bytecode.types if str(t) == "tile<i32>")
    other = Tile(tile.element, (1,))
    assert len(bytecode.constants[0].data) == 4
    assert tables.constant(0, tile) is tables.constant(0, tile)
    assert tables.constant(0, other).type is other


def test_a_debug_record_is_one_object_whoever_asks_first() -> None:
    data = (FIXTURES / "13.5" / "debug_scopes.tileirbc").read_bytes()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            bytecode, found = Bytecode.parse(data), []
            barrier = threading.Barrier(8)

            def ask(bytecode=bytecode, found=found, barrier=barrier) -> None:
                barrier.wait()
                found.append(id(bytecode.functions[0].location.scope.file))

            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 8
            assert len(set(found)) == 1
    finally:
        sys.setswitchinterval(before)
