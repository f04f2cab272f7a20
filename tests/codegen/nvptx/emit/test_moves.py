"""Tiles that move between threads, large ones and small elements too, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel, spelled
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen.nvptx.passes import expand_slices


def run(kernel: Kernel, arrays: list[np.ndarray], target: str = "sm_80") -> None:
    launch(tileir.assemble(kernel.module()), "k", 1, arrays, target)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((128, 256), "f4"), ((64, 128), "f8"), ((256, 128), "i1"), ((128, 128), "f2"),
        ((32, 8, 16), "i4"), ((2, 64), "i8"), ((4, 4), "i2"),
    ],
)  # fmt: skip
def test_transposition(shape: tuple[int, ...], dtype: str) -> None:
    array = (np.random.default_rng(0).standard_normal(shape) * 50).astype(dtype)
    result = np.zeros(shape[::-1], dtype)
    order, element = range(len(shape))[::-1], spelled(array.dtype)
    kernel = Kernel()
    value = kernel.load(array)
    kernel.line(
        f"%t = permute {value} [{', '.join(map(str, order))}] : {kernel.type(shape, element)}"
        f" -> {kernel.type(result.shape, element)}"
    )
    kernel.store("%t", result)
    run(kernel, [array, result])
    np.testing.assert_array_equal(result, array.T)


def test_few_elements_are_packed_to_one() -> None:
    """What is loaded lies in several threads; the one element lies in every one."""
    array, result = np.array([2, 7], np.int8), np.zeros(1, np.int8)
    kernel = Kernel()
    kernel.line(f"%n = trunci {kernel.load(array)} : tile<2xi8> -> tile<2xi4>")
    kernel.line("%p = pack %n : tile<2xi4> -> tile<1xi8>")
    kernel.store("%p", result)
    run(kernel, [array, result])
    assert result[0] == 0x72


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "dim"), [((16384,), 0), ((64, 64), 0), ((16, 256), 1), ((512, 8), 0), ((2, 2), 1)]
)
def test_scans(shape: tuple[int, ...], dim: int, reverse: bool) -> None:
    array = np.random.default_rng(1).integers(-99, 99, shape).astype("i4")
    result = np.zeros_like(array)
    kernel = Kernel()
    value = kernel.load(array)
    kind = kernel.type(shape, "i32")
    kernel.line(
        f"%t = scan {value} dim={dim} reverse={str(reverse).lower()} identities=[0 : i32] : {kind}"
        f" -> {kind} (%a: tile<i32>, %b: tile<i32>) {{ %c = addi %a, %b : tile<i32>\n"
        " yield %c : tile<i32> }"
    )
    kernel.store("%t", result)
    run(kernel, [array, result])
    there = np.flip(array, dim) if reverse else array
    expected = np.cumsum(there, dim)
    np.testing.assert_array_equal(result, np.flip(expected, dim) if reverse else expected)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reductions_that_do_not_commute_keep_the_order(dim: int) -> None:
    """The body keeps the later element: what is left is the last one."""
    array = np.arange(8 * 64 * 16, dtype="i8").reshape(8, 64, 16)
    result = np.zeros(np.delete(array.shape, dim), "i8")
    kernel = Kernel()
    value = kernel.load(array)
    kernel.line(
        f"%t = reduce {value} dim={dim} identities=[0 : i64] : {kernel.type(array.shape, 'i64')}"
        f" -> {kernel.type(result.shape, 'i64')} (%e: tile<i64>, %a: tile<i64>) {{\n"
        " yield %e : tile<i64> }"
    )
    kernel.store("%t", result)
    run(kernel, [array, result])
    np.testing.assert_array_equal(result, np.take(array, -1, dim))


@pytest.mark.parametrize(("shape", "dtype"), [((32, 32), "f8"), ((64, 64), "i1")])
def test_slices_of_tiles_that_go_through_shared_memory_in_pieces(
    shape: tuple[int, int], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expand_slices, "PIECE_BYTES", 1024)
    rows, columns = shape
    array = (np.random.default_rng(2).standard_normal(shape) * 50).astype(dtype)
    part, whole = np.zeros((rows // 2, columns // 4), dtype), np.ones((2 * rows, columns), dtype)
    kernel, element = Kernel(), spelled(array.dtype)
    value, other = kernel.load(array), kernel.load(whole)
    tiles = [kernel.type(each.shape, element) for each in (array, part, whole)]
    kernel.line("%three = constant <i32: 3> : tile<i32>\n%one = constant <i32: 1> : tile<i32>")
    kernel.line(f"%p = extract {value}[%one, %three] : {tiles[0]} -> {tiles[1]}")
    kernel.line(f"%w = insert {value}, {other}[%one, %zero] : {tiles[0]}, {tiles[2]}")
    found = np.zeros_like(whole)
    kernel.store("%p", part)
    kernel.store("%w", found)
    run(kernel, [array, whole, part, found])
    np.testing.assert_array_equal(part, array[rows // 2 :, 3 * columns // 4 :])
    np.testing.assert_array_equal(found, np.concatenate([whole[:rows], array]))
