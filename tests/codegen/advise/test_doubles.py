"""The rule about f64 in between, where a single number of f64 comes from outside."""

from __future__ import annotations

import pytest

import tileir
from tests.advised import advise
from tileir.codegen.advise.finding import Finding

from .test_computing import FOR, HEAD, LOAD, ONE, STORE, T

D = "tile<4096xf64>"
GIVEN = HEAD.replace("%m: tile<i32>)", "%m: tile<i32>, %alpha: tile<f64>, %to: tile<ptr<f64>>)")
SPREAD = (
    f"%a0 = reshape %alpha : tile<f64> -> tile<1xf64>\n%a1 = broadcast %a0 : tile<1xf64> -> {D}\n"
)
WIDE = f"%d = ftof %t : {T} -> {D}\n"
NARROW = f"%r = ftof %f : {D} -> {T}\n"
STORED = "%p0 = store_ptr_tko weak %to, {} : tile<ptr<f64>>, tile<f64> -> token\n"
DOUBLE_SUM = (
    f"%h = reduce %d dim=0 identities=[0.0 : f64] : {D} -> tile<f64> "
    "(%p: tile<f64>, %q: tile<f64>) { %w = addf %p, %q : tile<f64>\n yield %w : tile<f64> }\n"
)

KNOWN = {
    "scaled": (f"{ONE}{SPREAD}{WIDE}%f = fma %a1, %d, %d : {D}\n{NARROW}", {"fma"}),
    "by what is computed once": (
        (
            f"%alpha2 = mulf %alpha, %alpha : tile<f64>\n"
            f"{ONE}{SPREAD.replace('%alpha', '%alpha2')}{WIDE}%f = mulf %a1, %d : {D}\n{NARROW}"
        ),
        {"mulf"},
    ),
    "a root and a sum": (
        f"{ONE}{SPREAD}{WIDE}%e = sqrt %d : {D}\n%f = addf %e, %a1 : {D}\n{NARROW}",
        {"addf", "sqrt"},
    ),
    "added up in a loop": (
        (
            f"%none64 = constant <f64: 0.0> : {D}\n{SPREAD}%f = "
            + FOR.format(
                *("%none64", D),
                f"%t, %u = {LOAD.format('%c')}\n{WIDE}%z = fma %a1, %d, %s : {D}",
                *("%z", D),
            )
            + f"\n{NARROW}"
        ),
        {"fma"},
    ),
}
"""What is computed -> how, and the ops that are told of."""

WANTED = {
    "a sum that is kept as f64": (
        f"{ONE}{WIDE}{DOUBLE_SUM}{STORED.format('%h')}%r = absf %t : {T}\n"
    ),
    "a sum of a loop that is kept as f64": (
        f"{ONE}%s0 = "
        + FOR.format(
            *("%alpha", "tile<f64>"),
            f"%b2, %u2 = {LOAD.format('%c')}\n%d = ftof %b2 : {T} -> {D}\n"
            f"{DOUBLE_SUM}%z = addf %s, %h : tile<f64>",
            *("%z", "tile<f64>"),
        )
        + f"\n{STORED.format('%s0')}%r = absf %t : {T}\n"
    ),
    "places that are computed by such numbers alone": (
        f"{ONE}{SPREAD}%e = iota : tile<4096xi32>\n%d = itof %e signed : tile<4096xi32> -> {D}\n"
        f"%f = mulf %a1, %d : {D}\n{NARROW.replace('%r', '%g')}%r = addf %g, %t : {T}\n"
    ),
    "a single number": (
        f"{ONE}%e = mulf %alpha, %alpha : tile<f64>\n%v = ftof %e : tile<f64> -> tile<f32>\n"
        f"%v0 = reshape %v : tile<f32> -> tile<1xf32>\n%v1 = broadcast %v0 : tile<1xf32> -> {T}\n"
        f"%r = mulf %v1, %t : {T}\n"
    ),
}
"""What f64 is wanted for, or costs nothing -> a kernel that does it."""


def told(body: str) -> list[Finding]:
    text = f"{GIVEN}{body}%st = {STORE.format('%r')}\nreturn }} }}"
    found = advise(tileir.assemble(text, name="kernel.mlir"), "sm_90", ptxas=False)
    return [each for each in found if each.rule == "f64-between-f32"]


@pytest.mark.parametrize("name", KNOWN)
def test_a_single_number_makes_f64_of_a_tile(name: str) -> None:
    body, ops = KNOWN[name]
    found = told(body)
    assert {each.op for each in found} == ops
    assert all(each.after == 0 < each.before for each in found)


@pytest.mark.parametrize("name", WANTED)
def test_f64_that_is_wanted_is_left_alone(name: str) -> None:
    assert not told(WANTED[name])


def test_the_number_to_convert_is_named() -> None:
    (found,) = told(KNOWN["scaled"][0])
    assert found.fix.startswith("convert parameter 3 (")
