"""Block IR is refused in one sentence wherever Tile IR is read, verified or written."""

from __future__ import annotations

from pathlib import Path

import pytest

import tileir
from tileir import Bytecode
from tileir.__main__ import main
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import blocked
from tileir.errors import AssemblyError, BuildError, VerifyError
from tileir.types import Tile

HERE = Path(__file__).parent
SAMPLE = HERE / "text" / "sample.txt"
FIXTURE = HERE.parents[2] / "fixtures" / "13.4" / "vector_add.tileirbc"
WHY = "is no Tile IR but block IR, which is made while compiling and which bytecode cannot hold"


def _module() -> Bytecode:
    return Bytecode.parse(FIXTURE.read_bytes())


def _with_an_op() -> Bytecode:
    module = _module()
    block = module.functions[0].body.block
    block.ops.insert(0, make("leave_to_first_block"))
    return module


def _with_added_slots() -> Bytecode:
    module = _module()
    (load, *_) = (op for op in module.functions[0].walk() if op.name == "load_view_tko")
    extended = make(load.name, dict(load.operands), dict(load.attributes))
    load.spec, load.operands, load.attributes = (
        extended.spec,
        extended.operands,
        extended.attributes,
    )
    return module


def _with_types() -> Bytecode:
    module = _module()
    for op in module.functions[0].walk():
        for value in op.results:
            if isinstance(value.type, Tile) and value.type.size > 1:
                layout = blocked(value.type.size, 1, 128)
                value.type = Frag(value.type.element, value.type.shape, layout=layout)
    return module


@pytest.mark.parametrize("module", [_with_an_op, _with_added_slots, _with_types])
@pytest.mark.parametrize("checked", [True, False])
def test_build_refuses_it(module, checked: bool) -> None:
    with pytest.raises(BuildError, match=WHY) as caught:
        module().build(checked)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("module", [_with_an_op, _with_added_slots, _with_types])
def test_verify_says_so_once(module) -> None:
    found = tileir.verify(module())
    assert [each.rule for each in found if each.severity == "error"] == ["other-dialect"]
    assert WHY in found[-1].message


@pytest.mark.parametrize("module", [_with_an_op, _with_added_slots, _with_types])
def test_disassemble_and_compile_refuse_it(module) -> None:
    with pytest.raises(VerifyError, match=WHY):
        tileir.disassemble(module())
    with pytest.raises((VerifyError, BuildError), match=WHY):
        tileir.compile(module(), target="sm_90")


def test_assemble_refuses_its_text() -> None:
    with pytest.raises(AssemblyError) as caught:
        tileir.assemble(SAMPLE.read_text())
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, 1)
    assert problem.message == f"this text {WHY}"


@pytest.mark.parametrize("command", ["as", "verify"])
def test_commands_refuse_its_text(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(SAMPLE)]) == 3
    assert f"sample.txt:1:1: error: this text {WHY}" in capsys.readouterr().err
