"""Whatever is put into a slot, building answers with a BuildError or with bytes that read back."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.corpus import FIXTURES
from tests.tileir.every_op import module_with
from tileir import BuildError, Bytecode
from tileir.attributes import (
    Bounded,
    DenseElements,
    DivBy,
    EnumAttribute,
    FloatAttribute,
    Hints,
    IntegerAttribute,
    SameElements,
    TypeAttribute,
)
from tileir.builder import Module
from tileir.builder.kernel import Kernel
from tileir.formats.ops import BY_NAME
from tileir.formats.version import LATEST
from tileir.ir import Block, Op, Region
from tileir.ir.constants import Constant
from tileir.ir.locations import CallSite, CompileUnit, File, SourceLocation, Subprogram
from tileir.types import FunctionType, PartitionView, Pointer, Scalar, TensorView, Tile

OPS = sorted(name for name, spec in BY_NAME.items() if spec.in_body and not spec.since.preview)

F32 = Scalar("f32")
FOUR = Tile(F32, (4,))


def junk() -> Iterator[object]:
    """Things that stand for nothing, or for something else."""
    yield from (None, True, 1, -1, 1.5, 2**70, "x", "f32", "\ud800", "0xf32", b"x")
    yield from ([], [1], [None], (1, 2, 3), {}, {"a": 1}, {"a": {"b": 1.5}}, {1: {"b": 1}})
    yield from (object(), np.array([1, 2]), np.float32(1), np.array(["a"]))
    yield from (FOUR, F32, Scalar("nope"), Tile("f32", (4,)), Tile(F32, ("a",)), Tile(F32, 4))
    yield from (Tile(F32, (3,)), Tile(FOUR, (4,)), TensorView(F32, (4,), (1, 1)))
    yield from (PartitionView((4,), None, (0,)), FunctionType((), ()), Pointer(Pointer(F32)))
    yield from (DivBy("x"), DivBy(16, "a", None), Bounded("a", 2), SameElements(3))
    yield from (IntegerAttribute(F32, 0), IntegerAttribute("i32", 0), FloatAttribute(F32, "x"))
    yield from (TypeAttribute(3), DenseElements(3), EnumAttribute(3, 4), Hints(3), Hints({3: {}}))
    yield from (Constant(FOUR, "ab"), Constant(3, b"abcd"), Constant(FOUR, np.zeros(4)))
    yield from (Constant(Tile(Pointer(F32)), b"abcdefgh"), DenseElements(Constant(FOUR, b"a")))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPS)
def test_junk_in_the_slots_of_a_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, tried, refused = Kernel.op, 0, 0

    def with_junk_first(kernel: Kernel, spec, positional, named):
        """Every argument replaced by junk, each time in a call that must leave no trace."""
        nonlocal tried, refused
        if spec.mnemonic == name and not tried:
            for place in (*range(len(positional)), *named, "result", "results", "location"):
                for thing in junk():
                    arguments, others = list(positional), dict(named)
                    (arguments if isinstance(place, int) else others)[place] = thing
                    ops = kernel._open_blocks[-1].block.ops
                    count, numbered = len(ops), kernel._count
                    tried += 1
                    try:
                        make(kernel, spec, arguments, others)
                    except BuildError:
                        refused += 1
                        assert len(ops) == count
                    else:  # it was no junk in this place
                        del ops[count:]
                        kernel.pending = None
                    kernel._count = numbered
        return make(kernel, spec, positional, named)

    monkeypatch.setattr(Kernel, "op", with_junk_first)
    module = module_with(BY_NAME[name], LATEST)
    assert tried > 100
    assert refused > tried / 2
    module.bytecode().touch(strict=True)


def places(op: Op) -> Iterator[tuple[object, object]]:
    """Everything in an op that can be set: the thing that holds it, and its key."""
    yield from ((op.operands, name) for name in op.operands)
    yield from ((op.attributes, name) for name in op.attributes)
    yield from ((op, name) for name in ("operands", "attributes", "location", "results", "regions"))
    yield from ((value, "type") for value in op.results)
    yield from ((op.results, index) for index in range(len(op.results)))
    yield from ((op.regions, index) for index in range(len(op.regions)))
    for region in op.regions:
        yield region, "blocks"
        for block in region.blocks:
            yield from ((block, "arguments"), (block, "ops"))


def put(holder: object, key: object, thing: object) -> object:
    """Put something somewhere; returns what was there."""
    if isinstance(holder, dict | list):
        before, holder[key] = holder[key], thing
        return before
    before = getattr(holder, key)
    setattr(holder, key, thing)
    return before


def odd_things() -> Iterator[object]:
    """Junk, and what only an IR can hold."""
    yield from junk()
    file = File("a", "b")
    scope = Subprogram(file, 1, "f", "f", CompileUnit(file), 1)
    yield from (SourceLocation(scope, "a", -1, 0), SourceLocation(None, "a", 1, 0))
    yield from (SourceLocation(scope, 3, 1, 0), CallSite(None, None), CompileUnit(3), scope)
    yield from (Block(), Region(), [Region()], [Block()], [Region([Block(ops=[3])])])


BODIES = ("loop_sum", "print_values", "softmax", "gather_2d", "branches")


def ops_of(name: str) -> set[str]:
    """The ops of a fixture by name."""
    bytecode = Bytecode.parse((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())
    return {op.name for function in bytecode.functions for op in function.walk()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BODIES)
def test_junk_in_a_body_that_is_written_again(name: str) -> None:
    """Junk in every place of each op that none of the bodies before has."""
    bytecode = Bytecode.parse((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())
    seen = set().union(*map(ops_of, BODIES[: BODIES.index(name)]))
    refused, chosen = 0, random.Random(3)
    things = list(odd_things())
    for function in bytecode.functions:
        for op in list(function.walk()):
            if op.name in seen:
                continue
            seen.add(op.name)
            for holder, key in list(places(op)):
                for thing in chosen.sample(things, 6):
                    before = put(holder, key, thing)
                    try:
                        data = bytecode.build()
                    except BuildError:
                        refused += 1
                    else:
                        Bytecode.parse(data).touch()
                    put(holder, key, before)
    assert refused > 10
    assert bytecode.build() == bytecode.data


@pytest.mark.parametrize("key", ["name", "hints", "argument_attributes", "location", "type"])
def test_junk_in_the_entry_of_a_function(key: str) -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.5" / "vector_add.tileirbc").read_bytes())
    refused = 0
    for thing in odd_things():
        before = put(bytecode.functions[0], key, thing)
        try:
            data = bytecode.build()
        except BuildError:
            refused += 1
        else:
            Bytecode.parse(data).touch()
        bytecode.functions[0].location  # noqa: B018
        put(bytecode.functions[0], key, before)
    assert refused > 10


def test_junk_in_a_module() -> None:
    refused = 0
    calls = (
        lambda m, x: m.function(x),
        lambda m, x: m.function("f", x),
        lambda m, x: m.function("f", [x]),
        lambda m, x: m.function("f", hints=x),
        lambda m, x: m.function("f", argument_attributes=x),
        lambda m, x: m.function("f", location=x),
        lambda m, x: m.global_(x, np.zeros(4)),
        lambda m, x: m.global_("g", x),
        lambda m, x: m.global_("g", 0, type=x),
        lambda m, x: m.global_("g", np.zeros(4), alignment=x),
        lambda m, x: Module(x),
        lambda m, x: Module(producer=x),
    )
    for call in calls:
        for thing in odd_things():
            module = Module()
            try:
                call(module, thing)
            except BuildError:
                refused += 1
            else:
                for kernel in module.functions:
                    kernel.return_()
                module.bytecode().touch(strict=True)
    assert refused > 100
