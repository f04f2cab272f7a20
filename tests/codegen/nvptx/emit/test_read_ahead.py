"""Loops with barriers or stores load the tiles of the next iteration early, if they may."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tileir import assemble
from tileir.codegen import compile, emulator

LOADS = 4
"""Loads of one iteration."""
KERNEL = """
entry @most(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %columns: tile<i32>, %step: tile<i32>) {
  %free = make_token : token
  %x1 = assume div_by<16>, %x : tile<ptr<f32>>
  %c = assume div_by<16>, %columns : tile<i32>
  %xs = make_tensor_view %x1, shape = [16, %c], strides = [%c, 1]
    : tile<i32> -> tensor_view<16x?xf32, strides=[?,1]>
  %ys = make_tensor_view %y, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %xp = make_partition_view %xs : partition_view<tile=(16x128), padding_value = neg_inf,
    tensor_view<16x?xf32, strides=[?,1]>>
  %yp = make_partition_view %ys : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %trips, %more = get_index_space_shape %xp : partition_view<tile=(16x128), padding_value = neg_inf,
    tensor_view<16x?xf32, strides=[?,1]>> -> tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %low = constant <f32: 0.0> : tile<16xf32>
  BEFORE
  %last, %over = for %i in (%zero to %more, step %step) : tile<i32>
      iter_values(%sum = %low, %now = %free) -> (tile<16xf32>, token) {
    %t, %loaded = load_view_tko weak %xp[%zero, %i] token = %TOKEN
      : partition_view<tile=(16x128), padding_value = neg_inf,
        tensor_view<16x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x128xf32>, token
    %r = reduce %t dim=1 identities=[0xFF800000 : f32] : tile<16x128xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %m = maxf %a, %b : tile<f32>
      yield %m : tile<f32>
    }
    %s = addf %sum, %r : tile<16xf32>
    %after = store_view_tko weak %s, %yp[%zero] token = %loaded
      : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32>
      -> token
    continue %s, %after : tile<16xf32>, token
  }
  return
}
"""
STORED = """%stored = store_view_tko weak %low, %yp[%zero] token = %free
      : tile<16xf32>, partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32>
      -> token"""


def text(token: str = "free", before: str = "") -> str:
    return KERNEL.replace("BEFORE", before).replace("%TOKEN", f"%{token}")


@pytest.mark.parametrize(
    ("token", "before", "times"),
    [
        ("free", "", 2),
        ("free", STORED, 2),
        ("stored", STORED, 1),  # comes after a store
        ("now", "", 1),  # comes after the store of the iteration before
    ],
)
def test_a_load_goes_ahead_if_nothing_that_writes_comes_before(
    token: str, before: str, times: int
) -> None:
    ptx = compile(assemble(text(token, before)), "sm_80").ptx
    assert len(re.findall(r"ld\.global\.v4", ptx)) == times * LOADS


@pytest.mark.parametrize("token", ["free", "now"])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("columns", [0, 16, 128, 256, 400])
def test_any_number_of_iterations(token: str, step: int, columns: int) -> None:
    compiled = compile(assemble(text(token)), "sm_80")
    x = np.random.default_rng(columns).integers(-64, 64, (16, columns)).astype("f4")
    y = np.zeros(16, "f4")
    tiles = [x[:, first : first + 128] for first in range(0, columns, 128 * step)]
    emulator.launch(
        compiled.ptx, compiled.plan["most"], 1, [x, y, columns, step], schedule="random-1"
    )
    assert (y == sum(tile.max(1) for tile in tiles)).all()


def test_nothing_is_read_beyond_the_last_trip() -> None:
    """Although the producer promises that all tiles that are loaded are inside of the tensor."""
    place, promise = "token = %free\n      : partition", "inbounds = [true, true]"
    inside = text().replace(place, place.replace("\n", f" {promise}\n"))
    assert promise in inside
    compiled = compile(assemble(inside), "sm_80")
    assert len(re.findall(r"@%p\d+ ld\.global\.v4", compiled.ptx)) == LOADS
    x, y = np.ones((16, 256), "f4"), np.zeros(16, "f4")
    emulator.launch(compiled.ptx, compiled.plan["most"], 1, [x, y, 256, 1])
    assert (y == 2).all()
