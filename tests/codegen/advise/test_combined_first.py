"""Rules about what a block could combine before it does something dear: shuffles, and atomics."""

from __future__ import annotations

import pytest

import tileir
from tests.advised import advise

from .test_computing import FOR, LOAD, SUM, T, advice

ATOMIC = """
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %m: tile<i32>) {{
  %t = make_token : token
  %i = iota : tile<128xi32>
  %i0 = reshape %i : tile<128xi32> -> tile<1x128xi32>
  %c = broadcast %i0 : tile<1x128xi32> -> tile<16x128xi32>
  %j = iota : tile<16xi32>
  %j0 = reshape %j : tile<16xi32> -> tile<16x1xi32>
  %r = broadcast %j0 : tile<16x1xi32> -> tile<16x128xi32>
  %n0 = reshape %m : tile<i32> -> tile<1x1xi32>
  %n = broadcast %n0 : tile<1x1xi32> -> tile<16x128xi32>
  %v = itof %r signed : tile<16x128xi32> -> tile<16x128xf32>
  %b0 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %b = broadcast %b0 : tile<1x1xptr<f32>> -> tile<16x128xptr<f32>>
  %p = offset %b, %c : tile<16x128xptr<f32>>, tile<16x128xi32> -> tile<16x128xptr<f32>>
  %k = cmpi less_than %{}, %n, signed : tile<16x128xi32> -> tile<16x128xi1>
  %old, %u = atomic_rmw_tko relaxed device %p, addf, %v, %k token=%t
      : tile<16x128xptr<f32>>, tile<16x128xf32>, tile<16x128xi1> -> tile<16x128xf32>, token
  return
}} }}
"""


@pytest.mark.parametrize(("bounded", "known"), [("c", True), ("r", False)])
def test_updates_under_a_mask_are_combined_where_it_is_that_of_places(
    bounded: str, known: bool
) -> None:
    module = tileir.assemble(ATOMIC.format(bounded), name="kernel.mlir")
    found = [
        each for each in advise(module, "sm_90", ptxas=False) if each.rule == "atomics-to-one-place"
    ]
    assert [(each.before, each.after) for each in found] == [(16 * 128, 128)] * known


def _reducing(added: str) -> str:
    squares = "".join(f"%a{n + 1} = fma %a{n}, %a{n}, %a{n} : {T}\n" for n in range(8))
    body = (
        f"%a0, %u = {LOAD.format('%c')}\n{squares}%h = {SUM.format('%a8')}%z = {added} : tile<f32>"
    )
    start = "%start = constant <f32: 0.0> : tile<f32>\n"
    total = FOR.format("%start", "tile<f32>", body, "%z", "tile<f32>")
    spread = f"%r0 = reshape %v : tile<f32> -> tile<1xf32>\n%r = broadcast %r0 : tile<1xf32> -> {T}"
    return f"{start}%v = {total}\n{spread}\n"


@pytest.mark.parametrize(
    ("added", "known"),
    [("addf %s, %h", True), ("mulf %s, %h", False), ("addf %s, %h rounding<zero>", False)],
)
def test_what_a_reduction_s_body_costs_counts(added: str, known: bool) -> None:
    rules = {each.rule for each in advice(_reducing(added))}
    assert ("reduction-in-loop" in rules) == known
