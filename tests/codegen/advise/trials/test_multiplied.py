"""Sums of products that are matrix products: the product gives the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.advised import advise
from tests.codegen.advise.test_computing import HEAD, ONE, STORE, T
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Original
from tileir.codegen.advise.trials.multiplied import AS_PRODUCT

SHAPE = (4, 16, 32, 16)


def kernel(lhs: str, rhs: str, dim: int, kind: str = "f16") -> str:
    """Return a kernel that adds up products of two small shapes of 4096 elements of its tile.

    Whichever dimension it adds up along, the sums have 4096 elements, or some of them.
    """
    rest = [extent for d, extent in enumerate(SHAPE) if d != dim]
    sums, size = f"tile<{'x'.join(map(str, rest))}xf32>", int(np.prod(rest))
    full = f"tile<{'x'.join(map(str, SHAPE))}xf32>"
    lines = [f"%h = ftof %t : {T} -> tile<4096x{kind}>" if kind != "f32" else ""]
    given = "%h" if kind != "f32" else "%t"
    for name, shape in (("left", lhs), ("right", rhs)):
        count = int(np.prod([int(each) for each in shape.split("x")]))
        lines.append(f"%{name}z = constant <i32: 0> : tile<i32>")
        lines.append(
            f"%{name}0 = extract {given}[%{name}z] : tile<4096x{kind}> -> tile<{count}x{kind}>"
        )
        lines.append(f"%{name}1 = reshape %{name}0 : tile<{count}x{kind}> -> tile<{shape}x{kind}>")
        wide = f"%{name}2 = ftof %{name}1 : tile<{shape}x{kind}> -> tile<{shape}xf32>"
        lines.append(wide if kind != "f32" else "")
        last = f"%{name}2" if kind != "f32" else f"%{name}1"
        lines.append(f"%{name} = broadcast {last} : tile<{shape}xf32> -> {full}")
    lines += [
        f"%m1 = mulf %left, %right : {full}",
        f"%m2 = reduce %m1 dim={dim} identities=[0.0 : f32] : {full} -> {sums}",
        "(%p: tile<f32>, %q: tile<f32>) { %w = addf %p, %q : tile<f32>\nyield %w : tile<f32> }",
        f"%m3 = reshape %m2 : {sums} -> tile<{size}xf32>",
    ]
    if size < 4096:
        lines.append(f"%m4 = reshape %m3 : tile<{size}xf32> -> tile<1x{size}xf32>")
        lines.append(f"%m5 = broadcast %m4 : tile<1x{size}xf32> -> tile<{4096 // size}x{size}xf32>")
        lines.append(f"%r = reshape %m5 : tile<{4096 // size}x{size}xf32> -> {T}")
    else:
        lines.append("%mz = constant <i32: 0> : tile<i32>")
        lines.append(f"%r = extract %m3[%mz] : tile<{size}xf32> -> {T}")
    text = "\n".join(filter(None, lines))
    return f"{HEAD}{ONE}{text}\n%st = {STORE.format('%r')}\nreturn }} }}"


PRODUCTS = {
    "in a batch": ("4x16x32x1", "4x1x32x16", 2, "f16"),
    "turned around": ("4x1x32x16", "4x16x32x1", 2, "f16"),
    "of two dimensions of rows": ("4x16x32x1", "1x1x32x16", 2, "f16"),
    "summed last": ("4x16x1x16", "4x1x32x16", 3, "f16"),
    "in f32": ("4x16x32x1", "4x1x32x16", 2, "f32"),
}
OTHERS = {
    "dot products": ("4x16x32x1", "4x16x32x1", 2, "f16"),
    "products with a vector": ("4x16x32x1", "1x1x32x1", 2, "f16"),
    "a factor of the sum": ("4x16x32x1", "4x1x1x16", 2, "f16"),
}


@pytest.mark.parametrize("given", PRODUCTS.values(), ids=PRODUCTS)
def test_a_product_is_what_the_sums_are(given: tuple[str, str, int, str]) -> None:
    copy = Original(tileir.assemble(kernel(*given))).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == "reduce"]
    assert AS_PRODUCT.edit(copy, [Site("k", number)])
    assert {"mmaf"} <= {op.name for each in copy.module.functions for op in each.walk()}
    x = np.random.default_rng(1).integers(-4, 5, 4096).astype(np.float32)
    made, expected = np.zeros_like(x), np.zeros_like(x)
    tileir.compile(copy.module)["k"].launch((1,), [x, made, 4096])
    tileir.compile(tileir.assemble(kernel(*given)))["k"].launch((1,), [x, expected, 4096])
    assert expected.any()
    assert (made == expected).all()


@pytest.mark.parametrize("given", OTHERS.values(), ids=OTHERS)
def test_what_is_no_matrix_product(given: tuple[str, str, int, str]) -> None:
    copy = Original(tileir.assemble(kernel(*given))).copy()
    (number,) = [number for number, op in copy.ops.items() if op.name == "reduce"]
    assert not AS_PRODUCT.edit(copy, [Site("k", number)])


def test_a_batch_of_products_by_sums_is_found() -> None:
    text = kernel(*PRODUCTS["in a batch"])
    found = {each.rule: each for each in advise(tileir.assemble(text), "sm_90", ptxas=False)}
    assert "in f16 (mmaf), 4 at once" in found["product-by-sums"].fix
    assert found["product-by-sums"].after < found["product-by-sums"].before
