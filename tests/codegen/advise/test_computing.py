"""Rules about computing: each finds a weakness, and has nothing to say where it has been undone."""

from __future__ import annotations

import pytest

import tileir
from tests.advised import advise
from tileir.codegen.advise.finding import Finding

HEAD = """
cuda_tile.module @m { entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %m: tile<i32>) {
  %a = assume div_by<16>, %x : tile<ptr<f32>>
  %b = assume div_by<16>, %y : tile<ptr<f32>>
  %n = assume div_by<16>, %m : tile<i32>
  %xv = make_tensor_view %a, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %yv = make_tensor_view %b, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %xs = make_partition_view %xv : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
  %ys = make_partition_view %yv : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>
  %i, %j, %k = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <f32: 0.0> : tile<4096xf32>
"""
LOAD = (
    "load_view_tko weak %xs[{}] : partition_view<tile=(4096), tensor_view<?xf32, strides=[1]>>, "
    "tile<i32> -> tile<4096xf32>, token"
)
STORE = (
    "store_view_tko weak {}, %ys[%i] : tile<4096xf32>, partition_view<tile=(4096), "
    "tensor_view<?xf32, strides=[1]>>, tile<i32> -> token"
)
FOR = (
    "for %c in (%zero to %n, step %one) : tile<i32> iter_values(%s = {}) -> ({}) {{\n{}\n"
    "continue {} : {} }}"
)
T = "tile<4096xf32>"
ONE = "%t, %u = " + LOAD.format("%i") + "\n"
SUM = (
    "reduce {} dim=0 identities=[0.0 : f32] : tile<4096xf32> -> tile<f32> "
    "(%p: tile<f32>, %q: tile<f32>) {{ %w = addf %p, %q : tile<f32>\n yield %w : tile<f32> }}\n"
)
SPREAD = f"%r0 = reshape %v : tile<f32> -> tile<1xf32>\n%r = broadcast %r0 : tile<1xf32> -> {T}\n"

WEAK = {
    "power-by-function": (
        f"{ONE}%five = constant <f32: 5.0> : {T}\n%r = fpowf %t, %five : {T}\n",
        f"{ONE}%two = constant <f32: 2.0> : {T}\n%r = fpowf %t, %two : {T}\n",
    ),
    "f64-between-f32": (
        (
            f"{ONE}%d = ftof %t : {T} -> tile<4096xf64>\n%e = mulf %d, %d : tile<4096xf64>\n"
            f"%f = addf %e, %d : tile<4096xf64>\n%r = ftof %f : tile<4096xf64> -> {T}\n"
        ),
        f"{ONE}%e = mulf %t, %t : {T}\n%r = addf %e, %t : {T}\n",
    ),
    "loaded-again": (
        f"{ONE}%d, %v = {LOAD.format('%i')}\n%r = addf %t, %d : {T}\n",
        f"{ONE}%r = addf %t, %t : {T}\n",
    ),
    "invariant-load": (
        "%r = " + FOR.format("%none", T, f"{ONE}%z = addf %s, %t : {T}", "%z", T) + "\n",
        f"{ONE}%r = " + FOR.format("%none", T, f"%z = addf %s, %t : {T}", "%z", T) + "\n",
    ),
    "stored-in-loop": (
        "%r = "
        + FOR.format(
            *("%none", T),
            f"%t, %u = {LOAD.format('%c')}\n%z = addf %s, %t : {T}\n%g = {STORE.format('%z')}",
            *("%z", T),
        )
        + "\n",
        "%r = "
        + FOR.format("%none", T, f"%t, %u = {LOAD.format('%c')}\n%z = addf %s, %t : {T}", "%z", T)
        + "\n",
    ),
    "reduction-in-loop": (
        "%start = constant <f32: 0.0> : tile<f32>\n%v = "
        + FOR.format(
            *("%start", "tile<f32>"),
            f"%t, %u = {LOAD.format('%c')}\n%h = {SUM.format('%t')}%z = addf %s, %h : tile<f32>",
            *("%z", "tile<f32>"),
        )
        + f"\n{SPREAD}",
        "%g = "
        + FOR.format("%none", T, f"%t, %u = {LOAD.format('%c')}\n%z = addf %s, %t : {T}", "%z", T)
        + f"\n%v = {SUM.format('%g')}{SPREAD}",
    ),
    "print-in-loop": (
        f"{ONE}%r = "
        + FOR.format("%none", T, f'%g = print_tko "x"  -> token\n%z = addf %s, %t : {T}', "%z", T)
        + "\n",
        f"{ONE}%r = " + FOR.format("%none", T, f"%z = addf %s, %t : {T}", "%z", T) + "\n",
    ),
    "integer-division": (
        (
            f"{ONE}%e = iota : tile<4096xi32>\n%d0 = reshape %m : tile<i32> -> tile<1xi32>\n"
            "%d = broadcast %d0 : tile<1xi32> -> tile<4096xi32>\n"
            "%f = remi %e, %d signed : tile<4096xi32>\n"
            f"%g = itof %f signed : tile<4096xi32> -> {T}\n"
            f"%r = addf %g, %t : {T}\n"
        ),
        (
            f"{ONE}%e = iota : tile<4096xi32>\n%d = constant <i32: 64> : tile<4096xi32>\n"
            f"%f = remi %e, %d unsigned : tile<4096xi32>\n"
            f"%g = itof %f signed : tile<4096xi32> -> {T}\n%r = addf %g, %t : {T}\n"
        ),
    ),
}
"""Rule -> what a kernel computes `%r` by, with the weakness, and without."""


def advice(body: str) -> list[Finding]:
    text = f"{HEAD}{body}%st = {STORE.format('%r')}\nreturn }} }}"
    return advise(tileir.assemble(text, name="kernel.mlir"), "sm_90", ptxas=False)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", WEAK)
def test_a_weakness_is_found_until_it_is_undone(rule: str) -> None:
    weak, better = WEAK[rule]
    found = [each for each in advice(weak) if each.rule == rule]
    assert found
    assert all(each.after < each.before and each.location is not None for each in found)
    assert rule not in {each.rule for each in advice(better)}
