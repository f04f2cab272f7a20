"""The emulator notices when the code of a kernel orders its blocks less than it ought to."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import tileir
from tileir.codegen.emulator import BETWEEN_BLOCKS, SCHEDULES, EmulationError, launch

HAND_OVER = """
entry @k(%a: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %out: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %size = constant <i32: 256> : tile<i32>
  %places = iota : tile<256xi32>
  %a1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %an = broadcast %a1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
  %from = offset %an, %places : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
  %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %first {
    %t1 = store_ptr_tko weak %from, %places : tile<256xptr<i32>>, tile<256xi32> -> token
    %t2 = store_ptr_tko release device %flag, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> token
  } else {
    %t0 = make_token : token
    %seen = loop iter_values(%t = %t0) : token -> token {
      %f, %next = load_ptr_tko acquire device %flag token=%t : tile<ptr<i32>> -> tile<i32>, token
      %set = cmpi equal %f, %one, signed : tile<i32> -> tile<i1>
      if %set { break %next : token }
      continue %next : token
    }
    %r, %t3 = load_ptr_tko weak %from token=%seen : tile<256xptr<i32>> -> tile<256xi32>, token
    %start = muli %x, %size : tile<i32>
    %o = offset %out, %start : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %o1 = reshape %o : tile<ptr<i32>> -> tile<1xptr<i32>>
    %on = broadcast %o1 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %to = offset %on, %places : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %t4 = store_ptr_tko weak %to, %r : tile<256xptr<i32>>, tile<256xi32> -> token
  }
  return
}
"""
"""Block 0 writes a tile, then a flag; the others wait for the flag and copy the tile."""

NEIGHBOURS = """
entry @k(%count: tile<ptr<i32>>, %o: tile<ptr<i32>>, %d: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %p = offset %o, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t1 = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
  %old, %t2 = atomic_rmw_tko acq_rel device %count, add, %one token=%t1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %other = xori %x, %one : tile<i32>
  %q = offset %o, %other : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %v, %t3 = load_ptr_tko weak %q token=%t2 : tile<ptr<i32>> -> tile<i32>, token
  %e = offset %d, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t4 = store_ptr_tko weak %e, %v : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""  # noqa: E501
"""Each block reads what its neighbour may not have written yet, whatever it counts before."""

ORDERS = (*SCHEDULES, *BETWEEN_BLOCKS)
MUTATIONS = {
    "relaxed release": (r"st\.release", "st.relaxed"),
    "weak release": (r"st\.release\.gpu", "st"),
    "release to the block": (r"st\.release\.gpu", "st.release.cta"),
    "relaxed acquire": (r"ld\.acquire", "ld.relaxed"),
    "weak acquire": (r"ld\.acquire\.gpu", "ld"),
    "acquire from the block": (r"ld\.acquire\.gpu", "ld.acquire.cta"),
}


@cache
def compiled(text: str) -> tuple[str, dict[str, Any]]:
    kernels = tileir.compile(tileir.assemble(text), "sm_80")
    return kernels.ptx, kernels.plan["k"]


def outcome(ptx: str, schedule: str) -> str:
    """The kind of the error, or whether all blocks got the tile."""
    a, flag, out = np.zeros(256, np.int32), np.zeros(1, np.int32), np.zeros((3, 256), np.int32)
    try:
        plan = compiled(HAND_OVER)[1]
        launch(ptx, plan, 3, [a, flag, out], schedule=schedule, limit=20_000)
    except EmulationError as problem:
        return problem.kind
    return "right" if (out[1:] == np.arange(256)).all() and not out[0].any() else "wrong"


@pytest.mark.parametrize("schedule", ORDERS)
def test_every_part_of_the_order_is_needed(schedule: str) -> None:
    ptx, _ = compiled(HAND_OVER)
    assert outcome(ptx, schedule) == "right"
    for name, (pattern, other) in MUTATIONS.items():
        changed, times = re.subn(pattern, other, ptx)
        assert (times, outcome(changed, schedule)) == (1, "race"), name


def test_every_barrier_is_needed() -> None:
    ptx, _ = compiled(HAND_OVER)
    barriers = list(re.finditer(r"bar\.sync[^;]*;", ptx))
    assert barriers
    for each in barriers:
        without = ptx[: each.start()] + ptx[each.end() :]
        assert "race" in [outcome(without, schedule) for schedule in ORDERS]
    # The last one is before the release: that others were early does not excuse it.
    assert {outcome(without, schedule) for schedule in ORDERS} == {"race"}


@pytest.mark.parametrize("schedule", ORDERS)
def test_an_order_elsewhere_is_none_here(schedule: str) -> None:
    ptx, plan = compiled(NEIGHBOURS)
    args = [np.zeros(1, np.int32), np.zeros(4, np.int32), np.zeros(4, np.int32)]
    with pytest.raises(EmulationError) as caught:
        launch(ptx, plan, 4, args, schedule=schedule)
    assert caught.value.kind == "race"
