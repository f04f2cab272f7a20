"""What is lowered and what is not: all of it is said at once, before LLVM is asked for anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tileir
from tileir.codegen import compile
from tileir.codegen.block.dialect import ROWS
from tileir.codegen.block.tile_ops import REPLACED
from tileir.codegen.nvptx.emit.lowering import CHAPTERS, LOWERINGS
from tileir.codegen.nvptx.schedule.supported import UNSUPPORTED
from tileir.errors import UnsupportedError, VerifyError

from .build import Kernel, Module

ROOT = Path(__file__).parents[2]


def test_rows_name_ops() -> None:
    assert set(LOWERINGS) <= set(ROWS)
    assert set(UNSUPPORTED) <= {*LOWERINGS, *REPLACED}


def test_every_row_of_the_block_ir_is_lowered_by_one_chapter() -> None:
    lowered = [name for chapter in CHAPTERS for name in chapter.LOWERINGS]
    assert len(lowered) == len(set(lowered))
    assert set(ROWS) - set(lowered) == set()


def test_reasons_name_op_place_and_cause() -> None:
    kernel = Kernel("mixed", "ptr<f8E4M3FN>", "ptr<f32>")
    eight, other = kernel.parameters
    kernel.load(kernel.view(eight, [8], [8], padding="pos_inf"), *kernel.zeros(1))
    kernel.load(kernel.view(eight, [8], [8], padding="neg_inf"), *kernel.zeros(1))
    view = kernel.view(other, [8], [8])
    kernel.op("get_tensor_shape", view.owner.operands["tensor_view"], results=["i32"])
    with pytest.raises(UnsupportedError) as caught:
        compile(kernel.module(), "sm_90")
    found = caught.value.diagnostics
    assert [(item.op, item.message) for item in found] == [
        ("load_view_tko", "f8E4M3FN has no value for the padding pos_inf"),
        ("load_view_tko", "f8E4M3FN has no value for the padding neg_inf"),
    ]
    assert [item.offset for item in found] == [103, 107]
    assert {item.function for item in found} == {"mixed"}
    assert str(caught.value).startswith("2 ops are not supported on target sm_90:")


def test_nested_ops_are_reported_too() -> None:
    tensor = "tensor_view<8xf8E4M3FN, strides=[1]>"
    view = f"partition_view<tile=(8), padding_value = pos_inf, {tensor}>"
    bytecode = tileir.assemble(f"""
        entry @k(%choice: tile<i1>, %p: tile<ptr<f8E4M3FN>>) {{
          %i = constant <i32: 0> : tile<i32>
          %t = make_tensor_view %p, shape = [8], strides = [1] : {tensor}
          %v = make_partition_view %t : {view}
          if %choice {{
            %x, %y = load_view_tko weak %v[%i] : {view}, tile<i32> -> tile<8xf8E4M3FN>, token
          }}
          return
        }}
    """)
    with pytest.raises(UnsupportedError) as caught:
        compile(bytecode, "sm_90")
    (found,) = caught.value.diagnostics
    (op,) = [op for op in bytecode.functions[0].walk() if op.name == "load_view_tko"]
    assert (found.op, found.offset) == (op.name, op.offset)


def test_impossible_padding() -> None:
    kernel = Kernel("padded", "ptr<f8E4M3FN>")
    (eight,) = kernel.parameters
    kernel.load(kernel.view(eight, [8], [8], padding="pos_inf"), *kernel.zeros(1))
    with pytest.raises(UnsupportedError) as caught:
        compile(kernel.module(), "sm_90")
    messages = [item.message for item in caught.value.diagnostics]
    assert messages == ["f8E4M3FN has no value for the padding pos_inf"]


def test_unknown_targets() -> None:
    kernel = Kernel("empty")
    with pytest.raises(UnsupportedError, match="unknown target 'sm_42'; known are host, sm_75"):
        compile(kernel.module(), "sm_42")
    with pytest.raises(UnsupportedError, match="'sm_9', did you mean sm_90"):
        compile(kernel.module(), "sm_9")


def test_chosen_symbols() -> None:
    good, bad = Kernel("good").module(), Kernel("bad", "f32")
    bad.op("print_tko", tuple(bad.parameters), str="%f", results=["token"])
    good.functions += bad.module().functions
    assert list(compile(good, symbols=["good"])) == ["good"]
    assert list(compile(good, symbols="good")) == ["good"]
    for option in ("symbols", "check", "trace"):
        with pytest.raises(TypeError, match="expected names, got 3"):
            compile(good, **{option: ["good", 3]})
    with pytest.raises(KeyError, match="no entry 'ugly'; there are: good, bad"):
        compile(good, symbols=["ugly"])
    with pytest.raises(KeyError, match="no entry 'bad'; there are: good"):
        compile(good, symbols=["good"])["bad"]
    compiled = compile(good, symbols=["good"])
    assert compiled.ptx is None
    assert compiled.plan == {}
    assert 'define void @"good.blocks"' in compiled.llvm_ir


@pytest.mark.parametrize(
    "name",
    [
        "we ird",
        'quo"te',
        "naïve",
        "1abc.$-x",
        "llvm.nvvm.barrier0",
        "memcpy",
        "a\\b",
        "x%y",
        "nul\0",
    ],
)
def test_any_symbol_can_be_compiled_for_the_host(name: str) -> None:
    kernel = Kernel(name, "ptr<i32>")
    (target,) = kernel.parameters
    one = kernel.constant("1xi32", 1)
    kernel.store(one, kernel.view(target, [1], [1]), *kernel.zeros(1))
    found = np.zeros(1, np.int32)
    compile(kernel.module())[name].launch(1, [found])
    assert found[0] == 1


def test_modules_without_entries_and_with_twins() -> None:
    assert list(compile(Module([]))) == []
    twins = Kernel("twin").module()
    twins.functions += Kernel("twin").module().functions
    with pytest.raises(VerifyError, match="two entries have the same name"):
        compile(twins)


def test_reading_does_not_need_llvm() -> None:
    code = (
        "import sys, pathlib, tileir\n"
        "from tileir.bytecode import Bytecode\n"
        "for path in sorted(pathlib.Path('fixtures/13.4').glob('v*.tileirbc')):\n"
        "    [list(f.walk()) for f in Bytecode.parse(path.read_bytes()).functions]\n"
        "sys.exit('llvmlite' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_the_package_has_one_name() -> None:
    code = "import codegen"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert "import this package as tileir.codegen" in done.stderr
