"""Branches that one iteration takes: that iteration is made outside, and gives the same."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.advised import advise
from tests.codegen.advise.test_computing import HEAD, LOAD, STORE, T
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.branches import PEELED

RARE = {
    "first": "cmpi equal %c, %zero, signed",
    "all but the first": "cmpi greater_than %c, %zero, signed",
    "last": "cmpi equal %last, %c, signed",
    "all but the last": "cmpi less_than %c, %last, signed",
}
OTHERS = {
    "some": "cmpi less_than %c, %two, signed",
    "one in the middle": "cmpi equal %c, %two, signed",
    "neither loop nor iteration": "cmpi equal %i, %zero, signed",
}


def kernel(condition: str) -> str:
    return f"""{HEAD}
  %two = constant <i32: 2> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %last = subi %four, %one : tile<i32>
  %r = for %c in (%zero to %four, step %one) : tile<i32> iter_values(%s = %none) -> ({T}) {{
    %t, %u = {LOAD.format("%c")}
    %q = {condition} : tile<i32> -> tile<i1>
    %w = if %q -> ({T}) {{
      %e = mulf %t, %t : {T}
      yield %e : {T}
    }} else {{
      %e = subf %s, %t : {T}
      yield %e : {T}
    }}
    %z = addf %w, %s : {T}
    continue %z : {T}
  }}
  %st = {STORE.format("%r")}
  return }} }}"""


def _peel(text: str) -> tuple[tileir.Bytecode, list[str]]:
    copy = Original(tileir.assemble(text)).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == "if"]
    return copy.module, list(PEELED.edit(copy, [Site("k", number)]).values())


@pytest.mark.parametrize("condition", RARE.values(), ids=RARE)
def test_an_iteration_outside_gives_the_same(condition: str) -> None:
    module, told = _peel(kernel(condition))
    (fix,) = told
    assert fix.endswith("which needs no `if` then"), "the loop has four iterations"
    assert "if" not in {op.name for each in module.functions for op in each.walk()}
    x = np.random.default_rng(1).integers(-4, 5, 4 * 4096).astype(np.float32)
    made, expected = np.zeros_like(x), np.zeros_like(x)
    tileir.compile(module)["k"].launch((1,), [x, made, len(x)])
    tileir.compile(tileir.assemble(kernel(condition)))["k"].launch((1,), [x, expected, len(x)])
    assert expected.any()
    assert (made == expected).all()


@pytest.mark.parametrize("condition", OTHERS.values(), ids=OTHERS)
def test_other_branches_stay(condition: str) -> None:
    assert not _peel(kernel(condition))[1]


def test_an_iteration_outside_is_made_though_the_loop_may_not_run() -> None:
    unknown = kernel(RARE["first"]).replace("%zero to %four", "%zero to %n")
    (fix,) = _peel(unknown)[1]
    assert fix.endswith(", if the loop runs at least once")


A, B, C = "tile<128x64xf16>", "tile<64x128xf16>", "tile<128x128xf32>"
TENSOR = "tensor_view<1024x1024xf16, strides=[1024,1]>"


def product(condition: str) -> str:
    """Return a product of matrices whose sum is scaled under a condition."""
    head = "cuda_tile.module @m { entry @k(%p: tile<ptr<f16>>, %o: tile<ptr<f32>>) {\n"
    views = f"  %v = make_tensor_view %a, shape = [1024, 1024], strides = [1024, 1] : {TENSOR}\n"
    left = f"partition_view<tile=(128x64), {TENSOR}>"
    right = f"partition_view<tile=(64x128), {TENSOR}>"
    made = "tensor_view<1024x1024xf32, strides=[1024,1]>"
    sums = f"partition_view<tile=(128x128), {made}>"
    return f"""{head}  %a = assume div_by<16>, %p : tile<ptr<f16>>
  %b = assume div_by<16>, %o : tile<ptr<f32>>
{views}  %d = make_tensor_view %b, shape = [1024, 1024], strides = [1024, 1] : {made}
  %l = make_partition_view %v : {left}
  %g = make_partition_view %v : {right}
  %m = make_partition_view %d : {sums}
  %i, %j, %k = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = constant <i32: 16> : tile<i32>
  %last = subi %n, %one : tile<i32>
  %none = constant <f32: 0.0> : {C}
  %f = constant <f32: 1.5> : {C}
  %r = for %c in (%zero to %n, step %one) : tile<i32> iter_values(%s = %none) -> ({C}) {{
    %x, %xt = load_view_tko weak %l[%i, %c] : {left}, tile<i32> -> {A}, token
    %y, %yt = load_view_tko weak %g[%c, %j] : {right}, tile<i32> -> {B}, token
    %q = {condition} : tile<i32> -> tile<i1>
    %w = if %q -> ({C}) {{
      %e = addf %s, %f : {C}
      yield %e : {C}
    }} else {{
      yield %s : {C}
    }}
    %z = mmaf %x, %y, %w : {A}, {B}, {C}
    continue %z : {C}
  }}
  %st = store_view_tko weak %r, %m[%i, %j] : {C}, {sums}, tile<i32> -> token
  return }} }}"""


@pytest.mark.parametrize("name", ["first", "last"])
def test_products_wait_for_a_branch(name: str) -> None:
    found = advise(tileir.assemble(product(RARE[name])), "sm_90", ptxas=False)
    (one,) = [each for each in found if each.rule == "rare-branch"]
    assert (one.op, one.shown) == ("if", ("none", "all"))
    assert f"the {name} iteration" in one.fix


def test_products_wait_for_other_branches() -> None:
    text = product("cmpi equal %i, %zero, signed")
    found = advise(tileir.assemble(text), "sm_90", ptxas=False)
    assert "rare-branch" not in {each.rule for each in found}
