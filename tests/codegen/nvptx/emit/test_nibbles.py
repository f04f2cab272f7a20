"""4-bit elements, two of which share a byte that belongs to two threads."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

TENSOR = "tensor_view<64xf4E2M1FN, strides=[1]>"
VIEW = f"partition_view<tile=(64), {TENSOR}>"
LOADED = f"{VIEW}, tile<i32> -> tile<64xf4E2M1FN>, token"
STORED = f"tile<64xf4E2M1FN>, {VIEW}, tile<i32> -> token"
SWAP = f"""
entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>) {{
  %z = constant <i32: 0> : tile<i32>
  %p = ptr_to_ptr %a : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
  %q = ptr_to_ptr %b : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
  %ta = make_tensor_view %p, shape = [64], strides = [1] : {TENSOR}
  %tb = make_tensor_view %q, shape = [64], strides = [1] : {TENSOR}
  %va = make_partition_view %ta : {VIEW}
  %vb = make_partition_view %tb : {VIEW}
  %x, %t = load_view_tko weak %va[%z] : {LOADED}
  %y, %u = load_view_tko weak %vb[%z] : {LOADED}
  %v = store_view_tko weak %y, %va[%z] token = %t : {STORED}
  %w = store_view_tko weak %x, %vb[%z] token = %u : {STORED}
  return
}}
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
def test_threads_may_store_beside_what_others_load(target: str, schedule: str) -> None:
    """No token orders one element after another, so nothing waits; and nothing races."""
    a = np.arange(32, dtype=np.uint8)
    b = 7 * a[::-1]
    found = [a.copy(), b.copy()]
    launch(tileir.assemble(SWAP), "k", 1, found, target=target, schedule=schedule)
    np.testing.assert_array_equal(found, [b, a])


def test_nothing_waits_and_loads_are_strong() -> None:
    ptx = compile(tileir.assemble(SWAP), "sm_90").ptx
    assert "bar.sync" not in ptx
    assert set(re.findall(r"(ld\.\S*global\S*)", ptx)) == {"ld.relaxed.gpu.global.b8"}


def test_without_stores_loads_are_weak() -> None:
    loads = "\n".join(line for line in SWAP.splitlines() if "store" not in line)
    loads = loads.replace("return", "%r = ftof %x : tile<64xf4E2M1FN> -> tile<64xf32>\n"
                          "print_tko \"%f\", %r : tile<64xf32> -> token\n  return")  # fmt: skip
    ptx = compile(tileir.assemble(loads), "sm_90").ptx
    assert set(re.findall(r"(ld\.\S*global\S*)", ptx)) == {"ld.global.b8"}
