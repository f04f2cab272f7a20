"""Rules about what comes out, however it is written: each finds a weakness until it is undone."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.advised import advise
from tileir.bytecode import Bytecode
from tileir.codegen.advise import search
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.finding import Finding
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.loops import changed_sums
from tileir.codegen.advise.trials.products import SCALED_BEHIND
from tileir.codegen.advise.trials.views import AS_VIEWS

from .test_computing import FOR, HEAD, LOAD, ONE, SPREAD, STORE, SUM, T

AT = "tile<32xptr<f32>>"
PLACES = (
    "%c32 = iota : tile<32xi32>\n%a0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    f"%a1 = broadcast %a0 : tile<1xptr<f32>> -> {AT}\n"
    f"%at = offset %a1, %c32 : {AT}, tile<32xi32> -> {AT}\n"
    "%few = constant <f32: 1.5> : tile<32xf32>\n"
)
UPDATE = (
    f"atomic_rmw_tko relaxed device %at, {{}}, {{}} : {AT}, tile<32xf32> -> tile<32xf32>, token"
)
ORDERED = UPDATE.replace("relaxed device", "acq_rel sys").format("addf", "%few")
OTHER = (
    "%b0 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
    f"%b1 = broadcast %b0 : tile<1xptr<f32>> -> {AT}\n"
    f"%other = offset %b1, %c32 : {AT}, tile<32xi32> -> {AT}\n"
)
USED = (
    f"{OTHER}%otk = make_token : token\n"
    f"%used = store_ptr_tko weak %other, %o token=%otk : {AT}, tile<32xf32> -> token\n"
)
"""The old values are stored, in an order of its own."""
USED_IN_ORDER = USED.replace("%otk = make_token : token\n", "").replace("%otk", "%ot")
"""The same, in the order of memory."""
AFTER = (
    f"{OTHER}%stored = store_ptr_tko weak %other, %few : {AT}, tile<32xf32> -> token\n"
    f"%o, %ot = {ORDERED.replace(' : ', ' token=%fresh : ', 1)}\n"
)
"""An update that publishes the store, if `%fresh` is the store's token."""
AROUND = f"""%start = make_token : token
%last = for %c in (%zero to %n, step %one) : tile<i32> iter_values(%k0 = %start) -> (token) {{
  %d, %k1 = {LOAD.format("%c").replace(" : ", " token=%k0 : ", 1)}
  %o, %k2 = {ORDERED.replace(" : ", " token=%k1 : ", 1)}
  continue %k2 : token }}
"""
"""A loop of updates, each before the load of the next iteration."""
IN_BRANCH = f"""{ONE}%r = absf %t : {T}
for %c in (%zero to %n, step %one) : tile<i32> {{
  %few = constant <f32: 1.5> : tile<32xf32>
  %q = cmpi less_than %c, %i, signed : tile<i32> -> tile<i1>
  %x0 = if %q -> (tile<i32>) {{
    {PLACES.replace("%few", "%few1")}
    %o, %ot = {UPDATE.format("addf", "%few")}
    yield %one : tile<i32>
  }} else {{
    yield %zero : tile<i32>
  }}
  continue
}}
"""
"""Updates of the same places in the iterations that a condition holds for."""
STRONG = f"{OTHER}%stored = store_ptr_tko weak %other, %few : {AT}, tile<32xf32> -> token\n"
IN_LOOP = f"%t, %u = {LOAD.format('%c')}\n"


def loop(body: str, given: str = "%none", kind: str = T, name: str = "%r") -> str:
    """Return a loop whose body ends with what it carries, as `%z`."""
    return f"{name} = " + FOR.format(given, kind, body, "%z", kind) + "\n"


