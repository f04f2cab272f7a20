"""Offsets of 32 bits are taken where they suffice, and are right in all that is accessed."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.schedule.access_attributes import fits_32_bits

TEXT = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>, %n0: tile<{index}>, %i: tile<i64>) {{
  %n = assume bounded<{bounds}>, %n0 : tile<{index}>
  %x = constant <f32: 1.0> : tile<4x8xf32>
  %t = make_tensor_view %p, shape = [{shape}], strides = [{strides}] : {sizes}{view}
  %v = make_partition_view %t : partition_view<tile=(4x8), {view}>
  %c = constant <i64: 1> : tile<i64>
  %r = store_view_tko weak %x, %v[%i, %c] :
    tile<4x8xf32>, partition_view<tile=(4x8), {view}>, tile<i64> -> token
  return
}} }}
"""


def text(rows: str, row: int, bounds: str = "?, ?", index: str = "i32") -> str:
    dynamic = rows == "?"
    view = f"tensor_view<{rows}x20xf32, strides=[{row},1]>"
    return TEXT.format(
        shape=("%n" if dynamic else rows) + ", 20", strides=f"{row}, 1", view=view, bounds=bounds,
        index=index, sizes=f"tile<{index}> -> " if dynamic else "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "bits"),
    [
        (text("10", 20), 32),
        # The last element is at 4 * (n - 1) * row + 4 * 19.
        (text("2", 2**30 - 20), 32), (text("2", 2**30 - 19), 64), (text("5", 2**30), 64),
        (text("?", 20), 64), (text("?", 20, "0, ?"), 64), (text("?", 20, "-1, 9"), 64),
        (text("?", 20, "0, 1000"), 32), (text("?", 1 << 21, "0, 512"), 32),
        (text("?", 1 << 21, "0, 513"), 64),
    ],
)  # fmt: skip
def test_32_bits_where_the_tensor_is_known_to_fit(source: str, bits: int) -> None:
    kernel = KernelIR.of(tileir.assemble(source).functions[0])
    (store,) = (op for op in kernel.walk() if op.name == "store_view_tko")
    view, facts = store.operands["view"], kernel.facts(Divisibility)
    assert fits_32_bits(view, facts) == (bits == 32)


@pytest.mark.parametrize("source", [text("10", 20), text("?", 20, "0, 10"), text("?", 20)])
@pytest.mark.parametrize("where", [0, 2, 3, 2**26, 2**30, 2**32, 2**60, -1])
def test_tiles_far_outside_do_not_come_back(source: str, where: int) -> None:
    """Of some of them the offset is a multiple of 2**32."""
    array = np.zeros((10, 20), "f4")
    launch(tileir.assemble(source), "k", 1, [array, 10, where])
    wanted = np.zeros((10, 20), "f4")
    if 0 <= where < 3:
        wanted[4 * where :][:4, 8:16] = 1
    np.testing.assert_array_equal(array, wanted)
