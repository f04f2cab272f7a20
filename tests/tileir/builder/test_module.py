"""The builder: every op in every version is what NVIDIA reads, and reads back as it was built."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.tileir.every_op import module_with
from tileir import BuildError, Bytecode
from tileir.builder import Module, position
from tileir.builder.calls import RESULTS, python_name
from tileir.builder.kernel import Kernel
from tileir.formats.limits import DEFAULT
from tileir.formats.ops import OPS
from tileir.formats.version import SUPPORTED
from tileir.ir import Body
from tileir.ir.locations import CallSite, CompileUnit, File, LexicalBlock, Subprogram
from tileir.verifier.module import check

BODY_OPS = [spec for spec in OPS if spec.in_body]


def described(body: Body) -> list:
    """Everything a body says, in a form that compares."""
    return [
        (
            op.name,
            op.depth,
            [(value.number, value.type) for value in op.results],
            {name: numbers(value) for name, value in op.operands.items()},
            op.attributes,
            [[(v.number, v.type) for v in b.arguments] for r in op.regions for b in r.blocks],
            str(op.location),
        )
        for op in body.walk()
    ]


def numbers(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(numbers, value))
    return None if value is None else value.number


@pytest.mark.oracle
@pytest.mark.parametrize("spec", BODY_OPS, ids=lambda spec: spec.mnemonic)
def test_every_op_is_what_nvidia_reads(spec, tool, tmp_path: Path, named) -> None:
    for version in SUPPORTED:
        if version >= spec.since:
            with named(version):
                check_op(spec, version, tool, tmp_path)


def check_op(spec, version, tool, tmp_path: Path) -> None:
    """A module with the op is read by both of us."""
    module = module_with(spec, version)
    data = module.build()
    path = tmp_path / "built.tileirbc"
    path.write_bytes(data)
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
    bytecode = Bytecode.parse(data, strict=True)
    assert bytecode.build() == data
    check(bytecode)
    (kernel,), (function,) = module.functions, bytecode.functions
    assert any(op.spec is spec for op in function.walk())
    assert described(function.body) == described(kernel.body)


@pytest.mark.parametrize("spec", BODY_OPS, ids=lambda spec: spec.mnemonic)
def test_every_op_is_a_documented_method(spec) -> None:
    method = getattr(Kernel, python_name(spec.mnemonic))
    parameters = inspect.signature(method).parameters
    for slot in (*spec.operands, *spec.attributes):
        assert python_name(slot.name) in parameters
        assert f"{python_name(slot.name)}: " in method.__doc__
    assert spec.doc in method.__doc__
    assert not set(RESULTS) & {slot.name for slot in (*spec.operands, *spec.attributes)}


def test_signatures_say_what_must_be_given() -> None:
    assert str(inspect.signature(Kernel.fma)).startswith("(self, /, lhs: 'Value', rhs: 'Value', ")
    parameters = inspect.signature(Kernel.load_view_tko).parameters
    assert parameters["view"].default is inspect.Parameter.empty
    assert parameters["memory_ordering_semantics"].default is inspect.Parameter.empty
    assert parameters["token"].default is None
    assert inspect.signature(Kernel.if_).parameters["condition"].name == "condition"


def subprogram(name: str) -> Subprogram:
    """A function of a source file."""
    file = File("axpy.py", "/src")
    return Subprogram(file, 3, name, name, CompileUnit(file), 3)


@pytest.mark.oracle
@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_source_locations(version, tool, tmp_path: Path) -> None:
    module = Module(version)
    scope = subprogram("axpy")
    kernel = module.function("axpy", ["f32"], location=position(scope, 3))
    (x,) = kernel.parameters
    block = LexicalBlock(scope, scope.file, 5, 1)
    inlined = CallSite(position(subprogram("other"), 31, 2), position(scope, 6, 3))
    kernel.negf(x)
    with kernel.at(position(scope, 4, 1)):
        kernel.negf(x)
        kernel.negf(x, location=inlined)
        kernel.negf(x, location=position(block, 8, 2))
        kernel.return_()
    data = module.build()
    function = Bytecode.parse(data, strict=True).functions[0]
    assert str(function.location) == "/src/axpy.py:3:0"
    assert function.location.scope.linkage_name == "axpy"
    assert [op.location_text for op in function.ops] == [
        "",
        "/src/axpy.py:4:1",
        "/src/axpy.py:31:2, inlined at /src/axpy.py:6:3",
        "/src/axpy.py:8:2",
        "/src/axpy.py:4:1",
    ]
    path = tmp_path / "located.tileirbc"
    path.write_bytes(data)
    done = tool("tileirdisasm", "-g", path)
    assert done.returncode == 0, done.stderr
    for place in ("3:0", "4:1", "31:2", "6:3", "8:2"):
        assert f'"/src/axpy.py":{place}' in done.stdout.decode()


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_entries_globals_and_producer(version) -> None:
    newer = version >= (13, 3)
    module = Module(str(version), producer="a compiler" if newer else None)
    table = np.arange(4, dtype=np.int16)
    flags = {"private": True, "constant": True} if newer else {}
    module.global_("table", table, alignment=32, **flags)
    module.global_("zeros", 0, type="1024xf32")
    attributes = [{"my.name": True}, {"my.size": 3}] if version >= (13, 5) else ()
    hints = {"sm_90": {"occupancy": 2}, "default": {}}
    kernel = module.function(
        "main", ["ptr<f32>", "f32"], hints=hints, argument_attributes=attributes
    )
    kernel.get_global("table", result="ptr<i16>")
    kernel.return_()
    bytecode = module.bytecode().touch(strict=True)
    assert bytecode.version == version
    assert bytecode.producer == module.producer
    assert bytecode.globals == module.globals
    assert (bytecode.globals[0].value.array() == table).all()
    assert bytecode.globals[1].value.is_splat
    assert bytecode.functions[0].hints == kernel.hints
    assert bytecode.functions[0].hints.entries["sm_90"]["occupancy"].value == 2
    assert bytecode.functions[0].argument_attributes == kernel.argument_attributes
    assert len(set(bytecode.types)) == len(bytecode.types)
    assert len(set(bytecode.strings)) == len(bytecode.strings)


def test_building_twice_gives_the_same_bytes() -> None:
    module = module_with(BODY_OPS[40], SUPPORTED[-1])
    assert module.build() == module.build()
    assert module_with(BODY_OPS[40], SUPPORTED[-1]).build() == module.build()


def test_an_empty_module() -> None:
    assert Module("13.1").bytecode().functions == []


@pytest.fixture
def shallow() -> Iterator[int]:
    """A lower limit for nested regions: the time that the test takes grows with its square."""
    depth = DEFAULT.region_depth
    object.__setattr__(DEFAULT, "region_depth", 300)
    yield DEFAULT.region_depth
    object.__setattr__(DEFAULT, "region_depth", depth)


def test_nesting_has_a_limit(shallow: int) -> None:
    module = Module()
    kernel = module.function("main", ["i1"])
    with contextlib.ExitStack() as regions:
        for _ in range(shallow):
            regions.enter_context(kernel.if_(kernel.parameters[0]))
            regions.callback(kernel.yield_)
        with pytest.raises(BuildError, match=f"if: more than {shallow} regions inside each other"):
            kernel.if_(kernel.parameters[0])
    kernel.return_()
    assert sum(1 for _ in module.bytecode().functions[0].walk()) == 2 * shallow + 1
