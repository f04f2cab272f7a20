"""Atomics on GPUs, where what they return is not wanted."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch

TEXT = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>) {{
  %v = iota : tile<32xi32>
  %base = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %all = broadcast %base : tile<1xptr<i32>> -> tile<32xptr<i32>>
  %q = offset %all, %v : tile<32xptr<i32>>, tile<32xi32> -> tile<32xptr<i32>>
  %old, %t = atomic_rmw_tko relaxed device %q, {mode}, %v :
    tile<32xptr<i32>>, tile<32xi32> -> tile<32xi32>, token
  return
}} }}
"""


@pytest.mark.parametrize(("mode", "result"), [("xchg", range(32)), ("add", range(7, 39))])
def test_old_values_nobody_wants(mode: str, result: range) -> None:
    array = np.full(32, 7, "i4")
    launch(tileir.assemble(TEXT.format(mode=mode)), "k", 1, [array])
    np.testing.assert_array_equal(array, result)
