"""Files written again: what changed is there, what did not is the same bytes."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import FIXTURES, OLDEST_AND_NEWEST, VALID, name_of
from tests.debug_lists import list_length
from tests.every_fixture import Fixture, every_fixture
from tests.tileir.builder.test_module import described
from tileir import BuildError, Bytecode, BytecodeError, Function
from tileir.attributes import Hints, IntegerAttribute
from tileir.builder import Module, position, splat
from tileir.formats.ops import BY_NAME
from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.ir.locations import CallSite, CompileUnit, File, SourceLocation, Subprogram
from tileir.types import Scalar, Tile
from tileir.verifier.single import op_problem


def fixture(name: str, version: str = "13.4") -> Bytecode:
    """A fixture, parsed."""
    return Bytecode.parse((FIXTURES / version / f"{name}.tileirbc").read_bytes())


@pytest.fixture
def nvidia_reads(tool, tmp_path: Path) -> Callable[[bytes], str]:
    """What NVIDIA's disassembler prints of a file, locations included."""

    def read(data: bytes) -> str:
        path = tmp_path / "changed.tileirbc"
        path.write_bytes(data)
        done = tool("tileirdisasm", "-g", path)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return read


def find(function: Function, name: str) -> Op:
    """The first op of that name."""
    return next(op for op in function.walk() if op.name == name)


def unary(name: str, source: Value, **attributes: object) -> Op:
    """A new op with one operand and a result like it."""
    op = Op(BY_NAME[name], {"source": source}, attributes)
    op.results = [Value(source.type, op, 0, -1)]
    return op


# What does not change -------------------------------------------------------------------------


@every_fixture
def looking_changes_nothing(fixture: Fixture) -> None:
    data, bytecode = fixture.data, fixture.parse().touch()
    warnings = list(bytecode.warnings)
    _ = [function.location for function in bytecode.functions], bytecode.debug
    assert bytecode.build() == data
    assert bytecode.build() == data
    assert bytecode.warnings == warnings


@pytest.mark.parametrize("seed", range(8))
def test_looking_at_odd_files_changes_nothing(seed: int) -> None:
    """Files with bytes changed at random, as long as they can be read."""
    chosen = random.Random(seed)
    read = 0
    while read < 25:
        data = bytearray(chosen.choice(VALID).read_bytes())
        for _ in range(chosen.randint(1, 3)):
            place = chosen.randrange(12, len(data))
            data[place] = chosen.choice(
                (0, 1, 2, 127, 128, 255, data[place] ^ 1, data[place] + 1 & 255)
            )
        try:
            bytecode = Bytecode.parse(bytes(data)).touch()
        except BytecodeError:
            continue
        assert bytecode.build() == data
        read += 1


def test_a_change_taken_back_is_none() -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    op = find(function, "addf")
    op.attributes["rounding_mode"] = "zero"
    assert bytecode.build() != bytecode.data
    op.attributes["rounding_mode"] = "nearest_even"
    assert bytecode.build() == bytecode.data


# Bodies ---------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_one_function_changes_and_the_other_stays(nvidia_reads) -> None:
    bytecode = fixture("two_entries")
    first, second = bytecode.functions
    before = bytes(second.code.data)
    returned = first.ops[-1]
    made = unary("negi", Value(Tile(Scalar("i32")), first.body.block, 0, 0), overflow="none")
    constant = Op(BY_NAME["constant"], {}, {"value": splat(3, "i32")})
    constant.results = [Value(Tile(Scalar("i32")), constant, 0, -1)]
    made.operands["source"] = constant.result
    first.ops[-1:] = [constant, made, returned]
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert bytes(again.functions[1].code.data) == before
    assert [op.name for op in again.functions[0].ops[-3:]] == ["constant", "negi", "return"]
    assert again.functions[0].ops[-3].attributes["value"].value() == 3
    assert "negi" in nvidia_reads(data)


