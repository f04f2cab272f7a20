"""cat, insert and extract against NumPy's concatenate and slices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.host.text import Kernel, spelled

EXTENTS = st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=4)
SEEDS = st.integers(0, 2**32)


def numbers(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).integers(-99, 99, shape, np.int32)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(EXTENTS, st.data(), st.booleans(), SEEDS)
def test_cat_as_concatenate(extents: list[int], data, computed: bool, seed: int) -> None:
    shape, dim = tuple(extents), data.draw(st.integers(0, len(extents) - 1))
    lhs, rhs = numbers(seed, shape), numbers(seed + 1, shape)
    whole = (*shape[:dim], 2 * shape[dim], *shape[dim + 1 :])
    result = np.zeros(whole, np.int32)
    kernel = Kernel()
    left, right = kernel.load(lhs), kernel.load(rhs)
    part = kernel.type(shape, "i32")
    if computed:
        kernel.line(f"%s = subi {left}, {right} : {part}")
        left = "%s"
    kernel.line(f"%r = cat {left}, {right} dim = {dim} : {part}, {part} -> "
                f"{kernel.type(whole, 'i32')}")  # fmt: skip
    kernel.store("%r", result)
    kernel.run()
    expected = np.concatenate([lhs - rhs if computed else lhs, rhs], dim)
    np.testing.assert_array_equal(result, expected)


@st.composite
def slices(draw) -> tuple[tuple[int, ...], tuple[int, ...], list[int]]:
    """A shape, that of a slice of it, and which slice."""
    whole = tuple(draw(EXTENTS))
    part = tuple(draw(st.sampled_from([n for n in (1, 2, 4, 8) if n <= size])) for size in whole)
    which = [draw(st.integers(0, size // n - 1)) for size, n in zip(whole, part, strict=True)]
    return whole, part, which


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(slices(), st.booleans(), SEEDS)
def test_insert_replaces_a_slice(slices, of_itself: bool, seed: int) -> None:
    """`of_itself`: the inserted slice is another slice of the same tile."""
    whole, part, which = slices
    destination, source = numbers(seed, whole), numbers(seed + 1, part)
    result, before = np.zeros(whole, np.int32), np.zeros(whole, np.int32)
    kernel = Kernel()
    tile, piece = kernel.load(destination), kernel.load(source)
    large, small = kernel.type(whole, "i32"), kernel.type(part, "i32")
    for d, number in enumerate(which):
        kernel.line(f"%i{d} = constant <i32: {number}> : tile<i32>")
    zeros = ", ".join(["%zero"] * len(whole))
    if of_itself:
        kernel.line(f"%p = extract {tile}[{zeros}] : {large} -> {small}")
        piece = "%p"
        source = destination[tuple(slice(0, n) for n in part)]
    indices = ", ".join(f"%i{d}" for d in range(len(whole)))
    kernel.line(f"%r = insert {piece}, {tile}[{indices}] : {small}, {large}")
    kernel.store("%r", result)
    if seed % 2:
        kernel.store(tile, before)
    kernel.run()
    expected = destination.copy()
    expected[tuple(slice(i * n, i * n + n) for i, n in zip(which, part, strict=True))] = source
    np.testing.assert_array_equal(result, expected)
    if seed % 2:
        np.testing.assert_array_equal(before, destination)


def test_a_tile_filled_slice_by_slice_in_a_loop() -> None:
    """The carried tile is changed in place; every slice but the last comes from the one before."""
    result = np.zeros((8, 4), np.int32)
    kernel = Kernel()
    kernel.line("%n = constant <i32: 8> : tile<i32>")
    kernel.line("%one = constant <i32: 1> : tile<i32>")
    kernel.line("%start = constant <i32: 7> : tile<8x4xi32>")
    kernel.line("%r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %start) -> "
                "(tile<8x4xi32>) {")  # fmt: skip
    kernel.line("%old = extract %t[%zero, %zero] : tile<8x4xi32> -> tile<1x4xi32>")
    kernel.line("%row = reshape %i : tile<i32> -> tile<1x1xi32>")
    kernel.line("%wide = broadcast %row : tile<1x1xi32> -> tile<1x4xi32>")
    kernel.line("%new = addi %old, %wide : tile<1x4xi32>")
    kernel.line("%next = insert %new, %t[%i, %zero] : tile<1x4xi32>, tile<8x4xi32>")
    kernel.line("continue %next : tile<8x4xi32>")
    kernel.line("}")
    kernel.store("%r", result)
    kernel.run()
    np.testing.assert_array_equal(result, np.arange(7, 15)[:, None] + np.zeros((1, 4), int))


@pytest.mark.parametrize("run", [1, 2, 8])
@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.float64])
def test_neighbours_are_taken_apart_and_put_together(dtype: type, run: int) -> None:
    """Every other run of elements is another tile; their sums and differences are put together."""
    given = np.random.default_rng(run).integers(-99, 99, (4, 64 // run, 2, run)).astype(dtype)
    result = np.zeros_like(given)
    kernel = Kernel()
    tile, element = kernel.load(given), spelled(given.dtype)
    whole, half = kernel.type(given.shape, element), kernel.type((4, 64 // run, 1, run), element)
    kernel.line("%one = constant <i32: 1> : tile<i32>")
    for name, index in (("%a", "%zero"), ("%b", "%one")):
        places = f"%zero, %zero, {index}, %zero"
        kernel.line(f"{name} = extract {tile}[{places}] : {whole} -> {half}")
    kind = "f" if element[0] == "f" else "i"
    kernel.line(f"%s = add{kind} %a, %b : {half}")
    kernel.line(f"%d = sub{kind} %a, %b : {half}")
    kernel.line(f"%r = cat %s, %d dim = 2 : {half}, {half} -> {whole}")
    kernel.store("%r", result)
    kernel.run()
    a, b = given[:, :, :1], given[:, :, 1:]
    np.testing.assert_array_equal(result, np.concatenate([a + b, a - b], 2))
