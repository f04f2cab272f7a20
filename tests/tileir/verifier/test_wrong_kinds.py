"""Whatever is set by hand, verify says what is wrong with it and never raises.

Build refuses what verify refuses; disassemble and compile raise a VerifyError for it, nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tileir
from tests.corpus import FIXTURES
from tests.tileir.builder.test_junk import odd_things, places, put
from tests.tileir.every_op import module_with
from tileir import BuildError, Bytecode, TileIRError, VerifyError, disassemble, verify
from tileir.attributes import Bounded, DivBy, Hints, IntegerAttribute
from tileir.builder import Module
from tileir.formats.ops import BY_NAME
from tileir.formats.version import LATEST
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.types import Scalar, Tile

WRONG = (
    None,
    True,
    5,
    -1,
    1.5,
    2**70,
    "x",
    "\ud800",
    b"x",
    [],
    (None, "a"),
    {},
    {"a": {1: 2}},
    object(),
    np.array([1, 2]),
    Tile("f32", (4,)),
    Hints(3),
    Hints({"sm_90": {"a": 1.5}}),
    DivBy("x"),
    Bounded(2**64, None),
    IntegerAttribute("i32", 0),
    Constant(3, b"abcd"),
    Constant(Tile(Scalar("f32"), (4,)), "ab"),
)
"""Values that no attribute slot can hold, or few: some are right in some of the slots."""


@contextlib.contextmanager
def changed(holder: object, key: object, thing: object) -> Iterator[None]:
    """Put something somewhere for a while."""
    before = put(holder, key, thing)
    yield
    put(holder, key, before)


def errors(bytecode: Bytecode) -> list[str]:
    """The rules that verify says are broken."""
    return [found.kind for found in verify(bytecode) if found.severity == "error"]


def refuses(call: Callable, *given: object) -> bool:
    """Whether a call raises an error of ours; any other error is raised."""
    try:
        call(*given)
    except TileIRError:
        return True
    return False


def ask_all(bytecode: Bytecode, compiled: bool = False) -> list[str]:
    """Ask everybody about a module; returns the rules that it breaks."""
    broken = errors(bytecode)
    refused = refuses(disassemble, bytecode, True)
    if any(kind.startswith("malformed") for kind in broken):
        assert refused
        with pytest.raises(VerifyError):
            disassemble(bytecode, debug=True)
    if broken and compiled:
        for target in ("sm_90", "host"):
            with pytest.raises(VerifyError):
                tileir.compile(bytecode, target)
    return broken


def the_op(bytecode: Bytecode, name: str) -> Op:
    """The first op of that name."""
    return next(op for f in bytecode.functions for op in f.walk() if op.name == name)


@pytest.mark.parametrize(
    "name",
    sorted(name for name, spec in BY_NAME.items() if spec.in_body and not spec.since.preview),
)
def test_every_slot_of_every_op(name: str) -> None:
    bytecode = module_with(BY_NAME[name], LATEST).bytecode()
    op, refused, tried = the_op(bytecode, name), 0, 0
    for slot in op.spec.attributes:
        for index, thing in enumerate(WRONG):
            with changed(op.attributes, slot.name, thing):
                broken = ask_all(bytecode, compiled=index == len(name) % len(WRONG))
                assert refuses(bytecode.build) == bool(broken), (slot.name, thing)
                tried += 1
                refused += bool(broken)
                if broken:
                    with pytest.raises(BuildError):
                        bytecode.build()
    assert refused >= tried * 0.8
    op.attributes["extra"] = 1
    assert ask_all(bytecode) == ["malformed-op"]
    del op.attributes["extra"]
    assert errors(bytecode) == []
    assert bytecode.build() == bytecode.data


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["loop_sum", "branches", "softmax", "print_values", "vector_add"])
def test_anything_anywhere_in_a_body(name: str) -> None:
    """Drawn by a seed: whatever is put where, there is an answer, and build refuses no less."""
    bytecode = Bytecode.parse((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())
    chosen, things, found = random.Random(name), list(odd_things()), 0
    ops = [op for function in bytecode.functions for op in function.walk()]
    for op in chosen.sample(ops, min(len(ops), 12)):
        for holder, key in list(places(op)):
            for thing in chosen.sample(things, 4):
                with changed(holder, key, thing):
                    broken = ask_all(bytecode, compiled=chosen.random() < 0.02)
                    found += bool(broken)
                    assert broken or not refuses(bytecode.build), (op, key, thing)
    assert found > 50
    assert bytecode.build() == bytecode.data


@pytest.mark.parametrize("name", ["module_globals", "no_debug"])
def test_items_of_a_module(name: str) -> None:
    """Fields of functions, lists of functions and globals, and what is in the lists."""
    bytecode = Bytecode.parse((FIXTURES / "13.5" / f"{name}.tileirbc").read_bytes())
    (function,) = bytecode.functions
    fields = ("name", "type", "private", "hints", "argument_attributes", "location")
    where = [(function, field) for field in fields]
    where += [(bytecode, field) for field in ("functions", "globals", "producer")]
    where += [(bytecode.functions, 0), (function.body.block, "ops")]
    where += [(function.body.block, "arguments"), (function.body.block.arguments, 0)]
    for holder, key in where:
        for thing in odd_things():
            with changed(holder, key, thing):
                broken = ask_all(bytecode, compiled=name == "no_debug")
                assert broken or not refuses(bytecode.build), (key, thing)
                refuses(bytecode.to_version, "13.4")
                assert repr(bytecode)
    assert bytecode.build() == bytecode.data


def test_fields_of_globals() -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.5" / "module_globals.tileirbc").read_bytes())
    right = bytecode.globals[0]
    for field in dataclasses.fields(right):
        for thing in odd_things():
            bytecode.globals[0] = dataclasses.replace(right, **{field.name: thing})
            broken = ask_all(bytecode, compiled=True)
            assert broken or not refuses(bytecode.build), (field.name, thing)
    bytecode.globals[0] = right
    assert errors(bytecode) == []


def test_messages_name_what_is_wrong() -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes())
    (function,) = bytecode.functions
    load = the_op(bytecode, "load_view_tko")
    load.attributes["inbounds"] = None
    load.attributes["optimization_hints"] = "x"
    bytecode.functions.append("x")
    found = [str(each) for each in verify(bytecode)]
    assert found[0] == "error: functions[1]: expected a function, found 'x'"
    assert "load_view_tko: attribute optimization_hints: expected Hints, found 'x'" in found[1]
    load.attributes["optimization_hints"] = None
    function.hints = Hints({"sm_90": 3})
    found = [str(each) for each in verify(bytecode)]
    assert found[0] == "error: vector_add: hints: hints for sm_90 must be a dictionary, found 3"
    function.hints = Hints({})
    (_, found) = verify(bytecode)
    assert found.kind == "malformed-op"
    assert found.offset == load.offset
    assert found.message == "attribute inbounds: expected a tuple, found None"
    assert found.location == load.location_text


def test_a_kernel_of_the_builder_is_a_function() -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.5" / "no_debug.tileirbc").read_bytes())
    kernel = Module("13.5").function("built", ["ptr<f32>"])
    bytecode.functions.append(kernel)
    assert [found.kind for found in verify(bytecode)] == ["terminator"]
    kernel.return_()
    assert verify(bytecode) == []
    assert "entry @built(" in disassemble(bytecode)
