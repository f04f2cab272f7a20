"""The library: what a module holds, in objects that can be read."""

from __future__ import annotations

import gc
import mmap
import re
import struct
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, VALID
from tests.formats.corruptions.base import DEBUG, base
from tileir import Bytecode, BytecodeError, disassemble, load, verify
from tileir import compile as compile_bytecode
from tileir.attributes import DivBy, FloatAttribute, Hints
from tileir.ir.locations import SourceLocation, Subprogram
from tileir.types import PartitionView, Scalar, Tile

ROOT = FIXTURES.parent
VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"


def fixture(name: str, version: str = "13.4") -> Bytecode:
    return Bytecode.parse((FIXTURES / version / f"{name}.tileirbc").read_bytes())


def test_any_buffer_of_bytes_will_do(tmp_path: Path) -> None:
    data = VECTOR_ADD.read_bytes()
    with VECTOR_ADD.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as map:
        for buffer in (data, bytearray(data), memoryview(data), map):
            bytecode = Bytecode.parse(buffer)
            assert bytecode.build() == data
            assert bytecode.functions[0].name == "vector_add"
            del bytecode
        gc.collect()  # a module and its functions refer to each other, and to the map


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("kernel.tileirbc", r"tileir\.load\(path\) reads a file, tileir\.assemble\(text\) a text"),
        (Path("k"), r"tileir\.load\(path\) reads a file$"),
        (3, "int$"),
    ],
)
@pytest.mark.parametrize("use", [compile_bytecode, verify, disassemble, Bytecode.parse])
def test_what_is_no_bytecode_is_told_how_to_become_it(use, given: object, hint: str) -> None:
    with pytest.raises(TypeError, match=f"expected (a Bytecode or )?bytes, got .*{hint}"):
        use(given)


@pytest.mark.parametrize("path", [VECTOR_ADD, str(VECTOR_ADD)])
def test_a_file_is_loaded(path: Path | str) -> None:
    bytecode = load(path)
    assert bytecode.build() == VECTOR_ADD.read_bytes()
    assert bytecode.functions[0].name == "vector_add"


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    text = tmp_path / "kernel.tileir"
    text.write_text("entry @k() {}")
    with pytest.raises(BytecodeError, match="this looks like text") as caught:
        load(text)
    assert caught.value.__notes__ == [f"in {text}"]
    odd = FIXTURES / "13.4" / "row_max_f64.tileirbc"
    assert load(odd).touch().warnings
    with pytest.raises(BytecodeError, match="expected nothing unusual"):
        load(odd, strict=True)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
    with pytest.raises(TypeError, match=r"the path of a file, got bytes; Bytecode\.parse takes"):
        load(VECTOR_ADD.read_bytes())


def test_parameters_are_values() -> None:
    function = fixture("vector_add").function("vector_add")
    assert isinstance(function.parameters, tuple)
    assert [value.type for value in function.parameters] == list(function.type.parameters)
    users = [op.name for op in function.walk() if function.parameters[0] in op.operand_list()]
    assert users == ["assume"]


def test_a_module_reads_as_objects() -> None:
    bytecode = fixture("vector_add")
    assert str(bytecode.version) == "13.4"
    assert [section.name for section in bytecode.sections] == [
        "Func", "Constant", "Debug", "Type", "String",
    ]  # fmt: skip
    assert "vector_add" in bytecode.strings
    assert Tile(Scalar("f32"), (1024,)) in bytecode.types
    assert bytecode.producer is None
    assert bytecode.warnings == []
    (function,) = bytecode.functions
    assert isinstance(function.location.scope, Subprogram)
    assert function.location.scope.linkage_name == "vector_add"
    assert function.hints == Hints({"default": {}})


def test_values_are_resolved() -> None:
    ops = list(fixture("vector_add").functions[0].walk())
    add = next(op for op in ops if op.name == "addf")
    left = add.operands["lhs"]
    assert left.owner.name == "load_view_tko"
    assert isinstance(left.owner.operands["view"].type, PartitionView)
    assert left.type == add.result.type == Tile(Scalar("f32"), (1024,))
    assert add.attributes == {"rounding_mode": "nearest_even", "flush_to_zero": False}
    assert isinstance(add.location, SourceLocation)
    assert add.location.filename.endswith("elementwise.py")
    assume = next(op for op in ops if op.name == "assume")
    assert assume.attributes["predicate"] == DivBy(16)


