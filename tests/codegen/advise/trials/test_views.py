"""Pointers to a block of one matrix of a batch: the view that is made of them has the same tile."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.views import AS_VIEWS, block_of

I32, F32 = "tile<8x32xi32>", "tile<8x32xf32>"
P32, B = "tile<8x32xptr<f32>>", "tile<8x32xi1>"


def spread(name: str, of: str) -> str:
    """A number as a tile of the block's shape."""
    return (
        f"%{name}1 = reshape {of} : tile<i32> -> tile<1x1xi32>\n"
        f"%{name} = broadcast %{name}1 : tile<1x1xi32> -> {I32}\n"
    )


LOADED = """
  %e0 = make_tensor_view %y, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %e1 = make_partition_view %e0 : partition_view<tile=(1), tensor_view<64xf32, strides=[1]>>
  %e2, %et = load_view_tko weak %e1[%h] : partition_view<tile=(1),
      tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
  %e3 = ftoi %e2 signed : tile<1xf32> -> tile<1xi32>
  %e = reshape %e3 : tile<1xi32> -> tile<i32>
"""
"""A number that is loaded, such as that of an expert."""


def kernel(start: str = "%h", more: str = "", before: str = "") -> str:
    return f"""
cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %batch: tile<i32>,
    %far: tile<i32>, %rows: tile<i32>, %down: tile<i32>, %columns: tile<i32>) {{
  %h, %i, %j = get_tile_block_id : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %many = constant <i32: 32> : tile<i32>
  %top = muli %i, %eight : tile<i32>
  %left = muli %j, %many : tile<i32>
  %none = constant <f32: 0.0> : {F32}
  {before}
  {spread("t", "%top")}{spread("l", "%left")}{spread("b", start)}
  {spread("n", "%batch")}{spread("f", "%far")}{spread("r", "%rows")}{spread("d", "%down")}
  {spread("c", "%columns")}
  %u0 = iota : tile<8xi32>
  %u1 = reshape %u0 : tile<8xi32> -> tile<8x1xi32>
  %u = broadcast %u1 : tile<8x1xi32> -> {I32}
  %v0 = iota : tile<32xi32>
  %v1 = reshape %v0 : tile<32xi32> -> tile<1x32xi32>
  %v = broadcast %v1 : tile<1x32xi32> -> {I32}
  %row = addi %t, %u : {I32}
  %column = addi %l, %v : {I32}
  %inside = cmpi less_than %b, %n, unsigned : {I32} -> {B}
  %above = cmpi less_than %row, %r, unsigned : {I32} -> {B}
  %before = cmpi less_than %column, %c, unsigned : {I32} -> {B}
  %m0 = andi %inside, %above : {B}
  %mask = andi %m0, %before : {B}
  %o0 = muli %b, %f : {I32}
  %o1 = muli %row, %d : {I32}
  %o2 = addi %o0, %o1 : {I32}
  %o = addi %o2, %column : {I32}
  {more or f"%at = broadcast %o : {I32} -> {I32}"}
  %p1 = reshape %x : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %p2 = broadcast %p1 : tile<1x1xptr<f32>> -> {P32}
  %p = offset %p2, %at : {P32}, {I32} -> {P32}
  %a, %token = load_ptr_tko weak %p, %mask, %none : {P32}, {B}, {F32} -> {F32}, token
  %q1 = reshape %y : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %q2 = broadcast %q1 : tile<1x1xptr<f32>> -> {P32}
  %q = offset %q2, %o : {P32}, {I32} -> {P32}
  %s = store_ptr_tko weak %q, %a, %mask : {P32}, {F32}, {B} -> token
  return
}} }}"""


def test_a_block_of_one_matrix_of_a_batch() -> None:
    """The last block of each matrix is cut off below and on the right."""
    bytecode = tileir.assemble(kernel())
    copy = Original(bytecode).copy()
    (load,) = [number for number, op in copy.ops.items() if op.name == "load_ptr_tko"]
    found = block_of(copy.ops[load])
    assert found is not None
    assert found.leading == 1
    (fix,) = AS_VIEWS.edit(copy, [Site("k", load)]).values()
    assert fix.startswith("make a tensor view of 3 dimensions")
    x = np.random.default_rng(1).standard_normal((3, 20, 80)).astype(np.float32)
    made, expected = np.zeros_like(x), np.zeros_like(x)
    for y, module in ((made, copy.module), (expected, bytecode)):
        # 12 of the 20 rows, and 72 of the 80 columns, of two of the three matrices
        given = [x, y, 2, 20 * 80, 12, 80, 72]
        tileir.compile(module)["k"].launch((3, 2, 3), given)
    assert (expected[:2, :12, :72] == x[:2, :12, :72]).all()
    assert (made == expected).all()


def test_an_index_that_is_loaded() -> None:
    text = kernel("%e", before=LOADED)
    (load,) = [op for op in tileir.assemble(text).functions[0].walk() if op.name == "load_ptr_tko"]
    found = block_of(load)
    assert found is not None
    assert found.leading == 1


SQUARED = f"%bb = muli %b, %b : {I32}\n%o0 = muli %bb, %f : {I32}"
FEWER = (
    f"%fewer = cmpi less_than %row, %n, unsigned : {I32} -> {B}\n"
    f"%m1 = andi %m0, %fewer : {B}\n%mask = andi %m1, %before : {B}"
)


@pytest.mark.parametrize(
    "text",
    [
        kernel(more=f"%at = addi %o, %c : {I32}"),
        kernel("%top"),
        kernel().replace(f"%o0 = muli %b, %f : {I32}", SQUARED),
        kernel().replace(f"%mask = andi %m0, %before : {B}", FEWER),
    ],
    ids=[
        "begins elsewhere",
        "the index is that of rows, too",
        "the index is squared",
        "two bounds of rows",
    ],
)
def test_other_pointers_are_left(text: str) -> None:
    copy = Original(tileir.assemble(text)).copy()
    (load,) = [op for op in copy.ops.values() if op.name == "load_ptr_tko"]
    assert block_of(load) is None