@every_fixture(files=OLDEST_AND_NEWEST)
def every_change_of_an_op_is_written(fixture: Fixture) -> None:
    """Flags turned over and operands exchanged, one op after the other, read back."""
    bytecode = fixture.parse()
    for function in bytecode.functions:
        body = function.body
        for op in body.walk():
            for slot in op.spec.attributes:
                if slot.node is None and slot.since <= bytecode.version:
                    op.attributes[slot.name] = not op.attributes[slot.name]
                    if op_problem(op):  # flush_to_zero is for f32 only
                        op.attributes[slot.name] = not op.attributes[slot.name]
            one = [n for n, value in op.operands.items() if isinstance(value, Value)]
            if len(one) > 1 and op.operands[one[0]].type == op.operands[one[1]].type:
                a, b = one[:2]
                op.operands[a], op.operands[b] = op.operands[b], op.operands[a]
    changed = bytecode.build()
    again = Bytecode.parse(changed)
    for ours, theirs in zip(bytecode.functions, again.functions, strict=True):
        assert described(ours.body) == described(theirs.body)
    if any(described(f.body) != described(f.original().body) for f in bytecode.functions):
        assert changed != bytecode.data
    for section in bytecode.sections:
        if section.name not in ("Func", "Debug"):
            same = next(s for s in again.sections if s.name == section.name)
            assert same.payload.data == section.payload.data
    assert [s.name for s in again.sections] == [s.name for s in bytecode.sections]


@pytest.mark.oracle
@pytest.mark.parametrize("version", ["13.1", "13.3", "13.5"])
def test_ops_come_and_go_with_their_locations(version: str, nvidia_reads) -> None:
    bytecode = fixture("vector_add", version)
    (function,) = bytecode.functions
    add = find(function, "addf")
    store = find(function, "store_view_tko")
    block = function.ops
    made = unary("negf", add.result)
    scope = function.location.scope
    made.location = position(scope, 1234, 7)
    block.insert(block.index(add) + 1, made)
    store.operands["tile"] = made.result
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    ops = list(again.functions[0].walk())
    assert list_length(again.functions[0]) == len(ops) + 1
    (negf,) = (op for op in ops if op.name == "negf")
    assert (negf.location.line, negf.location.column) == (1234, 7)
    assert [op.location_text for op in ops if op.name != "negf"] == [
        op.location_text for op in fixture("vector_add", version).functions[0].walk()
    ]
    assert ":1234:7" in nvidia_reads(data)
    store.operands["tile"] = add.result
    block.remove(made)
    assert bytecode.build() == bytecode.data


@pytest.mark.oracle
def test_a_call_site_on_an_op(nvidia_reads) -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    add = find(function, "addf")
    callee = SourceLocation(function.location.scope, "inlined.py", 5, 6)
    add.location = CallSite(callee, add.location)
    assert "inlined.py" in nvidia_reads(bytecode.build())


def test_operands_must_be_visible() -> None:
    bytecode = fixture("loop_sum")
    (function,) = bytecode.functions
    loop = find(function, "for")
    inner = loop.regions[0].block.ops[0]
    after = unary("negi", inner.result, overflow="none")
    function.ops.insert(function.ops.index(loop) + 1, after)
    with pytest.raises(BuildError, match=r"function loop_sum: negi: source: .* not visible"):
        bytecode.build()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda op: op.attributes.update(rounding_mode="up"), "addf: rounding_mode: expected"),
        (lambda op: op.attributes.update(extra=1), "addf has no attribute extra"),
        (lambda op: op.operands.update(extra=None), "addf has no operand extra"),
        (lambda op: op.operands.pop("rhs"), "addf: rhs: expected a value, found None"),
        (lambda op: op.attributes.pop("flush_to_zero"), "flush_to_zero: expected True or False"),
        (lambda op: op.results.clear(), "addf has 1 results, found 0"),
        (lambda op: setattr(op, "regions", [None]), "addf has regions"),
        (lambda op: setattr(op.result, "type", "f32"), "addf: result: expected a type"),
        (lambda op: setattr(op, "location", "here"), "location: expected a source location"),
        (lambda op: setattr(op, "spec", BY_NAME["atan2"]), r"atan2 needs 13\.2, writing 13\.1"),
    ],
)
def test_what_cannot_be_written(change, message) -> None:
    bytecode = fixture("vector_add", "13.1")
    change(find(bytecode.functions[0], "addf"))
    with pytest.raises(BuildError, match=f"function vector_add: .*{message}|{message}"):
        bytecode.build()


