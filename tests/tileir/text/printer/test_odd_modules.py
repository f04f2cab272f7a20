"""What has no text is an error in words, whatever was done to the module or its bytes."""

from __future__ import annotations

import pytest

from tests.corpus import FIXTURES
from tileir import Bytecode, BytecodeError, VerifyError, disassemble
from tileir.attributes import DivBy
from tileir.builder import Module
from tileir.explain.annotate import Leaf, annotate
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram

VIEWS = (FIXTURES / "13.4" / "softmax.tileirbc").read_bytes()


@pytest.mark.parametrize("change", [lambda sizes: sizes[:-1], lambda sizes: (*sizes, sizes[0])])
def test_values_that_no_dynamic_size_asks_for(change) -> None:
    bytecode = Bytecode.parse(VIEWS)
    op = next(op for op in bytecode.functions[0].walk() if op.name == "make_tensor_view")
    op.operands["dynamicShape"] = change(op.operands["dynamicShape"])
    with pytest.raises(VerifyError, match="make_tensor_view"):
        disassemble(bytecode)


def test_argument_attributes_that_are_no_list() -> None:
    data = bytearray((FIXTURES / "13.5" / "module_globals.tileirbc").read_bytes())
    leaves = [line for line in annotate(Bytecode.parse(bytes(data))) if isinstance(line, Leaf)]
    where = next(leaf.offset for leaf in leaves if leaf.path == "func[0].argument_attributes.tag")
    data[where] = 4  # a type
    with pytest.raises(VerifyError, match="Array of dictionary attributes"):
        disassemble(bytes(data))


def test_names_that_would_fill_the_memory() -> None:
    module = Module()
    kernel = module.function("k", ["i32"])
    value = kernel.parameters[0]
    for _ in range(700):
        value = kernel.assume(value, predicate=DivBy(2))
    for _ in range(700):
        kernel.assume(value, predicate=DivBy(2))
    kernel.return_()
    with pytest.raises(BytecodeError, match="long names of 4194304 characters altogether"):
        disassemble(module.build())


@pytest.mark.oracle
def test_a_location_without_a_file_name(tool, tmp_path) -> None:
    file = File("", "")
    scope = Subprogram(file, 1, "k", "k", CompileUnit(file), 1)
    module = Module()
    kernel = module.function("k", location=SourceLocation(scope, "", 3, 4))
    kernel.return_(location=SourceLocation(scope, "", 5, 6))
    path = tmp_path / "nameless.tileirbc"
    path.write_bytes(module.build())
    done = tool("tileirdisasm", "-g", path)
    assert disassemble(path.read_bytes(), debug=True) == done.stdout.decode()
    assert 'loc("-":5:6)' in done.stdout.decode()
