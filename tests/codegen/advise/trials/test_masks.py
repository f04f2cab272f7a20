"""Masks of loops: those that only the first or last iterations need, as NumPy says of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tileir
from tests.advised import advise
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.masks import UNMASKED, mask_of
from tileir.ir import Op

T, B = "tile<64xf32>", "tile<64xi1>"
ITERATIONS, LIMIT = 8, 300
IOTA = np.arange(64)
MASKED = "%w = select %q, %t, %minus : {B}, {T}"
OTHER_WAY = "%w = select %q, %minus, %t : {B}, {T}"
ADDED = "%v = select %q, %nil, %minus : {B}, {T}\n%w = addf %t, %v : {T}"


def compared(predicate: str, left: str = "%at", right: str = "%l", result: str = "%q") -> str:
    return f"{result} = cmpi {predicate} {left}, {right}, signed : tile<64xi32> -> {B}\n"


WINDOW = (
    compared("less_than", result="%q0")
    + "%low = subi %l, %width : tile<64xi32>\n"
    + compared("greater_than_or_equal", right="%low", result="%q1")
    + f"%q = andi %q0, %q1 : {B}\n"
)
Held = Callable[[int], np.ndarray]
NEEDED: dict[str, tuple[str, str, Held]] = {
    "the end of an array": (compared("less_than"), MASKED, lambda c: 64 * c + IOTA < LIMIT),
    "the other way round": (
        compared("greater_than", "%l", "%at"),
        MASKED,
        lambda c: 64 * c + IOTA < LIMIT,
    ),
    "what is not wanted": (
        compared("greater_than_or_equal"),
        OTHER_WAY,
        lambda c: 64 * c + IOTA < LIMIT,
    ),
    "added": (compared("less_than_or_equal"), ADDED, lambda c: 64 * c + IOTA <= LIMIT),
    "the first ones": (compared("greater_than"), MASKED, lambda c: 64 * c + IOTA > LIMIT),
    "down": (
        "%down = subi %l, %at : tile<64xi32>\n"
        + compared("greater_than_or_equal", "%down", "%zeros"),
        MASKED,
        lambda c: LIMIT - 64 * c - IOTA >= 0,
    ),
    "without the first lane, which each iteration masks": (
        compared("less_than", result="%q0")
        + compared("greater_than", "%lanes", "%zeros", "%q1")
        + f"%q = andi %q0, %q1 : {B}\n",
        MASKED,
        lambda c: 64 * c + IOTA < LIMIT,
    ),
    "a window": (WINDOW, MASKED, lambda c: np.abs(64 * c + IOTA - LIMIT + 100.5) < 100.5),
}
OTHERS = {
    "rows": (compared("less_than", "%lanes"), MASKED),
    "equal": (compared("equal"), MASKED),
    "both grow": (compared("less_than", "%at", "%at"), MASKED),
    "data": (compared("less_than", "%at", "%data"), MASKED),
    "data, too": (
        compared("less_than", result="%q0")
        + compared("less_than", "%lanes", "%data", "%q1")
        + f"%q = andi %q0, %q1 : {B}\n",
        MASKED,
    ),
    "one or the other": (
        compared("less_than", result="%q0")
        + compared("less_than", "%lanes", result="%q1")
        + f"%q = ori %q0, %q1 : {B}\n",
        MASKED,
    ),
    "two tiles": (compared("less_than"), "%w = select %q, %t, %s : {B}, {T}"),
    "two numbers": (compared("less_than"), "%w = select %q, %nil, %minus : {B}, {T}"),
    "carried": ("", "%w = select %carried, %t, %minus : {B}, {T}"),
}


SUM = """%x0 = maxf %s, %w : {T}
      %h = reduce %w dim=0 identities=[0.0 : f32] : {T} -> tile<f32>
        (%e: tile<f32>, %f: tile<f32>) {{ %g = addf %e, %f : tile<f32>  yield %g : tile<f32> }}"""


def kernel(condition: str, masked: str, loops: int = 1) -> str:
    body = f"""
      %a = muli %c, %wide : tile<i32>
      %b = reshape %a : tile<i32> -> tile<1xi32>
      %d = broadcast %b : tile<1xi32> -> tile<64xi32>
      %at = addi %d, %lanes : tile<64xi32>
      %p = offset %xs, %at : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      %t, %u = load_ptr_tko weak %p : tile<64xptr<f32>> -> {T}, token
      %data = ftoi %t signed : {T} -> tile<64xi32>
      {condition}{masked.format(T=T, B=B)}
      {SUM.format(T=T)}
      continue %x0, %carried : {T}, {B} }}"""
    loop = (
        "%r{n}, %z{n} = for %c in (%zero to %eight, step %one) : tile<i32> "
        f"iter_values(%s = %nil, %carried = %some) -> ({T}, {B}) {{{{{{body}}"
    )
    text = "\n".join(loop.format(n=n, body=body) for n in range(loops))
    return f"""cuda_tile.module @m {{ entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>,
        %limit: tile<i32>) {{
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %eight = constant <i32: {ITERATIONS}> : tile<i32>
      %wide = constant <i32: 64> : tile<i32>
      %width = constant <i32: 200> : tile<64xi32>
      %zeros = constant <i32: 0> : tile<64xi32>
      %nil = constant <f32: 0.0> : {T}
      %minus = constant <f32: -1.0> : {T}
      %some = constant <i1: 1> : {B}
      %lanes = iota : tile<64xi32>
      %l0 = reshape %limit : tile<i32> -> tile<1xi32>
      %l = broadcast %l0 : tile<1xi32> -> tile<64xi32>
      %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
      %xs = broadcast %x1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %y1 = reshape %y : tile<ptr<f32>> -> tile<1xptr<f32>>
      %y2 = broadcast %y1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
      %ys = offset %y2, %lanes : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
      {text}
      %st = store_ptr_tko weak %ys, %r0 : tile<64xptr<f32>>, {T} -> token
      return }} }}"""


def select(text: str) -> Op:
    ops = tileir.assemble(text).functions[0].walk()
    return next(op for op in ops if op.name == "select")


@pytest.mark.parametrize(("condition", "masked", "held"), NEEDED.values(), ids=NEEDED)
def test_the_iterations_that_need_a_mask(condition: str, masked: str, held: Held) -> None:
    found = mask_of(select(kernel(condition, masked)))
    assert found is not None
    masks = [not held(c).all() for c in range(ITERATIONS)]
    middle = masks.index(False), ITERATIONS - masks[::-1].index(False)
    needed = {"first": any(masks[: middle[0]]), "last": any(masks[middle[1] :])}
    assert not any(masks[slice(*middle)])
    assert found.needed == tuple(which for which, is_so in needed.items() if is_so)


@pytest.mark.parametrize(("condition", "masked"), OTHERS.values(), ids=OTHERS)
def test_masks_that_every_iteration_may_need(condition: str, masked: str) -> None:
    assert mask_of(select(kernel(condition, masked))) is None


def test_a_loop_that_has_been_split() -> None:
    condition, masked, _ = NEEDED["the end of an array"]
    assert mask_of(select(kernel(condition, masked, loops=2))) is None


@pytest.mark.parametrize("case", NEEDED)
def test_without_its_mask_an_iteration_is_one_of_those_in_the_middle(case: str) -> None:
    """Where the mask holds everywhere, the kernel computes the same without it."""
    condition, masked, held = NEEDED[case]
    middle = [c for c in range(ITERATIONS) if held(c).all()]
    text = kernel(condition, masked)
    text = text.replace("%zero = constant <i32: 0>", f"%zero = constant <i32: {middle[0]}>")
    text = text.replace(f"<i32: {ITERATIONS}>", f"<i32: {middle[-1] + 1}>")
    copy = Original(tileir.assemble(text)).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == "select"]
    (fix,) = UNMASKED.edit(copy, [Site("k", number)]).values()
    assert fix.startswith("split the loop, and mask in the ")
    x = np.random.default_rng(1).standard_normal(64 * ITERATIONS).astype(np.float32)
    made, expected = np.zeros(64, np.float32), np.zeros(64, np.float32)
    tileir.compile(copy.module)["k"].launch((1,), [x, made, LIMIT])
    tileir.compile(tileir.assemble(text))["k"].launch((1,), [x, expected, LIMIT])
    assert expected.any()
    assert (made == expected).all()


def test_a_kernel_without_products_may_mask() -> None:
    text = kernel(WINDOW, ADDED)
    assert mask_of(select(text)) is not None
    found = advise(tileir.assemble(text), "sm_90", ptxas=False)
    assert "mask-in-loop" not in {each.rule for each in found}
