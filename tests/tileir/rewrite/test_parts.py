"""What is stripped, left out or extracted is gone from the bytes; the rest is what it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import FIXTURES, NEWEST, OLDEST_AND_NEWEST, PREVIEW
from tests.every_fixture import Fixture, every_fixture
from tests.tileir.newer.made_up import stated
from tests.tileir.write.test_removed import sources
from tileir import BuildError, Bytecode, UnsupportedError, disassemble, verify
from tileir.builder import Module
from tileir.ir.locations import Subprogram
from tileir.rewrite.extract import extract
from tileir.rewrite.opt import opt
from tileir.rewrite.passes import PASSES
from tileir.rewrite.strip import DEFAULT, PARTS, strip

SOME = sorted(NEWEST.values())[::12]
"""Fixtures for what takes longer."""


def in_bytes(names: set[str], data: memoryview | bytes) -> list[str]:
    """Those of the names that are somewhere in a file."""
    return sorted(name for name in names if name.encode() in bytes(data))


@every_fixture(files=OLDEST_AND_NEWEST[::12])
def stripped_files_have_no_names_of_sources(fixture: Fixture) -> None:
    made, names = strip(fixture.bytecode, PARTS), sources(fixture.bytecode)
    entries = {function.name for function in made.functions}
    assert not in_bytes({name for name in names if name and name not in entries}, made.data)
    assert (made.debug, made.producer) == (None, None)
    producer = f"// Producer: {fixture.bytecode.producer}\n"
    private = {each.name: f"g{n}" for n, each in enumerate(made.globals)}
    if not any(each.private for each in fixture.bytecode.globals):
        assert disassemble(made) == fixture.texts[0].removeprefix(producer), private


@every_fixture(files=SOME, oracle=True)
def nvidia_reads_what_was_rewritten(fixture: Fixture) -> None:
    for made in (strip(fixture.bytecode, ["names"]), opt(fixture.bytecode)):
        written = fixture.folder / "rewritten.tileirbc"
        written.write_bytes(made.data)
        done = fixture.tool("tileirdisasm", "-g", written)
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode() == disassemble(made, debug=True)


@every_fixture(files=SOME)
def every_pass_leaves_a_valid_module(fixture: Fixture) -> None:
    made = opt(fixture.bytecode, PASSES, verify_each=True)
    assert [function.name for function in made.functions] == [
        function.name for function in fixture.bytecode.functions
    ]
    assert len(made.data) <= len(fixture.data)


def globals_module() -> Bytecode:
    """Two kernels, of which each uses a private global; one more of each kind is not used."""
    module = Module(producer="somebody")
    for name, private in (
        ("secret_one", True),
        ("secret_two", True),
        ("unused_secret", True),
        ("g0", False),
    ):
        module.global_(name, [1, 2], type="tile<2xi32>", private=private)
    for name, used in (("first", "secret_one"), ("second", "secret_two")):
        kernel = module.function(name)
        kernel.get_global(name=used, result="ptr<i32>")
        kernel.return_()
    return module.bytecode()


def test_private_globals_get_other_names_and_public_ones_keep_theirs() -> None:
    made = strip(globals_module(), ["names"])
    assert [variable.name for variable in made.globals] == ["g1", "g2", "g3", "g0"]
    used = [op.attributes["name"] for f in made.functions for op in f.walk() if op.attributes]
    assert used == ["g1", "g2"]
    assert b"secret" not in bytes(made.data)
    assert (made.producer, verify(made)) == ("somebody", [])


def test_what_is_stripped_if_nobody_says_what() -> None:
    bytecode = Bytecode.parse(NEWEST["producer"].read_bytes())
    made = strip(bytecode)
    assert DEFAULT == ("debug", "producer")
    assert bytes(made.data) == bytes(strip(bytecode, ["debug", "producer"]).data)
    assert (made.debug, made.producer) == (None, None)
    assert bytecode.producer is not None
    assert bytecode.build() == NEWEST["producer"].read_bytes()  # the one given stays as it is
    with pytest.raises(UnsupportedError, match="there is no part 'all' to strip, only 'debug', "):
        strip(bytecode, ["all"])


def test_lines_stay_without_names() -> None:
    bytecode = Bytecode.parse(NEWEST["debug_scopes"].read_bytes())
    made = strip(bytecode, ["names"])
    before = [op.location for f in bytecode.functions for op in f.walk()]
    after = [op.location for f in made.functions for op in f.walk()]
    lines = [[(a.innermost.line, a.innermost.column) for a in each] for each in (before, after)]
    assert lines[0] == lines[1]
    scopes = [each for each in made.debug.records if isinstance(each, Subprogram)]
    assert {scope.linkage_name for scope in scopes} == {"debug_scopes", ""}


def test_functions_come_with_what_they_need() -> None:
    bytecode = globals_module()
    made = extract(bytecode, ["second"])
    assert [function.name for function in made.functions] == ["second"]
    assert [variable.name for variable in made.globals] == ["secret_two"]
    assert not in_bytes({"first", "secret_one", "unused_secret", "g0"}, made.data)
    assert made.producer == "somebody"
    text = disassemble(made)
    assert (
        text.partition("entry")[2] == disassemble(bytecode, function="second").partition("entry")[2]
    )
    both = extract(bytecode, ["second", "first"])
    assert [function.name for function in both.functions] == ["first", "second"]
    with pytest.raises(KeyError, match="no function 'third'; there are: first, second"):
        extract(bytecode, ["third"])


def test_globals_that_nobody_uses_are_removed_if_they_are_private() -> None:
    made = opt(globals_module(), ["symbol-dce"])
    assert [each.name for each in made.globals] == ["secret_one", "secret_two", "g0"]


def test_extern_functions_that_nobody_calls_are_left_out() -> None:
    calls, others = (
        Bytecode.parse((FIXTURES / "preview" / f"{name}.tileirbc").read_bytes())
        for name in ("calls", "implementations")
    )
    assert {each.name for each in extract(calls, ["k"]).declarations} == {"scale", "send", "split"}
    assert others.declarations
    assert not extract(others, ["k"]).declarations
    assert others.declarations


@pytest.mark.parametrize("path", PREVIEW, ids=lambda path: path.stem)
def test_locations_of_declarations_are_stripped(path: Path) -> None:
    made = strip(Bytecode.parse(path.read_bytes()), ["debug"])
    assert made.debug is None
    assert not [d for d in verify(made) if d.severity == "error"]


def test_newer_files_are_refused() -> None:
    newer = Bytecode.parse(stated(NEWEST["vector_add"].read_bytes()))
    for rewrite in (strip, opt, lambda each: extract(each, ["vector_add"])):
        with pytest.raises(BuildError, match=r"version 13\.6 is newer than 13\.5"):
            rewrite(newer)
