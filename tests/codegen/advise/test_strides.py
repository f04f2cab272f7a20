"""Trials of strides: a tensor is changed once, for all of its accesses, and each is told of it."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy, Original
from tileir.codegen.advise.trials.strides import (
    K_MAJOR,
    KNOWN_UNIT,
    TRANSPOSED,
    UNIT_FACTORS,
    loads_across,
)
from tileir.codegen.advise.trials.trial import Trial

KERNEL = """
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>, %r: tile<i32>) {{
  %view = make_tensor_view %x, shape = [%n, %n], strides = [{values}]
      : tile<i32> -> {tensor}
  %tiles = make_partition_view %view : partition_view<tile=(32x64), {tensor}>
  %i, %j, %l = get_tile_block_id : tile<i32>
  %a, %t = load_view_tko weak %tiles[%i, %j]
      : partition_view<tile=(32x64), {tensor}>, tile<i32> -> tile<32x64xf32>, token
  %u = store_view_tko weak %a, %tiles[%i, %j]
      : tile<32x64xf32>, partition_view<tile=(32x64), {tensor}>, tile<i32> -> token
  return
}} }}
"""


def tried(trial: Trial, values: str, types: str) -> tuple[list[str], Copy]:
    """What a trial says of the accesses of a kernel with these strides, and its copy."""
    tensor = f"tensor_view<?x?xf32, strides=[{types}]>"
    copy = Original(tileir.assemble(KERNEL.format(values=values, tensor=tensor))).copy()
    sites = [Site("k", number) for number, op in copy.ops.items() if "view_tko" in op.name]
    assert len(sites) == 2
    told = trial.edit(copy, sites)
    assert [*told] in (sites, [])
    tileir.verify(copy.module)
    return [*told.values()], copy


def strides(copy: Copy) -> set[str]:
    """The strides in the types of all views."""
    texts = (str(value.type) for value in copy.module.functions[0].body.defined())
    return {text.partition("strides=[")[2].partition("]")[0] for text in texts if "view<" in text}


KNOWN = "let the stride along dimension 1 be a constant 1, not "


@pytest.mark.parametrize(
    ("trial", "values", "types", "after", "advice"),
    [
        (KNOWN_UNIT, "%s, %r", "?,?", "?,1", f"{KNOWN}parameter 3 (stride 1 of array 0)"),
        (KNOWN_UNIT, "%s, 3", "?,3", "?,1", f"{KNOWN}3"),
        (TRANSPOSED, "1, %s", "1,?", "?,1",
         "pass an array of which dimension 1 is contiguous, not 0"),
    ],
)  # fmt: skip
def test_both_accesses_are_told(
    trial: Trial, values: str, types: str, after: str, advice: str
) -> None:
    told, copy = tried(trial, values, types)
    assert told == [advice] * 2
    assert strides(copy) == {after}


@pytest.mark.parametrize(("promised", "told"), [("", True), ("assume div_by<8>, ", False)])
def test_a_stride_that_is_promised_to_be_longer_is_not_one(promised: str, told: bool) -> None:
    stride = f"%s = {promised}%n : tile<i32>" if promised else "%s = addi %n, %nil : tile<i32>"
    text = f"""cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {{
      %nil = constant <i32: 0> : tile<i32>
      {stride}
      %far = reshape {"%s" if promised else "%n"} : tile<i32> -> tile<1xi32>
      %f = broadcast %far : tile<1xi32> -> tile<64xi32>
      %at = iota : tile<64xi32>
      %o = muli %at, %f : tile<64xi32>
      %p1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
      %p2 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %p = offset %p2, %o : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      %a, %t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
      return }} }}"""
    copy = Original(tileir.assemble(text)).copy()
    (load,) = [number for number, op in copy.ops.items() if op.name == "load_ptr_tko"]
    assert bool(UNIT_FACTORS[0].edit(copy, [Site("k", load)])) is told


def test_the_counter_of_a_loop_is_no_stride() -> None:
    text = """cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %at = iota : tile<64xi32>
      %p1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
      %p2 = broadcast %p1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      for %c in (%zero to %n, step %one) : tile<i32> {
        %far = reshape %c : tile<i32> -> tile<1xi32>
        %f = broadcast %far : tile<1xi32> -> tile<64xi32>
        %o = muli %at, %f : tile<64xi32>
        %p = offset %p2, %o : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
        %a, %t = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
        continue }
      return } }"""
    copy = Original(tileir.assemble(text)).copy()
    (load,) = [number for number, op in copy.ops.items() if op.name == "load_ptr_tko"]
    assert not any(trial.edit(copy, [Site("k", load)]) for trial in UNIT_FACTORS)


@pytest.mark.parametrize(
    ("trial", "values", "types"),
    [
        (KNOWN_UNIT, "%s, 1", "?,1"), (KNOWN_UNIT, "1, %s", "1,?"),
        (TRANSPOSED, "%s, 1", "?,1"), (TRANSPOSED, "%s, %s", "?,?"),
    ],
)  # fmt: skip
def test_nothing_is_told_where_nothing_changes(trial: Trial, values: str, types: str) -> None:
    told, copy = tried(trial, values, types)
    assert not told
    assert strides(copy) == {types}


PRODUCT = """
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f16>>, %y: tile<ptr<f16>>, %n: tile<i32>) {{
  %o = constant <i32: 0> : tile<i32>
  %c = constant <f32: 0.0> : tile<16x16xf32>
  %v = make_tensor_view %x, shape = [%n, %n], strides = [1, %n]
      : tile<i32> -> tensor_view<?x?xf16, strides=[1,?]>
  %p = make_partition_view %v : partition_view<tile=(16x{k}), tensor_view<?x?xf16, strides=[1,?]>>
  %a, %s = load_view_tko weak %p[%o, %o]
      : partition_view<tile=(16x{k}), tensor_view<?x?xf16, strides=[1,?]>>, tile<i32>
      -> tile<16x{k}xf16>, token
  %b = constant <f16: 1.0> : tile<{k}x16xf16>
  %d = mmaf %a, %b, %c : tile<16x{k}xf16>, tile<{k}x16xf16>, tile<16x16xf32>
  return
}} }}
"""


@pytest.mark.parametrize(("k", "loads"), [(1, 0), (2, 1)])
def test_a_product_of_one_step_has_nothing_to_be_contiguous(k: int, loads: int) -> None:
    """With K of one element there is no other dimension that could be contiguous."""
    copy = Original(tileir.assemble(PRODUCT.format(k=k))).copy()
    sites = [Site("k", n) for n, op in copy.ops.items() if op.name == "load_view_tko"]
    found = [load for op in copy.ops.values() if op.name == "mmaf" for load in loads_across(op)]
    assert len(found) == loads
    told = K_MAJOR.edit(copy, sites)
    assert [*told.values()] == ["pass an array of which dimension 1 is contiguous, not 0"] * loads
