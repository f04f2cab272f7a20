"""A function with another name: its locations say so at once, before it is built and read again."""

from __future__ import annotations

import dataclasses

import pytest

import tileir
from tests.corpus import FIXTURES, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tileir import Bytecode, disassemble, verify
from tileir.ir.locations import CallSite, SourceLocation, Subprogram
from tileir.ir.renamed_scopes import RenamedScopes


def fixture(name: str) -> Bytecode:
    """A fixture of 13.4, parsed."""
    return Bytecode.parse((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())


@every_fixture(files=OLDEST_AND_NEWEST)
def a_renamed_function_is_what_it_will_be_when_built(fixture: Fixture) -> None:
    """Some locations have been read before, and some have not."""
    bytecode, kinds = fixture.parse(), [each.kind for each in verify(fixture.bytecode)]
    for function in bytecode.functions:
        _ = [op.location for op in list(function.walk())[::2]]
        function.name = f"renamed_{function.name}"
    assert [each.kind for each in verify(bytecode)] == kinds
    built = bytecode.build()
    assert disassemble(bytecode, debug=True) == disassemble(built, debug=True)
    assert b"renamed_" in built
    for function in bytecode.functions:
        function.name = "another"
        function.name = function.original().name
    assert bytecode.build() == fixture.data


@pytest.mark.parametrize("read_before", [False, True])
def test_it_compiles(read_before: bool) -> None:
    bytecode = fixture("helper_calls")
    (function,) = bytecode.functions
    if read_before:
        assert verify(bytecode) == []
        assert function.location
    function.name = "other"
    assert not tileir.verify(bytecode)
    assert ".entry other(" in tileir.compile(bytecode, "sm_90", lineinfo=True).ptx
    assert "other" in tileir.compile(bytecode, cache=False)


def test_a_location_that_was_set_goes_with_it() -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    op = function.ops[0]
    function.location = dataclasses.replace(function.location, line=77)
    op.location = CallSite(op.location, op.location)
    function.name = "other"
    assert function.location.line == 77
    assert function.location.scope.linkage_name == "other"
    assert op.location.caller.scope is function.location.scope
    assert verify(bytecode) == []
    again = Bytecode.parse(bytecode.build()).functions[0]
    assert again.location.line == 77
    assert again.ops[0].location.callee.scope.linkage_name == "other"


def test_names_that_meet_do_not_mix() -> None:
    """An inlined function of the new name keeps its own when the name changes once more."""
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    op = function.ops[0]
    inner = dataclasses.replace(op.location.scope, linkage_name="inner")
    op.location = CallSite(dataclasses.replace(op.location, scope=inner), op.location)
    for name in ("inner", "outer", "vector_add"):
        function.name = name
        assert op.location.callee.scope.linkage_name == "inner"
        assert op.location.caller.scope.linkage_name == name


def test_long_chains_are_renamed_without_recursion() -> None:
    scope = Subprogram(None, 1, "f", "f", None, 1)
    location = SourceLocation(scope, "f.py", 1, 1)
    for _ in range(20000):
        location = CallSite(location, location)
    renamed = RenamedScopes("f", "g")
    moved = renamed.renamed(location)
    assert moved.innermost.scope.linkage_name == "g"
    assert renamed.original(moved) is location
    assert renamed.renamed(None) is None


def test_a_name_that_is_no_text_is_told_when_building() -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    _ = function.ops
    function.name = 5
    with pytest.raises(tileir.BuildError, match="function 5: it has no name"):
        bytecode.build()
    function.name = "vector_add"
    assert bytecode.build() == bytecode.data
