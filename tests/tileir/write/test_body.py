"""Records from IR build the bytes that the IR was decoded from."""

from __future__ import annotations

from tests.corpus import VALID
from tests.debug_lists import list_range
from tests.every_fixture import Fixture, every_fixture
from tests.reencode import encoded
from tileir import Bytecode
from tileir.write.sections import Writer

ODD = {"13.1/row_max_f64", "13.2/row_max_f64", "13.3/row_max_f64", "13.4/row_max_f64"}
"""Files whose f64 attributes are 65-bit varints, as no writer but one has them."""


@every_fixture
def functions_are_the_bytes_they_came_from(fixture: Fixture) -> None:
    bytecode = fixture.parse()
    for function, built, locations, writer in encoded(bytecode):
        assert (built == function.code.data) == (fixture.name not in ODD)
        tables = writer.tables
        assert not tables.types.added
        assert not tables.constants.added
        assert not tables.strings.added
        assert not tables.locations.added
        number = function.record["location"]
        if number:
            start, end = list_range(bytecode.debug, number)
            assert locations == list(bytecode.debug.indices[start + 1 : end])
        entry, record = writer.entry(function), function.record
        assert (entry["name"], entry["signature"]) == (record["name"], record["signature"])
        assert writer.entry(function.original()) == entry


def from_nothing(bytecode: Bytecode) -> bytes:
    """A new file with the same globals, functions and producer."""
    writer = Writer(bytecode.version)
    if bytecode.producer is not None:
        writer.replace("Producer", {"producer": writer.tables.string(bytecode.producer)})
    if bytecode.globals:
        writer.replace("Global", [writer.variable(variable) for variable in bytecode.globals])
    writer.replace("Func", [writer.function(function) for function in bytecode.functions])
    return writer.file()


@every_fixture(files=VALID[::4], oracle=True)
def nvidia_prints_the_same_of_a_file_written_from_nothing(fixture: Fixture) -> None:
    file = fixture.folder / "new"
    file.write_bytes(from_nothing(fixture.parse()))
    printed = []
    for each in (fixture.path, file):
        done = fixture.tool("tileirdisasm", "-g", each)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert (printed[0] == printed[1]) == (fixture.name not in ODD)


@every_fixture
def whole_files_can_be_written_from_nothing(fixture: Fixture) -> None:
    """All functions and globals in a new file mean the same; tables are made anew."""
    bytecode = fixture.bytecode
    again = Bytecode.parse(from_nothing(bytecode), strict=True)
    assert [str(f.type) for f in again.functions] == [str(f.type) for f in bytecode.functions]
    assert again.globals == bytecode.globals
    for new, old in zip(again.functions, bytecode.functions, strict=True):
        assert (new.name, new.hints, str(new.location)) == (old.name, old.hints, str(old.location))
        for ours, theirs in zip(new.walk(), old.walk(), strict=True):
            assert repr(ours) == repr(theirs)
            assert ours.attributes == theirs.attributes
            assert [v.type for v in ours.results] == [v.type for v in theirs.results]
            assert ours.location_text == theirs.location_text
