"""Which tiles stay where they are computed, or are loaded where they are needed."""

from __future__ import annotations

import numpy as np

import tileir
from tests.codegen.host.text import Kernel
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile

COUNT, BINS = 1024, 64
BARRIER = "bar.sync"


def histogram(bins: np.ndarray, counts: np.ndarray) -> str:
    """A kernel that counts how often each number occurs."""
    text, wide = Kernel(aligned=True), f"tile<{COUNT}xptr<i32>>"
    value = text.load(bins)
    text.line("%row = reshape %array1_base : tile<ptr<i32>> -> tile<1xptr<i32>>")
    text.line(f"%rows = broadcast %row : tile<1xptr<i32>> -> {wide}")
    text.line(f"%at = offset %rows, {value} : {wide}, tile<{COUNT}xi32> -> {wide}")
    text.line(f"%one = constant <i32: 1> : tile<{COUNT}xi32>")
    text.line(
        f"%old, %after = atomic_rmw_tko relaxed device %at, add, %one : {wide},"
        f" tile<{COUNT}xi32> -> tile<{COUNT}xi32>, token"
    )
    text.arrays.append(counts)
    return text.module()


def test_addresses_that_are_data_stay_where_they_are() -> None:
    bins = np.random.default_rng(1).integers(0, BINS, COUNT).astype("i4")
    counts = np.zeros(BINS, "i4")
    module = tileir.assemble(histogram(bins, counts))
    assert BARRIER not in compile(module, "sm_80").ptx
    launch(module, "k", 1, [bins, counts], "sm_80")
    np.testing.assert_array_equal(counts, np.bincount(bins, minlength=BINS))


def scaled(table: np.ndarray, column: np.ndarray, found: np.ndarray) -> str:
    """A kernel that adds a number, made of an i32, to each row of a table."""
    text = Kernel(aligned=True)
    rows, columns = table.shape
    value, each = text.load(table), text.load(column)
    wide = f"tile<{rows}x{columns}xf32>"
    text.line(f"%same = itof {each} signed : tile<{rows}xi32> -> tile<{rows}xf32>")
    text.line(f"%column = reshape %same : tile<{rows}xf32> -> tile<{rows}x1xf32>")
    text.line(f"%wide = broadcast %column : tile<{rows}x1xf32> -> {wide}")
    text.line(f"%sum = addf {value}, %wide : {wide}")
    text.store("%sum", found)
    return text.module()


def test_a_small_tile_is_loaded_where_it_is_needed() -> None:
    random = np.random.default_rng(2)
    table = random.integers(-9, 9, (64, 32)).astype("f4")
    column = random.integers(-9, 9, 64).astype("i4")
    found = np.zeros_like(table)
    module = tileir.assemble(scaled(table, column, found))
    assert BARRIER not in compile(module, "sm_80").ptx
    launch(module, "k", 1, [table, column, found], "sm_80")
    np.testing.assert_array_equal(found, table + column[:, None])


def test_an_ordered_load_that_nothing_uses_has_its_index() -> None:
    """It is made, so what says where is computed."""
    view = "partition_view<tile=(16), tensor_view<64xi32, strides=[1]>>"
    text = f"""entry @k(%arg0: tile<ptr<i32>>, %arg1: tile<ptr<i32>>) {{
      %at, %t = load_ptr_tko weak %arg0 : tile<ptr<i32>> -> tile<i32>, token
      %all = make_tensor_view %arg1, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
      %view = make_partition_view %all : {view}
      %tile, %u = load_view_tko relaxed device %view[%at] : {view}, tile<i32> -> tile<16xi32>, token
      return
    }}"""
    arrays = [np.array([3], "i4"), np.arange(64, dtype="i4")]
    launch(tileir.assemble(text), "k", 1, arrays, "sm_90")