def test_functions_decode_when_touched() -> None:
    data = bytearray(VECTOR_ADD.read_bytes())
    body = Bytecode.parse(bytes(data)).functions[0].code
    data[body.offset] = 30  # an opcode that nobody has
    bytecode = Bytecode.parse(bytes(data))
    assert bytecode.functions[0].name == "vector_add"
    with pytest.raises(ValueError, match="opcode"):
        list(bytecode.functions[0].walk())


def test_globals_in_both_layouts() -> None:
    for version in ("13.1", "13.5"):
        bytecode = fixture("module_globals", version)
        assert bytecode.globals
        for variable in bytecode.globals:
            assert variable.value.fits
            assert variable.type.rank == 1
    assert {v.private for v in fixture("module_globals", "13.5").globals} <= {True, False}


def test_producer_section() -> None:
    assert fixture("producer").producer


def test_negative_f64_attributes_mean_what_cutile_meant() -> None:
    """cuTile writes them as 65-bit varints; the identity of a max-reduction is minus infinity."""
    bytecode = fixture("row_max_f64")
    (reduce,) = (op for op in bytecode.functions[0].walk() if op.name == "reduce")
    minus_infinity = int.from_bytes(struct.pack("<d", float("-inf")), "little")
    assert reduce.attributes["identities"] == (FloatAttribute(Scalar("f64"), minus_infinity),)
    assert [warning.kind for warning in bytecode.warnings] == ["wide_varint"]


def test_missing_functions_are_a_key_error() -> None:
    with pytest.raises(KeyError):
        fixture("vector_add").function("nobody")


def test_constants_as_arrays() -> None:
    seen = set()
    for path in VALID:
        for function in Bytecode.parse(path.read_bytes()).functions:
            for op in function.walk():
                if op.name != "constant":
                    continue
                constant = op.attributes["value"]
                array = constant.array()
                seen.add(constant.type.element.name)
                assert array.shape == constant.type.shape
                values = [constant.value(index) for index in range(constant.type.size)]
                for ours, theirs in zip(values, array.reshape(-1).tolist(), strict=True):
                    assert ours is None or ours == theirs or (ours != ours and theirs != theirs)
    assert {"i1", "i32", "i64", "f16", "f32"} <= seen


def test_a_global_has_a_name() -> None:
    """NVIDIA's reader: "global symbol name at index 9 is empty"."""
    module = base()
    nameless = module.with_(strings=[*module.strings, b""], global_=b"\x09" + module.global_[1:])
    with pytest.raises(BytecodeError, match="a global without a name") as caught:
        Bytecode.parse(nameless.build())
    assert caught.value.path == "global[0].name"


def test_touch_reads_the_debug_section_even_if_no_function_does() -> None:
    """So does NVIDIA's reader: "failed to skip padding for debug info index offset pointer"."""
    unread = base().with_(location=b"\x00").section(DEBUG, b"\x00").build()
    assert Bytecode.parse(unread).functions[0].location is None
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(unread).touch()
    assert (caught.value.kind, caught.value.section) == ("truncated", "Debug")


def test_the_original_stays_as_it_was_read() -> None:
    bytecode = fixture("module_globals")
    original = bytecode.original
    sections, producer = [section.name for section in bytecode.sections], bytecode.producer
    bytecode.functions.clear()
    bytecode.globals.clear()
    bytecode.sections.clear()
    bytecode.producer = "somebody else"
    assert [section.name for section in original.sections] == sections
    assert original.sections[0].offset == 12
    assert original.producer == producer
    assert len(original.functions) == 1 < len(original.globals)
    assert Bytecode.parse(bytecode.build()).producer == "somebody else"


@pytest.mark.parametrize(
    "name",
    [
        "bytecode",
        "read/original",
        "read/function",
        "write/changes",
        "write/retarget",
        "write/sections",
    ],
)
def test_nobody_reaches_into_anybody(name: str) -> None:
    text = (ROOT / "tileir" / f"{name}.py").read_text()
    private = r"\b(?!self\b|cls\b)\w+\)?\._(?!repr_html_\b)[a-z]\w*"  # Jupyter's name is public
    assert not re.findall(private, text)
