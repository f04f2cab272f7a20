"""Reductions and scans as folds within warps: on the emulator, and the memory that they take."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.block.kernels_by_hand import BlockKernel, frag
from tests.codegen.build import tile
from tests.codegen.nvptx.passes.finished import body_of, finish, names, tile_op
from tileir.codegen.layouts.linear_layout import (
    LinearLayout,
    along,
    blocked,
    dim_bits,
    for_scan,
)
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.codegen.nvptx.passes.expand_slices import tile_of
from tileir.ir import Value
from tileir.ir.locations import File

THREADS = 128


def dropped(layout: LinearLayout, shape: tuple[int, ...], dim: int) -> LinearLayout:
    """The layout of what a reduction leaves."""
    low, count = dim_bits(shape, dim)
    mask = (1 << count) - 1 << low
    return layout.without(mask).compose(images_without(layout.bits, mask))


CASES = [
    ((16, 64), 1, along((16, 64), (0, 1), 4, THREADS)),
    ((16, 64), 0, along((16, 64), (0, 1), 4, THREADS)),
    ((1024,), 0, blocked(1024, 2, THREADS)),
    ((8, 128), 1, along((8, 128), (1, 0), 1, THREADS)),
    ((4, 1, 64), 1, along((4, 1, 64), (0, 1, 2), 1, THREADS)),
    ((32,), 0, blocked(32, 1, THREADS)),
]


@pytest.mark.parametrize(("shape", "dim", "layout"), CASES)
def test_a_sum(shape: tuple[int, ...], dim: int, layout: LinearLayout) -> None:
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], shape, layout)
    wanted = tuple(extent for number, extent in enumerate(shape) if number != dim)
    kind = tile_of(value.type, wanted, dropped(layout, shape, dim))
    region = body_of(kernel, [tile("i32")], lambda a, b: [kernel.add(a, b)])
    (total,) = tile_op(
        kernel, "reduce", [kind], [region], {"dim": dim, "identities": ()}, operands=(value,)
    )
    kernel.store(kernel.parameters[1], total)
    finish(kernel)
    array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) % 977
    found = np.zeros(wanted or 1, np.int32)
    kernel.run(array, found)
    assert (found == array.sum(dim)).all()


@pytest.mark.parametrize(("shape", "dim", "layout"), CASES)
def test_a_body_that_does_not_commute(
    shape: tuple[int, ...], dim: int, layout: LinearLayout
) -> None:
    """Affine maps mod 2^32 do not commute: the later one (the first operand) is applied last."""
    kernel = BlockKernel(*["ptr<i32>"] * 4, threads=THREADS)
    values = tuple(kernel.load(base, shape, layout) for base in kernel.parameters[:2])
    wanted = tuple(extent for number, extent in enumerate(shape) if number != dim)
    kind = tile_of(values[0].type, wanted, dropped(layout, shape, dim))

    def composed(a: Value, b: Value, shift: Value, other: Value) -> list[Value]:
        moved = kernel.binary("muli", a, other, overflow="none")
        return [kernel.binary("muli", a, b, overflow="none"), kernel.add(moved, shift)]

    region = body_of(kernel, [tile("i32")] * 2, composed)
    results = tile_op(
        kernel, "reduce", [kind] * 2, [region], {"dim": dim, "identities": ()}, operands=values
    )
    for pointer, result in zip(kernel.parameters[2:], results, strict=True):
        kernel.store(pointer, result)
    finish(kernel)
    rng = np.random.default_rng(5)
    factors, shifts = (rng.integers(0, 99, shape).astype(np.uint32) for _ in range(2))
    found = [np.zeros(wanted or 1, np.uint32) for _ in range(2)]
    kernel.run(factors.view(np.int32), shifts.view(np.int32), *(f.view(np.int32) for f in found))
    total, shift = np.ones(wanted, np.uint32), np.zeros(wanted, np.uint32)
    with np.errstate(over="ignore"):
        for a, b in zip(np.moveaxis(factors, dim, 0), np.moveaxis(shifts, dim, 0), strict=True):
            total, shift = total * a, shift * a + b
    assert (found[0] == total).all()
    assert (found[1] == shift).all()


def test_warps_exchange_their_sums_once_by_vectors() -> None:
    """As many stores as results a thread has, and one load of four sums for each."""
    layout = along((4, 512), (0, 1), 4, THREADS)
    kernel = BlockKernel("ptr<f32>", "ptr<f32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (4, 512), layout)
    kind = tile_of(value.type, (4,), dropped(layout, (4, 512), 1))

    def summed(a: Value, b: Value) -> list[Value]:
        return [kernel.binary("addf", a, b, rounding_mode="nearest_even")]

    region = body_of(kernel, [tile("f32")], summed)
    (total,) = tile_op(
        kernel, "reduce", [kind], [region], {"dim": 1, "identities": ()}, operands=(value,)
    )
    kernel.store(kernel.parameters[1], total)
    body = finish(kernel)
    assert names(body) == [
        "fold", "shared_alloc", "store_shared", "barrier", "load_shared", "fold",
    ]  # fmt: skip
    array = np.random.default_rng(1).standard_normal((4, 512)).astype(np.float32)
    found = np.zeros(4, np.float32)
    text = kernel.run(array, found)
    np.testing.assert_allclose(found, array.sum(1), rtol=1e-4, atol=1e-4)
    assert text.count("st.shared.b32") == 4
    assert text.count("ld.shared.v4.b32") == 4
    assert text.count("shfl") == 4 * 5


SCANS = [((1024,), 0), ((16, 64), 0), ((16, 64), 1), ((2, 8), 1), ((4, 512), 1), ((8, 1), 1)]


@pytest.mark.parametrize("case", SCANS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("neutral", [False, True])
def test_scans(case: tuple[tuple[int, ...], int], reverse: bool, neutral: bool) -> None:
    """`a + b`, whose neutral element is known, and `a + b + 1`, of which no neutral is known."""
    shape, dim = case
    layout = for_scan(shape, dim, THREADS)
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], shape, layout)

    def summed(a: Value, b: Value) -> list[Value]:
        total = kernel.add(a, b)
        if neutral:
            return [total]
        return [kernel.add(total, kernel.constant("i32", 1))]

    region = body_of(kernel, [tile("i32")], summed)
    (result,) = tile_op(
        kernel, "scan", [value.type], [region],
        {"dim": dim, "identities": (), "reverse": reverse}, operands=(value,),
    )  # fmt: skip
    kernel.store(kernel.parameters[1], result)
    finish(kernel)
    array = np.random.default_rng(2).integers(-99, 99, shape).astype(np.int32)
    found = np.zeros_like(array)
    kernel.run(array, found)
    given = np.flip(array, dim) if reverse else array
    expected = np.cumsum(given + (not neutral), dim) - (not neutral)
    assert (found == (np.flip(expected, dim) if reverse else expected)).all()


def test_a_scan_of_several_operands_shares_a_barrier() -> None:
    layout = for_scan((1024,), 0, THREADS)
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    values = tuple(kernel.load(base, (1024,), layout) for base in kernel.parameters)
    region = body_of(
        kernel, [tile("i32")] * 2, lambda a, b, c, d: [kernel.add(a, b), kernel.add(c, d)]
    )
    results = tile_op(
        kernel, "scan", [value.type for value in values], [region],
        {"dim": 0, "identities": (), "reverse": False}, operands=values,
    )  # fmt: skip
    for pointer, result in zip(kernel.parameters, results, strict=True):
        kernel.store(pointer, result)
    body = finish(kernel)
    assert names(body).count("barrier") == 1
    arrays = [np.arange(1024, dtype=np.int32), np.ones(1024, np.int32)]
    expected = [each.cumsum() for each in arrays]
    text = kernel.run(*arrays)
    assert (arrays[0] == expected[0]).all()
    assert (arrays[1] == expected[1]).all()
    assert text.count("st.shared.b32") == 2
    assert text.count("ld.shared.v4.b32") == 2


def test_results_are_converted_to_the_layout_that_they_have() -> None:
    layout, other = blocked(1024, 2, THREADS), blocked(1024, 1, THREADS)
    scanned = for_scan((1024,), 0, THREADS)
    kernel = BlockKernel("ptr<i32>", "ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (1024,), layout)
    value = kernel.op("convert_layout", [frag("1024xi32", scanned)], source=value)
    region = body_of(kernel, [tile("i32")], lambda a, b: [kernel.add(a, b)])
    (result,) = tile_op(
        kernel, "scan", [frag("1024xi32", other)], [region],
        {"dim": 0, "identities": (), "reverse": False}, operands=(value,),
    )  # fmt: skip
    kernel.store(kernel.parameters[1], result)
    finish(kernel)
    array, found = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)
    kernel.run(array, found)
    assert (found == array.cumsum()).all()


def test_a_body_that_chooses_takes_registers_first() -> None:
    """The greatest element and its index, the lower one of equals: lanes take their order."""
    shape, layout = (4, 256), along((4, 256), (0, 1), 2, THREADS)
    kernel = BlockKernel(*["ptr<i32>"] * 4, threads=THREADS)
    values = tuple(kernel.load(base, shape, layout) for base in kernel.parameters[:2])
    kind = tile_of(values[0].type, (4,), dropped(layout, shape, 1))

    def greater(a: Value, b: Value, i: Value, j: Value) -> list[Value]:
        def compare(name: str, lhs: Value, rhs: Value) -> Value:
            attributes = {"comparison_predicate": name, "signedness": "signed"}
            return kernel.op("cmpi", [tile("i1")], attributes=attributes, lhs=lhs, rhs=rhs)

        equal_and_lower = kernel.binary("andi", compare("equal", a, b), compare("less_than", i, j))
        first = kernel.binary("ori", compare("greater_than", a, b), equal_and_lower)
        pairs = ((a, b), (i, j))
        return [
            kernel.op("select", [tile("i32")], cond=first, val_if_true=one, val_if_false=other)
            for one, other in pairs
        ]

    region = body_of(kernel, [tile("i32")] * 2, greater)
    results = tile_op(
        kernel, "reduce", [kind] * 2, [region], {"dim": 1, "identities": ()}, operands=values
    )
    for pointer, result in zip(kernel.parameters[2:], results, strict=True):
        kernel.store(pointer, result)
    body = finish(kernel)
    first = next(op for op in body.walk() if op.name == "fold")
    registers = [base.bit_length() - 1 for base in layout.register if base < 256]
    assert first.attributes["ordered"]
    assert list(first.attributes["over"])[: len(registers)] == sorted(registers)
    array = np.random.default_rng(4).integers(0, 9, shape).astype(np.int32)
    indices = np.broadcast_to(np.arange(256, dtype=np.int32), shape).copy()
    found = [np.zeros(4, np.int32) for _ in range(2)]
    kernel.run(array, indices, *found)
    assert (found[0] == array.max(1)).all()
    assert (found[1] == array.argmax(1)).all()


def test_every_op_has_the_location_of_what_it_comes_from() -> None:
    kernel = BlockKernel("ptr<i32>", threads=THREADS)
    value = kernel.load(kernel.parameters[0], (1024,), blocked(1024, 2, THREADS))
    kind = tile_of(value.type, (), blocked(1, 1, THREADS))
    region = body_of(kernel, [tile("i32")], lambda a, b: [kernel.add(a, b)])
    attributes = {"dim": 0, "identities": ()}
    (total,) = tile_op(kernel, "reduce", [kind], [region], attributes, operands=(value,))
    total.owner.location = place = File("kernel.py", "")
    kernel.store(kernel.parameters[0], total)
    body = finish(kernel)
    made = [op for op in body.block.ops if op.name in names(body) and op.name != "barrier"]
    assert len(made) == 5
    assert all(op.location is place for op in made)
