"""Stores past the caches and prefetches: what is computed is the same, and who has them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import tileir
from tests.lab.bench import kernels
from tileir.codegen import compile
from tileir.codegen.host.lowering.streaming import LARGE_BYTES

ROWS = Path(kernels.__file__).parent

DOUBLE = """entry @k(%x0: tile<ptr<f32>>, %y0: tile<ptr<f32>>, %n: tile<i32>) {
    %x1 = make_tensor_view %x0, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %y1 = make_tensor_view %y0, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x = make_partition_view %x1 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %y = make_partition_view %y1 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %read, %t0 = load_view_tko weak %x[%i] : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %twice = addf %read, %read : tile<1024xf32>
    %t1 = store_view_tko ORDER %twice, %y[%i] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
}"""  # noqa: E501


def on_x86() -> bool:
    return compile(tileir.assemble(DOUBLE.replace("ORDER", "weak"))).llvm_ir.count("x86_64") > 0


@pytest.mark.parametrize("count", [5000, LARGE_BYTES // 4, LARGE_BYTES // 4 + 1000])
@pytest.mark.parametrize("shift", [0, 1])
def test_large_tensors_get_the_same_numbers(count: int, shift: int) -> None:
    """Whether lines are whole or not, and beside the edge of the tensor."""
    kernel = compile(tileir.assemble(DOUBLE.replace("ORDER", "weak")))["k"]
    x = np.random.default_rng(1).standard_normal(count, np.float32)
    memory = np.full(count + 64, 9, np.float32)
    first = -memory.ctypes.data % 64 // 4 + shift
    y = memory[first : first + count]
    kernel.launch(-(-count // 1024), [x, y, count], threads=2)
    np.testing.assert_array_equal(y, x + x)
    assert (memory[:first] == 9).all()
    assert (memory[first + count :] == 9).all()


def test_only_what_orders_nothing_goes_past_the_caches() -> None:
    if not on_x86():
        pytest.skip("only x86 has these stores")
    texts = {order: DOUBLE.replace("ORDER", order) for order in ("weak", "release device")}
    weak, release = (compile(tileir.assemble(text)).llvm_ir for text in texts.values())
    assert "!nontemporal" in weak
    assert "sfence" in weak
    assert "!nontemporal" not in release
    checked = compile(tileir.assemble(texts["weak"]), check="memory").llvm_ir
    assert "!nontemporal" not in checked


def test_rows_are_prefetched() -> None:
    """The next row of a norm is, what every block reads is not, and nothing is with checks."""
    text = (ROWS / "rms_norm.mlir").read_text(encoding="utf-8")
    assert "llvm.prefetch" in compile(tileir.assemble(text)).llvm_ir
    assert "llvm.prefetch" not in compile(tileir.assemble(text), check="memory").llvm_ir
    block = re.search(r"%(\w+), %\w+, %\w+ = get_tile_block_id", text)[1]
    same = re.sub(rf"\[%{block},", "[%cst_0_i32,", text)
    assert same != text
    assert "llvm.prefetch" not in compile(tileir.assemble(same)).llvm_ir