WEAK = {
    "turned there and back": (
        "cheaper-value",
        (
            f"{ONE}%t0 = reshape %t : {T} -> tile<64x64xf32>\n"
            "%t1 = permute %t0 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>\n"
            "%t2 = exp %t1 : tile<64x64xf32>\n%t3 = log %t2 : tile<64x64xf32>\n"
            "%t4 = permute %t3 [1, 0] : tile<64x64xf32> -> tile<64x64xf32>\n"
            f"%r = reshape %t4 : tile<64x64xf32> -> {T}\n"
        ),
        f"{ONE}%r = absf %t : {T}\n",
    ),
    "loaded through pointers again": (
        "cheaper-value",
        (
            f"{ONE}%e = iota : tile<4096xi32>\n%w0 = constant <i32: 4096> : tile<i32>\n"
            "%w1 = muli %i, %w0 : tile<i32>\n%w2 = reshape %w1 : tile<i32> -> tile<1xi32>\n"
            "%w3 = broadcast %w2 : tile<1xi32> -> tile<4096xi32>\n"
            "%w4 = addi %w3, %e : tile<4096xi32>\n"
            "%n0 = reshape %n : tile<i32> -> tile<1xi32>\n"
            "%n1 = broadcast %n0 : tile<1xi32> -> tile<4096xi32>\n"
            "%mask = cmpi less_than %w4, %n1, signed : tile<4096xi32> -> tile<4096xi1>\n"
            "%p0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
            "%p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<4096xptr<f32>>\n"
            "%p2 = offset %p1, %w4 : tile<4096xptr<f32>>, tile<4096xi32> -> tile<4096xptr<f32>>\n"
            "%d, %dt = load_ptr_tko weak %p2, %mask, %none : tile<4096xptr<f32>>, tile<4096xi1>, "
            f"{T} -> {T}, token\n%r = addf %t, %d : {T}\n"
        ),
        f"{ONE}%r = addf %t, %t : {T}\n",
    ),
    "scan for its last element": (
        "cheaper-value",
        (
            f"{ONE}%s = scan %t dim=0 reverse=false identities=[0.0 : f32] : {T} -> {T}\n"
            "(%p: tile<f32>, %q: tile<f32>) { %w = addf %p, %q : tile<f32>\n yield %w : tile<f32> }"
            "\n%last = constant <i32: 4095> : tile<i32>\n"
            f"%x0 = extract %s[%last] : {T} -> tile<1xf32>\n"
            f"%r = broadcast %x0 : tile<1xf32> -> {T}\n"
        ),
        f"{ONE}%v = {SUM.format('%t')}{SPREAD}",
    ),
    "root of a square": (
        "cheaper-value",
        f"{ONE}%e0 = mulf %t, %t : {T}\n%r = sqrt %e0 : {T}\n",
        f"{ONE}%r = absf %t : {T}\n",
    ),
    "a loop in vain": (
        "in-vain",
        (
            loop(f"{IN_LOOP}%z = addf %s, %t : {T}")
            + loop(f"{IN_LOOP}%h = exp %t : {T}\n%z = addf %s, %h : {T}", name="%v")
        ),
        loop(f"{IN_LOOP}%z = addf %s, %t : {T}"),
    ),
    "reduced in a loop": (
        "invariant-op",
        ONE + loop(f"%v = {SUM.format('%t')}{SPREAD.replace('%r', '%h')}%z = addf %s, %h : {T}"),
        f"{ONE}%v = {SUM.format('%t')}{SPREAD.replace('%r', '%h')}"
        + loop(f"%z = addf %s, %h : {T}"),
    ),
    "divided before it is added up": (
        "change-before-sum",
        loop(
            f"{IN_LOOP}%h = constant <f32: 3.0> : {T}\n%g = divf %t, %h : {T}\n"
            f"%z = addf %s, %g : {T}"
        ),
        loop(f"{IN_LOOP}%z = addf %s, %t : {T}"),
    ),
    "updated in a loop": (
        "atomic-in-loop",
        (
            f"{ONE}{PLACES}%r = absf %t : {T}\n"
            "for %c in (%zero to %n, step %one) : tile<i32> {\n"
            f"%o, %ot = {UPDATE.format('addf', '%few')}\ncontinue }}\n"
        ),
        f"{ONE}{PLACES}%r = absf %t : {T}\n%o, %ot = {UPDATE.format('addf', '%few')}\n",
    ),
    "updated in a branch of a loop": (
        "atomic-in-loop",
        IN_BRANCH,
        f"{ONE}{PLACES}%r = absf %t : {T}\n%o, %ot = {UPDATE.format('addf', '%few')}\n",
    ),
    "loaded through pointers": (
        "pointers-for-view",
        (
            "%e = iota : tile<4096xi32>\n%w0 = constant <i32: 4096> : tile<i32>\n"
            "%w1 = muli %i, %w0 : tile<i32>\n%w2 = reshape %w1 : tile<i32> -> tile<1xi32>\n"
            "%w3 = broadcast %w2 : tile<1xi32> -> tile<4096xi32>\n"
            "%w4 = addi %w3, %e : tile<4096xi32>\n"
            "%n0 = reshape %m : tile<i32> -> tile<1xi32>\n"
            "%n1 = broadcast %n0 : tile<1xi32> -> tile<4096xi32>\n"
            "%mask = cmpi less_than %w4, %n1, signed : tile<4096xi32> -> tile<4096xi1>\n"
            "%p0 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>\n"
            "%p1 = broadcast %p0 : tile<1xptr<f32>> -> tile<4096xptr<f32>>\n"
            "%p2 = offset %p1, %w4 : tile<4096xptr<f32>>, tile<4096xi32> -> tile<4096xptr<f32>>\n"
            "%d, %dt = load_ptr_tko weak %p2, %mask, %none : tile<4096xptr<f32>>, tile<4096xi1>, "
            f"{T} -> {T}, token\n%r = absf %d : {T}\n"
        ),
        f"{ONE}%r = absf %t : {T}\n",
    ),
    "exchanged for nothing": (
        "exchange-as-store",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = {UPDATE.format('xchg', '%few')}\n",
        (
            f"{ONE}%r = absf %t : {T}\n{PLACES}"
            f"%ot = store_ptr_tko weak %at, %few : {AT}, tile<32xf32> -> token\n"
        ),
    ),
    "added to one place by each": (
        "atomics-to-one-place",
        (
            f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = "
            f"{UPDATE.format('addf', '%few').replace('%at', '%a1')}\n"
        ),
        (
            f"{ONE}%r = absf %t : {T}\n%few = constant <f32: 48.0> : tile<f32>\n%o, %ot = "
            "atomic_rmw_tko relaxed device %a, addf, %few : tile<ptr<f32>>, tile<f32> -> "
            "tile<f32>, token\n"
        ),
    ),
    "updated in an order that nothing needs": (
        "ordered-atomic",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = {ORDERED}\n",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = {UPDATE.format('addf', '%few')}\n",
    ),
    "updated in an order, and the old values are used": (
        "ordered-atomic",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = {ORDERED}\n{USED}",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%o, %ot = {ORDERED}\n{USED_IN_ORDER}",
    ),
    "updated in an order that comes around, and nobody wants the old values": (
        "ordered-atomic",
        f"{ONE}{PLACES}%r = absf %t : {T}\n{AROUND}",
        f"{ONE}{PLACES}%r = absf %t : {T}\n{AROUND.replace('acq_rel sys', 'relaxed sys')}",
    ),
    "updated in an order behind a store": (
        "ordered-atomic",
        f"{ONE}%r = absf %t : {T}\n{PLACES}%fresh = make_token : token\n{AFTER}",
        f"{ONE}%r = absf %t : {T}\n{PLACES}{AFTER.replace('%fresh', '%stored')}",
    ),
    "stored strongly": (
        "strong-order",
        f"{ONE}%r = absf %t : {T}\n{PLACES}{STRONG.replace('weak', 'release device')}",
        f"{ONE}%r = absf %t : {T}\n{PLACES}{STRONG}",
    ),
    "multiplied and added up": (
        "product-by-sums",
        (
            f"{ONE}%t0 = ftof %t : {T} -> tile<4096xf16>\n"
            "%t1 = reshape %t0 : tile<4096xf16> -> tile<64x64x1xf16>\n"
            "%t2 = broadcast %t1 : tile<64x64x1xf16> -> tile<64x64x64xf16>\n"
            "%t3 = reshape %t0 : tile<4096xf16> -> tile<1x64x64xf16>\n"
            "%t4 = broadcast %t3 : tile<1x64x64xf16> -> tile<64x64x64xf16>\n"
            "%t5 = mulf %t2, %t4 : tile<64x64x64xf16>\n"
            "%t6 = reduce %t5 dim=1 identities=[0.0 : f16] : tile<64x64x64xf16> -> tile<64x64xf16>"
            "\n(%p: tile<f16>, %q: tile<f16>) { %w = addf %p, %q : tile<f16>\n yield %w : "
            "tile<f16> }\n%t7 = ftof %t6 : tile<64x64xf16> -> tile<64x64xf32>\n"
            f"%r = reshape %t7 : tile<64x64xf32> -> {T}\n"
        ),
        f"{ONE}%r = absf %t : {T}\n",
    ),
}
"""Weakness -> the rule that finds it, a kernel that computes `%r` with it, and one without."""


