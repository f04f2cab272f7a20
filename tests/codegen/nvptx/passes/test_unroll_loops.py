"""Loops that wait for memory are unrolled; the result is the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.nvptx.decided import decided
from tests.lab import bench
from tileir import assemble
from tileir.codegen import compile, emulator
from tileir.codegen.kernel import KernelIR

KERNELS = Path(bench.__file__).parent / "kernels"
ROW_SUM = (KERNELS / "row_sum.mlir").read_text()
LOADS = 4
"""Loads of one iteration."""


def loads(text: str) -> int:
    return compile(assemble(text), "sm_80").ptx.count("ld.global.v4")


def test_the_trips_of_a_sum_are_made_in_pairs() -> None:
    """Two in the loop, and one for what is left."""
    assert loads(ROW_SUM) == 3 * LOADS


@pytest.mark.parametrize("columns", [0, 16, 128, 144, 256, 272, 384, 640])
@pytest.mark.parametrize("compared", ["", "unsigned "])
def test_any_number_of_trips(columns: int, compared: str) -> None:
    text = ROW_SUM.replace("%for = for ", f"%for = for {compared}")
    compiled = compile(assemble(text), "sm_80")
    x = np.random.default_rng(columns).integers(0, 64, (32, columns)).astype("f4")
    y = np.full(32, -1, "f4")
    emulator.launch(compiled.ptx, compiled.plan["row_sum"], 2, [x, *x.shape, columns, 1, y, 32, 1])
    assert (y == x.sum(1)).all()


@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_any_step(step: int) -> None:
    text = ROW_SUM.replace("%arg7: tile<i32>)", "%arg7: tile<i32>, %step: tile<i32>)")
    text = re.sub(r"step %\w+\)", "step %step)", text)
    compiled = compile(assemble(text), "sm_80")
    x = np.random.default_rng(step).integers(0, 64, (16, 640)).astype("f4")
    y = np.full(16, -1, "f4")
    args = [x, *x.shape, 640, 1, y, 16, 1, step]
    emulator.launch(compiled.ptx, compiled.plan["row_sum"], 1, args)
    assert (y == x[:, np.arange(640) // 128 % step == 0].sum(1)).all()


def test_loops_with_barriers_are_not_unrolled(capfd: pytest.CaptureFixture) -> None:
    """LLVM cannot unroll them, and would say so on stderr if it were asked to.

    Instead, the loads of the next iteration come before the barriers.
    """
    turned = """
    %r = reshape %tile : tile<16x128xf32> -> tile<128x16xf32>
    %p = permute %r [1, 0] : tile<128x16xf32> -> tile<16x128xf32>
    %both = addf %p, %tile : tile<16x128xf32>
    %3 = addf %iterArg0, %both : tile<16x128xf32>
"""
    text = re.sub(r"\n    %3 = addf %iterArg0.*\n", turned, ROW_SUM, count=1)
    assert loads(text) == 2 * LOADS
    assert capfd.readouterr().err == ""
    kernel = decided(KernelIR.of(assemble(text).functions[0]), "sm_80", "unroll_loops").kernel
    assert not any(op.attributes.get("unroll") for op in kernel.walk())
    assert any(op.name == "barrier" for op in kernel.walk())
    compiled = compile(assemble(text), "sm_80")
    x = np.random.default_rng(7).integers(0, 64, (16, 400)).astype("f4")
    y, whole = np.full(16, -1, "f4"), np.zeros((16, 512), "f4")
    whole[:, :400] = x
    args = [x, *x.shape, 400, 1, y, 16, 1]
    emulator.launch(compiled.ptx, compiled.plan["row_sum"], 1, args, schedule="random-1")
    tiles = whole.reshape(16, 4, 128).swapaxes(0, 1)
    both = sum(tile + tile.reshape(128, 16).T for tile in tiles)
    assert (y == both.sum(1)).all()


def test_stores_between_loads_keep_iterations_apart() -> None:
    """What is loaded might have been stored: only the next iteration's loads come early."""
    stored = """
    %back = store_view_tko weak %tile, %pview_14[%blockId_x, %loopIdx] token = %result_token
      : tile<16x128xf32>, partition_view<tile=(16x128), padding_value = zero,
        tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    %3 = addf %iterArg0"""
    assert loads(ROW_SUM.replace("\n    %3 = addf %iterArg0", stored, 1)) == 2 * LOADS