# Entries, functions, globals ------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("path", VALID[::9], ids=name_of)
def test_renamed_functions(path: Path, nvidia_reads) -> None:
    bytecode = Bytecode.parse(path.read_bytes())
    for function in bytecode.functions:
        function.name = f"renamed_{function.name}"
    data = bytecode.build()
    again = Bytecode.parse(data)
    text = nvidia_reads(data)
    for function, found in zip(bytecode.functions, again.functions, strict=True):
        assert found.name == function.name
        assert bytes(found.code.data) == bytes(function.code.data)
        assert f"entry @{function.name}(" in text
        if found.location is not None:
            assert found.location.scope.linkage_name == function.name


@pytest.mark.oracle
@pytest.mark.parametrize("version", ["13.1", "13.4", "13.5"])
def test_hints_come_and_go(version: str, nvidia_reads) -> None:
    bytecode = fixture("vector_add", version)
    (function,) = bytecode.functions
    found = dict(function.hints.entries)
    function.hints.entries["sm_90"] = {"occupancy": IntegerAttribute(Scalar("i32"), 2)}
    data = bytecode.build()
    assert Bytecode.parse(data).functions[0].hints == function.hints
    assert "occupancy = 2" in nvidia_reads(data)
    function.hints = Hints({})
    data = bytecode.build()
    assert Bytecode.parse(data, strict=True).functions[0].hints == Hints({})
    assert "occupancy" not in nvidia_reads(data)
    function.hints = Hints(found)
    assert bytecode.build() == bytecode.data


def test_argument_attributes() -> None:
    bytecode = fixture("vector_add", "13.5")
    (function,) = bytecode.functions
    given = ({"my.name": True}, *({} for _ in function.type.parameters[1:]))
    function.argument_attributes = given
    again = Bytecode.parse(bytecode.build(), strict=True)
    assert again.functions[0].argument_attributes == given
    function.argument_attributes = given[:1]
    with pytest.raises(BuildError, match="same number of elements"):
        bytecode.build()
    older = fixture("vector_add", "13.4")
    older.functions[0].argument_attributes = given
    with pytest.raises(BuildError, match=r"vector_add: argument_attributes needs 13\.5"):
        older.build()


@pytest.mark.oracle
def test_functions_added_removed_and_reordered(nvidia_reads) -> None:
    bytecode = fixture("two_entries")
    first, second = bytecode.functions
    bytecode.functions.reverse()
    again = Bytecode.parse(bytecode.build(), strict=True)
    assert [f.name for f in again.functions] == [second.name, first.name]
    assert [f.code.data for f in again.functions] == [second.code.data, first.code.data]
    (added,) = fixture("vector_add").functions
    bytecode.functions[:] = [second, added]
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert [f.name for f in again.functions] == [second.name, "vector_add"]
    assert described(again.functions[1].body) == described(added.body)
    assert "entry @vector_add(" in nvidia_reads(data)
    bytecode.functions.append(added)
    with pytest.raises(BuildError, match="vector_add: the module has another one of that name"):
        bytecode.build()


@pytest.mark.oracle
def test_a_renamed_function_of_another_file(nvidia_reads) -> None:
    bytecode, other = fixture("two_entries"), fixture("vector_add")
    other.functions[0].name = "addition"
    bytecode.functions += other.functions
    data = bytecode.build()
    assert Bytecode.parse(data).functions[-1].location.scope.linkage_name == "addition"
    assert "entry @addition(" in nvidia_reads(data)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["vector_add", "no_debug", "module_globals", "producer"])
def test_a_kernel_built_from_nothing_is_added(name: str, nvidia_reads) -> None:
    bytecode = fixture(name)
    kernel = Module(bytecode.version).function("built", ["ptr<f64>"])
    bytecode.functions.append(kernel)
    with pytest.raises(BuildError, match="function built: the body does not end with return"):
        bytecode.build()
    kernel.constant(np.arange(8.0))
    kernel.return_()
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert described(again.function("built").body) == described(kernel.body)
    assert again.functions[0].code.data == bytecode.functions[0].code.data
    assert "entry @built(" in nvidia_reads(data)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["vector_add", "module_globals", "no_debug"])
