"""Bodies of reduce and scan: each thread runs them on elements of its own, tiles included."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile

SHAPE = (4, 256)
ARRAY = np.random.default_rng(0).integers(-50, 50, SHAPE).astype("i4")
ARGUMENTS = "(%d: tile<i32>, %e: tile<i32>)"
MAXIMUM = f"{ARGUMENTS} {{ %f = maxi %d, %e signed : tile<i32>\n yield %f : tile<i32> }}"
SUM = f"{ARGUMENTS} {{ %f = addi %d, %e : tile<i32>\n yield %f : tile<i32> }}"
LOWEST = "identities=[-2147483648 : i32]"
SPREAD = """%x1 = reshape %a : tile<i32> -> tile<1xi32>
  %x2 = broadcast %x1 : tile<1xi32> -> tile<64xi32>"""

BRANCH = """%more = cmpi greater_than %a, %b, signed : tile<i32> -> tile<i1>
  %c = if %more -> (tile<i32>) { yield %a : tile<i32> } else { yield %b : tile<i32> }"""
TILE = f"""{SPREAD}
  %x3 = reduce %x2 dim=0 {LOWEST} : tile<64xi32> -> tile<i32> {MAXIMUM}
  %c = maxi %x3, %b signed : tile<i32>"""
TILE_IN_A_BRANCH = f"""%more = cmpi greater_than %a, %b, signed : tile<i32> -> tile<i1>
  %c = if %more -> (tile<i32>) {{
    {SPREAD}
    %x3 = reduce %x2 dim=0 {LOWEST} : tile<64xi32> -> tile<i32> {MAXIMUM}
    yield %x3 : tile<i32>
  }} else {{ yield %b : tile<i32> }}"""
# Of a + (0, 1, 2, 3) all sums from behind, turned: the largest of them, back to a.
TURNED = f"""%n1 = constant <i32: 1000> : tile<i32>
  %up = addi %a, %n1 : tile<i32>
  %x1 = reshape %up : tile<i32> -> tile<1x1xi32>
  %x2 = broadcast %x1 : tile<1x1xi32> -> tile<2x4xi32>
  %i1 = iota : tile<4xi32>
  %i2 = reshape %i1 : tile<4xi32> -> tile<1x4xi32>
  %i3 = broadcast %i2 : tile<1x4xi32> -> tile<2x4xi32>
  %x3 = addi %x2, %i3 : tile<2x4xi32>
  %x4 = permute %x3 [1, 0] : tile<2x4xi32> -> tile<4x2xi32>
  %x5 = scan %x4 dim=0 reverse=true identities=[0 : i32] : tile<4x2xi32> -> tile<4x2xi32> {SUM}
  %x6 = reduce %x5 dim=0 {LOWEST} : tile<4x2xi32> -> tile<2xi32> {MAXIMUM}
  %x7 = reduce %x6 dim=0 {LOWEST} : tile<2xi32> -> tile<i32> {MAXIMUM}
  %n2 = constant <i32: 4006> : tile<i32>
  %n3 = constant <i32: 4> : tile<i32>
  %x8 = subi %x7, %n2 : tile<i32>
  %x9 = divi %x8, %n3 signed : tile<i32>
  %c = maxi %x9, %b signed : tile<i32>"""
# The largest number of a tile that was there before is added, and taken away again.
FROM_OUTSIDE = f"""%y = reduce %outer dim=0 {LOWEST} : tile<64xi32> -> tile<i32> {MAXIMUM}
  %n1 = constant <i32: 63> : tile<i32>
  %up = addi %a, %y : tile<i32>
  %x = subi %up, %n1 : tile<i32>
  %c = maxi %x, %b signed : tile<i32>"""


def text(name: str, body: str, found: np.ndarray) -> str:
    """A fold along the rows of `ARRAY`."""
    kernel = Kernel()
    value, tile = kernel.load(ARRAY), kernel.type(SHAPE, "i32")
    kernel.line("%outer = iota : tile<64xi32>")
    way = "reverse=false " if name == "scan" else ""
    kernel.line(
        f"%t = {name} {value} dim=1 {way}{LOWEST} : {tile} -> {kernel.type(found.shape, 'i32')}"
        f" (%a: tile<i32>, %b: tile<i32>) {{ {body}\n yield %c : tile<i32> }}"
    )
    kernel.store("%t", found)
    return kernel.module()


@pytest.mark.parametrize("name", ["reduce", "scan"])
@pytest.mark.parametrize("body", [BRANCH, TILE, TILE_IN_A_BRANCH, TURNED, FROM_OUTSIDE])
def test_a_maximum_however_it_is_found(body: str, name: str) -> None:
    expected = ARRAY.max(axis=1) if name == "reduce" else np.maximum.accumulate(ARRAY, axis=1)
    found = np.zeros_like(expected)
    launch(tileir.assemble(text(name, body, found)), "k", 1, [ARRAY, found])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("body", "why"), [
    (f"""{SPREAD}
      %y = extract %x2[%b] : tile<64xi32> -> tile<1xi32>
      %c = reshape %y : tile<1xi32> -> tile<i32>""", "extract in its body takes several threads"),
    (f"""{SPREAD.replace("64", "512")}
      %c = reduce %x2 dim=0 {LOWEST} : tile<512xi32> -> tile<i32> {MAXIMUM}""", "at most 256"),
])  # fmt: skip
def test_what_one_thread_cannot_do_is_refused(body: str, why: str) -> None:
    module = tileir.assemble(text("reduce", body, np.zeros(4, "i4")))
    with pytest.raises(tileir.UnsupportedError, match=f"{why}.*; a limit of this compiler"):
        compile(module, "sm_90")


def test_what_no_block_can_hold_is_refused() -> None:
    module = tileir.assemble("entry @k() { %x = iota : tile<2097152xi32> return }")
    with pytest.raises(tileir.UnsupportedError, match=r"1048576 words.*; a limit of this compiler"):
        compile(module, "sm_90")
