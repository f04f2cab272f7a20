"""Which ops are taken for needless, as random runs show nothing of what they are for."""

from __future__ import annotations

import pytest

import tileir
from tileir.codegen.advise.random_runs.rewrites import rewrites_of

TEXT = """\
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>) {{
    %i, %j, %k = get_tile_block_id : tile<i32>
    %i0 = reshape %i : tile<i32> -> tile<1xi32>
    %i1 = broadcast %i0 : tile<1xi32> -> tile<64xi32>
    %e = iota : tile<64xi32>
    %x = addi %i1, %e : tile<64xi32>
    %number = constant <i32: {number}> : tile<64xi32>
    %y = {name} %x, %number {signed} : tile<64xi32>
    %p0 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %p1 = broadcast %p0 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %at = offset %p1, %y : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
    %t = store_ptr_tko weak %at, %y : tile<64xptr<i32>>, tile<64xi32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("name", "number", "signed", "needless"),
    [
        ("andi", 0xFFFFF, "", False),  # blocks in runs have small numbers, others may have not
        ("andi", 0xF, "", False),
        ("ori", 0, "", True),
        ("maxi", 0, "signed", True),
    ],
)
def test_a_mask_is_for_numbers_that_runs_have_not(
    name: str, number: int, signed: str, needless: bool
) -> None:
    text = TEXT.format(name=name, number=number, signed=signed)
    (function,) = tileir.assemble(text).functions
    assert (name in {each.op.name for each in rewrites_of(function)}) is needless


def test_one_element_is_enough_to_differ() -> None:
    """Of thousands, of which few are looked at when ways are searched for."""
    kind, whole = "tile<2048xf32>", "tile<2048xi32>"
    text = f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<f32>>) {{
      %e = iota : {whole}
      %p0 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
      %p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<2048xptr<f32>>
      %at = offset %p1, %e : tile<2048xptr<f32>>, {whole} -> tile<2048xptr<f32>>
      %x, %t = load_ptr_tko weak %at : tile<2048xptr<f32>> -> {kind}, token
      %number = constant <i32: 1234> : {whole}
      %there = cmpi equal %e, %number, signed : {whole} -> tile<2048xi1>
      %zero = constant <f32: 0.0> : {kind}
      %y = select %there, %zero, %x : tile<2048xi1>, {kind}
      %two = constant <f32: 2.0> : {kind}
      %z = mulf %y, %two : {kind}
      %u = store_ptr_tko weak %at, %z token=%t : tile<2048xptr<f32>>, {kind} -> token
      return }} }}"""
    for other, found in (("%zero", False), ("%x", True)):
        changed = text.replace("%there, %zero", f"%there, {other}")
        (function,) = tileir.assemble(changed).functions
        assert ("mulf" in {each.op.name for each in rewrites_of(function)}) is found