def test_globals_are_added(name: str, nvidia_reads) -> None:
    bytecode = fixture(name)
    before = [variable.name for variable in bytecode.globals]
    table = Module("13.4").global_("sines", np.arange(4, dtype=np.int16), alignment=8)
    bytecode.globals.append(table)
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert [variable.name for variable in again.globals] == [*before, "sines"]
    assert again.globals[-1].value.array().tolist() == [0, 1, 2, 3]
    assert "global" in nvidia_reads(data)
    assert again.functions[0].code.data == bytecode.functions[0].code.data
    bytecode.globals.append(table)
    with pytest.raises(BuildError, match="sines: the module has another one of that name"):
        bytecode.build()
    again.globals.clear()
    assert Bytecode.parse(again.build(check=False)).globals == []


def test_the_producer() -> None:
    bytecode = fixture("vector_add")
    bytecode.producer = "someone"
    again = Bytecode.parse(bytecode.build(), strict=True)
    assert again.producer == "someone"
    again.producer = None
    assert Bytecode.parse(again.build(), strict=True).producer is None
    old = fixture("vector_add", "13.2")
    old.producer = "someone"
    with pytest.raises(BuildError, match=r"Producer section needs 13\.3"):
        old.build()


def test_constants_keep_their_index() -> None:
    bytecode = fixture("dense_constants")
    function = bytecode.functions[0]
    op = find(function, "constant")
    old = list(bytecode.constants)
    type = op.result.type
    op.attributes["value"] = Constant(type, bytes(b ^ 1 for b in op.attributes["value"].data))
    again = Bytecode.parse(bytecode.build(), strict=True)
    kept = [c.data for c in again.constants[: len(old)]]
    assert [c for c in kept if c] == [c.data for c in old[1:]]
    assert not kept[0]  # nothing refers to it any more
    assert len(again.constants) == len(old) + 1
    assert find(again.functions[0], "constant").attributes == op.attributes


@pytest.mark.oracle
@pytest.mark.parametrize("version", ["13.1", "13.5"])
def test_locations_for_a_file_without(version: str, nvidia_reads) -> None:
    bytecode = fixture("no_debug", version)
    (function,) = bytecode.functions
    assert function.location is None
    file = File("found.py", "/src")
    scope = Subprogram(file, 1, "f", function.name, CompileUnit(file), 1)
    function.location = position(scope, 1)
    for line, op in enumerate(function.walk(), 2):
        op.location = position(scope, line)
    data = bytecode.build()
    again = Bytecode.parse(data, strict=True)
    assert [section.name for section in again.sections if section.name != "Debug"] == [
        section.name for section in bytecode.sections
    ]
    (found,) = again.functions
    assert found.location.line == 1
    assert [op.location.line for op in found.walk()] == [op.location.line for op in function.walk()]
    assert '"/src/found.py":2:0' in nvidia_reads(data)
    assert found.code.data == function.code.data
    found.location = None
    for op in found.walk():
        op.location = None
    bare = again.build()
    assert list_length(Bytecode.parse(bare, strict=True).functions[0]) is None
    assert "found.py" not in nvidia_reads(bare)


def test_a_location_that_is_the_same_is_no_change() -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    for op in function.walk():
        if (where := op.location) is not None:
            op.location = SourceLocation(where.scope, where.filename, where.line, where.column)
    function.location = function.location
    assert bytecode.build() == bytecode.data


def test_a_file_is_written_in_its_own_version() -> None:
    bytecode = fixture("vector_add")
    bytecode.version = (13, 5)
    with pytest.raises(BuildError, match=r"the file is of version 13\.4"):
        bytecode.build()


def test_parameters_and_signature_agree() -> None:
    bytecode = fixture("vector_add")
    (function,) = bytecode.functions
    function.type = dataclasses.replace(function.type, parameters=function.type.parameters[1:])
    with pytest.raises(BuildError, match=r"function vector_add is .* its parameters are"):
        bytecode.build()
    function.body.block.arguments.pop(0)
    with pytest.raises(BuildError, match="is not defined before the op, or not visible to it"):
        bytecode.build()
