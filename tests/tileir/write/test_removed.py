"""What was removed from a module is gone from its bytes; what was not stays where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import FIXTURES, OLDEST_AND_NEWEST, VALID, name_of
from tests.every_fixture import Fixture, every_fixture
from tests.formats.small import RETURN, file, table, varint
from tileir import BuildError, Bytecode, BytecodeError, disassemble, verify
from tileir.attributes import Hints
from tileir.builder import Module
from tileir.ir.locations import File, SourceLocation


def fixture(name: str, version: str = "13.5") -> Bytecode:
    """A fixture, parsed."""
    return Bytecode.parse((FIXTURES / version / f"{name}.tileirbc").read_bytes())


@pytest.fixture
def nvidia_reads(tool, tmp_path: Path) -> Callable[[bytes], str]:
    """What NVIDIA's disassembler prints of a file, locations included."""

    def read(data: bytes) -> str:
        path = tmp_path / "removed.tileirbc"
        path.write_bytes(data)
        done = tool("tileirdisasm", "-g", path)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return read


def without_locations(bytecode: Bytecode) -> Bytecode:
    """The module, all its locations removed."""
    for function in bytecode.functions:
        function.location = None
        for op in function.walk():
            op.location = None
    return bytecode


def sources(bytecode: Bytecode) -> set[str]:
    """The files and folders that the locations of a module name."""
    records = bytecode.debug.records if bytecode.debug else []
    texts = [(r.name, r.directory) for r in records if isinstance(r, File)]
    texts += [(r.filename,) for r in records if isinstance(r, SourceLocation)]
    return {text for record in texts for text in record}


@every_fixture(files=OLDEST_AND_NEWEST)
def locations_that_were_removed_are_gone(fixture: Fixture) -> None:
    bytecode = without_locations(fixture.parse())
    data, before = bytecode.build(), fixture.parse()
    gone = sources(before)
    assert bool(gone) == (b"/tileir/fixtures" in fixture.data)
    assert not [string for string in gone if string.encode() in data]
    again = Bytecode.parse(data)
    assert disassemble(again) == fixture.texts[0]
    assert disassemble(again, debug=True) == disassemble(bytecode, debug=True)
    assert len(again.strings) == len(before.strings)
    assert [f.code.data for f in again.functions] == [f.code.data for f in before.functions]
    compact = without_locations(fixture.parse()).build(compact=True)
    assert disassemble(compact, debug=True) == disassemble(again, debug=True)
    assert not [string for string in gone if string.encode() in compact]
    assert len(compact) < len(data) or data == fixture.data


@every_fixture(files=OLDEST_AND_NEWEST)
def a_compact_file_says_the_same(fixture: Fixture) -> None:
    data = fixture.parse().build(compact=True)
    again = Bytecode.parse(data, strict=True)
    assert (disassemble(again), disassemble(again, debug=True)) == fixture.texts
    assert [d.kind for d in verify(again)] == [d.kind for d in verify(fixture.bytecode)]
    assert len(data) <= len(fixture.data)
    assert again.build(compact=True) == data


@pytest.mark.oracle
@pytest.mark.parametrize("path", VALID[::12], ids=name_of)
def test_nvidia_reads_what_was_emptied(path: Path, nvidia_reads) -> None:
    bytecode = Bytecode.parse(path.read_bytes())
    for function in without_locations(bytecode).functions:
        function.hints = Hints({})
    assert nvidia_reads(bytecode.build()) == nvidia_reads(bytecode.build(compact=True))
    assert nvidia_reads(Bytecode.parse(path.read_bytes()).build(compact=True)) == nvidia_reads(
        path.read_bytes()
    )


@pytest.mark.oracle
def test_a_function_that_was_removed_is_gone(nvidia_reads) -> None:
    bytecode = fixture("two_entries")
    first, second = bytecode.functions
    assert first.name.encode() in bytes(bytecode.data)
    bytecode.functions.remove(first)
    data = bytecode.build()
    assert first.name.encode() not in data
    (kept,) = Bytecode.parse(data, strict=True).functions
    assert kept.code.data == second.code.data
    assert [str(op.location) for op in kept.walk()] == [str(op.location) for op in second.walk()]
    assert f"entry @{second.name}(" in nvidia_reads(data)
    assert second.touched  # by this test; what it refers to is found without that
    bytecode = fixture("two_entries")
    bytecode.functions.pop(0)
    assert bytecode.build() == data
    assert not bytecode.functions[0].decoded


@pytest.mark.oracle
def test_constants_of_ops_that_were_erased_are_gone(nvidia_reads) -> None:
    bytecode = fixture("dense_constants")
    function = bytecode.functions[0]
    kept = {f.name: bytes(f.code.data) for f in bytecode.functions[1:]}
    contents = [bytes(c.data) for c in bytecode.constants]
    function.ops[:] = function.ops[-1:]
    assert function.ops[0].name == "return"
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert {f.name: bytes(f.code.data) for f in again.functions[1:]} == kept
    emptied = [old for old, new in zip(contents, again.constants, strict=True) if not new.data]
    assert emptied
    assert not [old for old in emptied if len(old) > 16 and old in data]  # offsets look like others
    assert "entry" in nvidia_reads(data)


