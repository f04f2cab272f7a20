"""An expensive tile is computed once, also if it is needed in two layouts."""

from __future__ import annotations

import pytest

from tileir import assemble
from tileir.codegen import compile

TILE = "tile<64x64xf32>"
TENSOR = "tensor_view<64x64xf32, strides=[64, 1]>"
VIEW = f"partition_view<tile=(64x64), {TENSOR}>"
STORE = f"weak %{{}}, %view[%zero, %zero] : {TILE}, {VIEW}, tile<i32> -> token"


def ptx(computed: str, *stored: str) -> str:
    """A kernel that makes %p of %x, %y and %n, and stores that or its transpose %t."""
    stores = "\n".join(
        f"%k{number} = store_view_tko " + STORE.format(name) for number, name in enumerate(stored)
    )
    text = f"""cuda_tile.module @m {{
      entry @powers(%to : tile<ptr<f32>>, %exponent : tile<f32>) {{
        %zero = constant <i32: 0> : tile<i32>
        %i = iota : tile<4096xi32>
        %n = reshape %i : tile<4096xi32> -> tile<64x64xi32>
        %x = itof %n signed : tile<64x64xi32> -> {TILE}
        %e = reshape %exponent : tile<f32> -> tile<1x1xf32>
        %y = broadcast %e : tile<1x1xf32> -> {TILE}
        %p = {computed}
        %t = permute %p [1, 0] : {TILE} -> {TILE}
        %tensor = make_tensor_view %to, shape = [64, 64], strides = [64, 1] : {TENSOR}
        %view = make_partition_view %tensor : {VIEW}
        {stores}
        return
      }}
    }}"""
    return compile(assemble(text), "sm_90").ptx


@pytest.mark.parametrize(
    ("computed", "instruction"),
    [
        (f"fpowf %x, %y : {TILE}", "fma.rn.f32"),
        (f"fpowi %x, %n : {TILE}, tile<64x64xi32>", "mul.rn.f32"),
        (f"exp %y : {TILE}", "ex2.approx"),
        (f"atan2 %x, %y : {TILE}", "fma.rn.f32"),
    ],
)
def test_functions_are_computed_once_for_two_layouts(computed: str, instruction: str) -> None:
    once, both = ptx(computed, "p"), ptx(computed, "p", "t")
    assert 0 < both.count(instruction) <= once.count(instruction)
    assert "st.shared" in both


def test_what_costs_little_is_computed_twice() -> None:
    computed = f"addf %x, %y rounding<nearest_even> : {TILE}"
    once, both = ptx(computed, "p"), ptx(computed, "p", "t")
    assert both.count("add.rn.f32") == 2 * once.count("add.rn.f32") > 0
    assert "st.shared" not in both
