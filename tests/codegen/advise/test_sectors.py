"""Rules about what lies side by side in memory: parts of sectors, neighbours that are far apart."""

from __future__ import annotations

import pytest

import tileir
from tests.advised import advise
from tileir.codegen.advise.evidence import Settings, Site, evidence_of
from tileir.codegen.advise.figures import LOADED, SECTORS
from tileir.codegen.advise.finding import Finding
from tileir.codegen.advise.numbered import Original

TENSOR = "tensor_view<?x?xf32, strides=[?,1]>"
OF_VIEW = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {{
  %x = assume div_by<16>, %p : tile<ptr<f32>>
  %s = assume div_by<16>, %n : tile<i32>
  %view = make_tensor_view %x, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> {tensor}
  %tiles = make_partition_view %view : partition_view<tile=({shape}), {tensor}>
  %i, %j, %l = get_tile_block_id : tile<i32>
  %a, %t = load_view_tko weak %tiles[%i, %j]
      : partition_view<tile=({shape}), {tensor}>, tile<i32> -> tile<{shape}xf32>, token
  %b = mulf %a, %a : tile<{shape}xf32>
  %u = store_view_tko weak %b, %tiles[%i, %j]
      : tile<{shape}xf32>, partition_view<tile=({shape}), {tensor}>, tile<i32> -> token
  return
}} }}
"""
FLAT = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {{
  %x = assume div_by<16>, %p : tile<ptr<f32>>
  %y = assume div_by<16>, %o : tile<ptr<f32>>
  %s = assume div_by<16>, %n : tile<i32>
  %from = make_tensor_view %x, shape = [%s, %s], strides = [%s, 1] : tile<i32> -> {tensor}
  %tiles = make_partition_view %from : partition_view<tile=(512x4), {tensor}>
  %to = make_tensor_view %y, shape = [%s], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %rows = make_partition_view %to : partition_view<tile=(2048), tensor_view<?xf32, strides=[1]>>
  %i, %j, %l = get_tile_block_id : tile<i32>
  %a, %t = load_view_tko weak %tiles[%i, %j]
      : partition_view<tile=(512x4), {tensor}>, tile<i32> -> tile<512x4xf32>, token
  %b = reshape %a : tile<512x4xf32> -> tile<2048xf32>
  %u = store_view_tko weak %b, %rows[%i] : tile<2048xf32>,
      partition_view<tile=(2048), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}} }}
"""
OF_POINTERS = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
  %x = assume div_by<16>, %p : tile<ptr<f32>>
  %i, %j, %l = get_tile_block_id : tile<i32>
  %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
  %at = iota : tile<1024xi32>
  {apart}
  %f0 = reshape %far : tile<i32> -> tile<1xi32>
  %f = broadcast %f0 : tile<1xi32> -> tile<1024xi32>
  %scaled = muli %at, %f : tile<1024xi32>
  %x0 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
  %x1 = broadcast %x0 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %q = offset %x1, %scaled : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %a, %t = load_ptr_tko weak %q : tile<1024xptr<f32>> -> tile<1024xf32>, token
  %b = mulf %a, %a : tile<1024xf32>
  %u = store_ptr_tko weak %q, %b token=%t : tile<1024xptr<f32>>, tile<1024xf32> -> token
  return
}} }}
"""
CONSTANT = "%far = constant <i32: {}> : tile<i32>"
OF_GRID = "%far = assume bounded<0, ?>, %gx : tile<i32>"
UNROLLED = """
cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {
  %x = assume div_by<16>, %p : tile<ptr<f32>>
  %view = make_tensor_view %x, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %tiles = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <f32: 0.0> : tile<128xf32>
  %r = for %c in (%zero to %n, step %one) : tile<i32>
      iter_values(%s = %none) -> (tile<128xf32>) {
    %a, %t = load_view_tko weak %tiles[%c]
        : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32>
        -> tile<128xf32>, token
    %b = addf %s, %a : tile<128xf32>
    continue %b : tile<128xf32>
  }
  %to = make_tensor_view %o, shape = [128], strides = [1] : tensor_view<128xf32, strides=[1]>
  %all = make_partition_view %to : partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>
  %u = store_view_tko weak %r, %all[%zero] : tile<128xf32>,
      partition_view<tile=(128), tensor_view<128xf32, strides=[1]>>, tile<i32> -> token
  return
} }
"""


def findings(text: str) -> dict[str, Finding]:
    return {each.rule: each for each in advise(tileir.assemble(text), "sm_90", ptxas=False)}


def of_view(shape: str) -> dict[str, Finding]:
    return findings(OF_VIEW.format(shape=shape, tensor=TENSOR))


def test_rows_that_are_shorter_than_a_sector() -> None:
    found = of_view("512x4")["narrow-tile"]
    assert (found.before, found.after) == (4 * 4, 32)
    assert found.fix == "let extents of 4 in tiles be 8"
    assert "narrow-tile" not in of_view("256x8")


def test_rows_without_gaps_lie_together() -> None:
    dense = "tensor_view<?x?xf32, strides=[4,1]>"
    text = OF_VIEW.format(shape="512x4", tensor=dense).replace(
        "strides = [%s, 1]", "strides = [4, 1]"
    )
    assert "narrow-tile" not in findings(text)
    gaps = text.replace("[4, 1]", "[8, 1]").replace("[4,1]", "[8,1]")
    assert "narrow-tile" in findings(gaps)


def test_rows_that_are_shorter_than_an_access() -> None:
    found = of_view("512x2")["narrow-tile"]
    assert (found.before, found.after) == (2 * 4, 32)
    assert found.fix == "let extents of 2 in tiles be 16"


def test_a_tile_of_a_fixed_size_is_turned_instead() -> None:
    found = findings(FLAT.format(tensor=TENSOR))["narrow-tile"]
    assert (found.op, found.before, found.after) == ("load_view_tko", 4 * 4, 32)
    assert found.fix == "let extents of 512 in tiles be 4, and those of 4 be 512"


def test_a_column_of_a_row_major_tensor() -> None:
    found = of_view("1024x1")["transposed-access"]
    assert found.fix == "pass an array of which dimension 0 is contiguous, not 1"
    assert not of_view("1x1024")


@pytest.mark.parametrize(
    ("apart", "told"),
    [
        (CONSTANT.format(4096), "4096 elements apart"),
        (CONSTANT.format(8), "8 elements apart"),
        ("%one = constant <i32: 1> : tile<i32>\n%far = addi %gx, %one : tile<i32>", None),
        (OF_GRID, "as many elements apart as get_num_tile_blocks gives"),
        (CONSTANT.format(2), None),
        (CONSTANT.format(1), None),
    ],
)
def test_neighbours_that_are_far_apart(apart: str, told: str | None) -> None:
    found = findings(OF_POINTERS.format(apart=apart)).get("neighbours-far-apart")
    if told is None:
        assert found is None
        return
    assert found is not None
    assert found.fix.endswith(told)
    assert found.op == "muli"
    assert found.after > found.before


def test_what_a_sector_has_of_a_tile() -> None:
    for far, expected in ((1, 32), (4096, 4)):
        text = OF_POINTERS.format(apart=CONSTANT.format(far))
        copy = Original(tileir.assemble(text)).copy()
        evidence = evidence_of(copy, Settings("sm_90", ptxas=False))
        loads = [number for number, op in copy.ops.items() if op.name == "load_ptr_tko"]
        assert [SECTORS.read(evidence, Site("k", number)) for number in loads] == [expected]


def test_a_loop_that_is_unrolled_loads_more_at_once() -> None:
    copy = Original(tileir.assemble(UNROLLED)).copy()
    evidence = evidence_of(copy, Settings("sm_90", ptxas=False))
    (unrolled,) = [e for e in evidence.remarks if e.what.startswith("loop unrolled")]
    (launch,) = [e for e in evidence.remarks if "blocks" in e.facts]
    blocks, times = int(str(launch.facts["blocks"])), int(str(unrolled.facts["factor"]))
    assert times > 1
    assert LOADED.read(evidence, Site("k")) == 128 * 4 * blocks * times