@pytest.mark.oracle
def test_globals_and_their_contents_are_gone(nvidia_reads) -> None:
    bytecode = fixture("vector_add")
    module = Module("13.5")
    contents = np.arange(1000, 1064, dtype=np.int32)
    bytecode.globals += [
        module.global_("secret", contents),
        module.global_("sines", np.array([1.0, 2.0])),
    ]
    added = Bytecode.parse(bytecode.build())
    assert b"secret" in bytes(added.data)
    assert contents.tobytes() in bytes(added.data)
    added.globals.pop(0)
    data = added.build()
    assert b"secret" not in data
    assert contents.tobytes() not in data
    (kept,) = Bytecode.parse(data, strict=True).globals
    assert (kept.name, kept.value.array().tolist()) == ("sines", [1.0, 2.0])
    assert "@sines" in nvidia_reads(data)


@pytest.mark.oracle
def test_hints_are_gone(nvidia_reads) -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    function.hints = Hints({"sm_90": {"some_key": "some text"}})
    added = Bytecode.parse(bytecode.build())
    added.functions[0].hints = Hints({})
    data = added.build()
    for text in (b"sm_90", b"some_key", b"some text", b"default"):
        assert text not in data
    assert bytes(Bytecode.parse(data).functions[0].code.data) == bytes(function.code.data)
    assert "some" not in nvidia_reads(data)


def test_the_producer_is_gone() -> None:
    bytecode = fixture("vector_add")
    bytecode.producer = "somebody 1.2"
    again = Bytecode.parse(bytecode.build(), strict=True)
    again.producer = None
    assert b"somebody" not in again.build()
    again.producer = "else"
    assert b"somebody" not in again.build()
    assert b"somebody" in Bytecode.parse(again.data).build()


def test_the_old_name_of_a_function_is_gone() -> None:
    bytecode = without_locations(fixture("vector_add"))
    bytecode.functions[0].name = "renamed"
    data = bytecode.build()
    assert b"vector_add" not in data
    assert b"renamed" in data
    located = fixture("vector_add")
    located.functions[0].name = "renamed"
    assert Bytecode.parse(located.build()).functions[0].location.scope.name == "vector_add"


def test_what_was_unused_when_read_stays() -> None:
    again = Bytecode.parse(without_locations(fixture("vector_add")).build())
    again.producer = "one"
    unused = list(again.strings)
    again.producer = None
    assert list(Bytecode.parse(again.build()).strings) == unused


def kernels(*functions: tuple[int, bytes], strings: bytes | None = None) -> bytes:
    """A file of kernels, by index of the name and body; the strings are unless given a, b and c."""
    strings = table([b"first", b"second", b"third"]) if strings is None else strings
    types = table([b"\x03", b"\x0d\x00\x00", b"\x10\x00\x00"])
    entries = b"".join(
        varint(name) + b"\x02\x02\x00" + varint(len(body)) + body for name, body in functions
    )
    func = varint(len(functions)) + entries
    return file((1, 4, strings), (5, 4, types), (2, 8, func))


def test_strings_on_top_of_each_other_keep_their_bytes() -> None:
    """The first string lies in the middle of the second."""
    blob = b"\x02\xcb\xcb\xcb" + (3).to_bytes(4, "little") + (0).to_bytes(4, "little") + b"outinner"
    data = kernels((0, RETURN), (1, RETURN), strings=blob)
    bytecode = Bytecode.parse(data)
    assert [f.name for f in bytecode.functions] == ["inner", "outinner"]
    bytecode.functions.pop(0)
    again = Bytecode.parse(bytecode.build())
    assert list(again.strings) == ["", "outinner"]
    bytecode = Bytecode.parse(data)
    bytecode.functions.pop(1)
    again = Bytecode.parse(bytecode.build())
    assert list(again.strings) == ["inner", ""]
    assert b"out" not in bytes(again.data)


def test_strings_that_share_their_bytes_too_often_are_not_written_apart() -> None:
    size = 1000
    offsets = b"".join((size - n).to_bytes(4, "little") for n in range(1, size))
    strings = varint(size - 1) + b"\xcb\xcb" + offsets + b"n" * size
    bytecode = Bytecode.parse(kernels((0, RETURN), (900, RETURN), strings=strings))
    assert bytecode.build() == bytecode.data
    with pytest.raises(BuildError, match="share their bytes too often"):
        bytecode.build(compact=True)
    bytecode.functions.pop()
    with pytest.raises(BuildError, match="share their bytes too often"):
        bytecode.build()


def test_a_function_that_cannot_be_read_is_only_asked_where_something_may_be_lost() -> None:
    data = kernels((0, b"\xff\x7f"), (1, RETURN))
    bytecode = Bytecode.parse(data)
    assert bytecode.build() == data
    bytecode.producer = "added" if bytecode.version >= (13, 3) else None
    assert bytecode.build()
    bytecode.functions[1].name = "other"
    with pytest.raises(BytecodeError, match="opcode"):
        bytecode.build()
    bytecode.functions.pop(0)
    assert b"second" not in bytecode.build()
