"""Which loops LLVM unrolls."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen import compile, llvm

KERNEL = """
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %y = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%c = %x) -> (tile<f32>) {
    %m = mulf %c, %x : tile<f32>
    continue %m : tile<f32>
  }
  %s = store_ptr_tko weak %p, %y token = %t : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""


def test_loops_of_large_functions_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def products() -> int:
        return compile(tileir.assemble(KERNEL), "sm_90").ptx.count("mul.")

    assert products() > 1
    monkeypatch.setattr(llvm, "MOST_UNROLLED", 1)
    assert products() == 1