def module(body: str) -> Bytecode:
    text = f"{HEAD}{body}%st = {STORE.format('%r')}\nreturn }} }}"
    return tileir.assemble(text, name="kernel.mlir")


def advice(body: str) -> list[Finding]:
    return advise(module(body), "sm_90", ptxas=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WEAK)
def test_a_weakness_is_found_until_it_is_undone(name: str) -> None:
    rule, weak, better = WEAK[name]
    found = [each for each in advice(weak) if each.rule == rule]
    assert found
    assert all(each.gain > 0 and each.location is not None for each in found)
    assert rule not in {each.rule for each in advice(better)}


A, B, C = "tile<64x32xf16>", "tile<32x64xf16>", "tile<64x64xf32>"
SUMMED = f"""
cuda_tile.module @m {{ entry @main(%p: tile<ptr<f16>>, %o: tile<ptr<f32>>, %n: tile<i32>) {{
  %a = assume div_by<16>, %p : tile<ptr<f16>>
  %ad = make_tensor_view %a, shape = [64, 4096], strides = [4096, 1]
      : tensor_view<64x4096xf16, strides=[4096,1]>
  %av = make_partition_view %ad
      : partition_view<tile=(64x32), tensor_view<64x4096xf16, strides=[4096,1]>>
  %bv = make_partition_view %ad
      : partition_view<tile=(32x64), tensor_view<64x4096xf16, strides=[4096,1]>>
  %d = make_tensor_view %o, shape = [64, 64], strides = [64, 1]
      : tensor_view<64x64xf32, strides=[64,1]>
  %s = make_partition_view %d : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %none = constant <f32: 0.0> : {C}
  %r = for %c in (%zero to %n, step %one) : tile<i32> iter_values(%sum = %none) -> ({C}) {{
    %x, %xt = load_view_tko weak %av[%zero, %c] : partition_view<tile=(64x32),
        tensor_view<64x4096xf16, strides=[4096,1]>>, tile<i32> -> {A}, token
    %y, %yt = load_view_tko weak %bv[%zero, %c] : partition_view<tile=(32x64),
        tensor_view<64x4096xf16, strides=[4096,1]>>, tile<i32> -> {B}, token
    BODY
    continue %z : {C}
  }}
  %st = store_view_tko weak %r, %s[%zero, %zero] : {C}, partition_view<tile=(64x64),
      tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return }} }}"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"%q = mmaf %x, %y, %none : {A}, {B}, {C}\n%z = addf %sum, %q : {C}", ["mmaf"]),
        (f"%q = mmaf %x, %y, %sum : {A}, {B}, {C}\n%z = addf %none, %q : {C}", []),
        (f"%z = mmaf %x, %y, %sum : {A}, {B}, {C}", []),
    ],
)
def test_products_add_to_the_sum_themselves(body: str, found: list[str]) -> None:
    text = SUMMED.replace("BODY", body)
    told = advise(tileir.assemble(text), "sm_90", ptxas=False)
    assert [each.op for each in told if each.rule == "sum-beside-product"] == found


_WIDE = A.replace("f16", "f32")
_ALONG_N = """%w = itof %m signed : tile<i32> -> tile<f16>
    %v = reshape %w : tile<f16> -> tile<1x1xf16>
    %f = broadcast %v : tile<1x1xf16> -> """
_ROWS = (
    f"%v = constant <f16: [{', '.join(f'[{2.0 ** (row % 4)}]' for row in range(64))}]> : "
    f"tile<64x1xf16>\n%f = broadcast %v : tile<64x1xf16> -> {A}\n"
)
"""A factor that differs from row to row."""
_SUM = f"%z = mmaf %k, %y, %sum : {A}, {B}, {C}"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{_ALONG_N}{A}\n%k = mulf %f, %x : {A}\n{_SUM}", ["mulf"]),
        (f"%f = constant <f16: 0.5> : {A}\n%k = divf %x, %f : {A}\n{_SUM}", ["divf"]),
        (
            (
                f"%f = constant <f32: 0.5> : {_WIDE}\n%u = ftof %x : {A} -> {_WIDE}\n"
                f"%g = mulf %u, %f : {_WIDE}\n%k = ftof %g : {_WIDE} -> {A}\n{_SUM}"
            ),
            ["mulf"],
        ),
        (
            f"{_ALONG_N}{B}\n%g = mulf %y, %f : {B}\n%z = mmaf %x, %g, %sum : {A}, {B}, {C}",
            ["mulf"],
        ),
        (f"{_ROWS}%k = mulf %x, %f : {A}\n{_SUM}", ["mulf"]),
        (f"{_ALONG_N}{A}\n%k = divf %f, %x : {A}\n{_SUM}", []),  # its operand is the divisor
        (f"{_ALONG_N.replace('%m', '%c')}{A}\n%k = mulf %f, %x : {A}\n{_SUM}", []),  # it changes
        (
            (
                f"%f = iota : tile<32xi16>\n%h = itof %f signed : tile<32xi16> -> tile<32xf16>\n"
                f"%i = reshape %h : tile<32xf16> -> tile<1x32xf16>\n"
                f"%j = broadcast %i : tile<1x32xf16> -> {A}\n%k = mulf %x, %j : {A}\n{_SUM}"
            ),
            [],  # it changes along K
        ),
        (
            (
                f"{_ALONG_N}{A}\n%k = mulf %f, %x : {A}\n{_SUM.replace('%z', '%q')}\n"
                f"%z = addf %q, %q : {C}"
            ),
            [],
        ),  # the sum is not only added up
    ],
)
def test_sums_are_scaled_not_their_operands(body: str, found: list[str]) -> None:
    text = SUMMED.replace("BODY", body).replace("%n: tile<i32>", "%n: tile<i32>, %m: tile<i32>")
    told = advise(tileir.assemble(text), "sm_90", ptxas=False)
    assert [each.op for each in told if each.rule == "scaled-operand"] == found


_BY_M = "if the rounding and the range of the sum allow it and the {}"


@pytest.mark.parametrize("trips", [0, 4])
@pytest.mark.parametrize(
    ("body", "condition"),
    [
        (f"{_ALONG_N}{A}\n%k = mulf %f, %x : {A}\n{_SUM}", _BY_M.format("factor is finite")),
        (f"{_ALONG_N}{A}\n%k = divf %x, %f : {A}\n{_SUM}", _BY_M.format("divisor is not 0")),
        (f"{_ROWS}%k = mulf %x, %f : {A}\n{_SUM}", _BY_M.format("factor is finite")),
        (f"%f = constant <f16: 0.5> : {A}\n%k = divf %x, %f : {A}\n{_SUM}", "of the sum allow it"),
        (
            (
                f"%f = constant <f32: 0.5> : {_WIDE}\n%u = ftof %x : {A} -> {_WIDE}\n"
                f"%g = mulf %u, %f : {_WIDE}\n%k = ftof %g : {_WIDE} -> {A}\n{_SUM}"
            ),
            "of the sum allow it",
        ),
        (
            f"{_ALONG_N}{B}\n%g = mulf %y, %f : {B}\n%z = mmaf %x, %g, %sum : {A}, {B}, {C}",
            _BY_M.format("factor is finite"),
        ),
    ],
)
def test_a_sum_that_is_scaled_is_what_the_scaled_operands_gave(
    body: str, condition: str, trips: int
) -> None:
    """Powers of two, so that no rounding tells them apart."""
    text = SUMMED.replace("BODY", body).replace("%n: tile<i32>", "%n: tile<i32>, %m: tile<i32>")
    bytecode = tileir.assemble(text)
    copy = Original(bytecode).copy()
    (product,) = [number for number, op in copy.ops.items() if op.name in ("mulf", "divf")]
    (told,) = SCALED_BEHIND.edit(copy, [Site("main", product)]).values()
    assert told.endswith(condition)
    given = np.random.default_rng(1).integers(-4, 4, (64, 4096)).astype(np.float16)
    results = []
    for each in (bytecode, copy.module):
        results.append(np.zeros((64, 64), np.float32))
        tileir.compile(each)["main"].launch((1,), [given, results[-1], trips, 2])
    assert results[0].any() == bool(trips)
    assert (results[0] == results[1]).all()


_H = C.replace("f32", "f16")


@pytest.mark.parametrize(
    ("before", "behind", "found"),
    [
        (f"%h = constant <f32: 0.5> : {C}\n%q = mulf %sum, %h : {C}", "divf %e, %h", True),
        (
            (
                f"%h = constant <f32: 0.5> : {C}\n%w = constant <f32: 2.0> : {C}\n"
                f"%q = mulf %sum, %h : {C}"
            ),
            "mulf %e, %w",
            True,
        ),
        (f"%h = constant <f32: 0.5> : {C}\n%q = mulf %sum, %h : {C}", "mulf %e, %h", False),
        (f"%h = constant <f32: 0.5> : {C}\n%q = mulf %sum, %h : {C}", "", False),
        (f"%h = constant <f32: 0.5> : {C}\n%q = ftof %g : {_H} -> {C}", "ftof", True),
    ],
    ids=["undone", "halved and doubled", "scaled twice", "scaled", "rounded"],
)
def test_sums_that_are_changed_for_good_are_left(before: str, behind: str, found: bool) -> None:
    """s * a + p has other weights than any scale behind the loop could give."""
    text = SUMMED
    if behind == "ftof":
        text = text.replace("iter_values(%sum = %none)", "iter_values(%g = %narrow)")
        text = text.replace(f"-> ({C})", f"-> ({_H})").replace(
            f"continue %z : {C}", f"continue %z : {_H}"
        )
        text = text.replace("%r = for", f"%narrow = constant <f16: 0.0> : {_H}\n  %rn = for")
        text = text.replace("%st =", f"%r = ftof %rn : {_H} -> {C}\n  %st =")
        last = f"%z = ftof %e : {C} -> {_H}"
    else:
        last = f"%z = {behind} : {C}" if behind else ""
    product = "%e" if last else "%z"
    body = f"{before}\n{product} = mmaf %x, %y, %q : {A}, {B}, {C}\n{last}"
    (op,) = [
        op
        for op in tileir.assemble(text.replace("BODY", body)).functions[0].walk()
        if op.name == "mmaf"
    ]
    assert bool(changed_sums(op)) is found


def test_what_is_made_wider_is_not_added_up_before() -> None:
    """Sums of f16 have fewer digits than sums of f32."""
    narrow = T.replace("f32", "f16")
    found = advice(
        loop(
            f"{IN_LOOP}%h = ftof %t : {T} -> {narrow}\n%g = ftof %h : {narrow} -> {T}\n"
            f"%z = addf %s, %g : {T}"
        )
    )
    assert "change-before-sum" not in {each.rule for each in found}


def test_what_is_not_tried_one_by_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites of a rule, each of which is a trial of its own, may be too many."""
    rule, weak, _ = WEAK["divided before it is added up"]
    monkeypatch.setattr(search, "ALONE", 0)
    found = search.advice(module(weak), "sm_90", ptxas=False)
    (untried,) = found.untried.values()
    assert rule in untried
    assert rule not in {each.rule for each in found.findings}


def test_a_view_has_the_tile_of_the_pointers() -> None:
    """Of two and a half tiles; what the mask leaves out is zero in both kernels."""
    copy = Original(module(WEAK["loaded through pointers"][1])).copy()
    (load,) = [number for number, op in copy.ops.items() if op.name == "load_ptr_tko"]
    assert AS_VIEWS.edit(copy, [Site("k", load)])
    given = np.arange(-4096, 6144, dtype=np.float32)
    made = np.zeros_like(given)
    tileir.compile(copy.module)["k"].launch((3,), [given, made, len(given)])
    assert "load_ptr_tko" not in {op.name for each in copy.module.functions for op in each.walk()}
    assert (made == abs(given)).all()
