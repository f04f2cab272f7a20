"""4-bit elements, two of which share a byte: a thread owns whole bytes where it can."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.on_emulator import launch
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES

ACCESS = r"((?:ld|st|red)\.\S*global\S*)"


def swap(rows: int, columns: int, tile: int, stride: int) -> str:
    """Return a kernel in which each block swaps a row of two tensors of 4-bit elements."""
    tensor = f"tensor_view<{rows}x{columns}xf4E2M1FN, strides=[{stride},1]>"
    view = f"partition_view<tile=(1x{tile}), {tensor}>"
    loaded = f"{view}, tile<i32> -> tile<1x{tile}xf4E2M1FN>, token"
    stored = f"tile<1x{tile}xf4E2M1FN>, {view}, tile<i32> -> token"
    shape = f"shape = [{rows}, {columns}], strides = [{stride}, 1] : {tensor}"
    return f"""
entry @k(%a: tile<ptr<i8>>, %b: tile<ptr<i8>>) {{
  %z = constant <i32: 0> : tile<i32>
  %n, %n1, %n2 = get_tile_block_id : tile<i32>
  %p = ptr_to_ptr %a : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
  %q = ptr_to_ptr %b : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
  %ta = make_tensor_view %p, {shape}
  %tb = make_tensor_view %q, {shape}
  %va = make_partition_view %ta : {view}
  %vb = make_partition_view %tb : {view}
  %x, %t = load_view_tko weak %va[%n, %z] : {loaded}
  %y, %u = load_view_tko weak %vb[%n, %z] : {loaded}
  %v = store_view_tko weak %y, %va[%n, %z] token = %t : {stored}
  %w = store_view_tko weak %x, %vb[%n, %z] token = %u : {stored}
  return
}}
"""


WHOLE_BYTES = swap(4, 256, 256, 256)
ODD_ROWS = swap(8, 5, 8, 5)
"""Rows begin within bytes, so two blocks share one."""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
@pytest.mark.parametrize(("kernel", "rows", "size"), [(WHOLE_BYTES, 4, 512), (ODD_ROWS, 8, 20)])
def test_threads_may_store_beside_what_others_load(
    kernel: str, rows: int, size: int, target: str, schedule: str
) -> None:
    """Nothing races, whether blocks share bytes or not."""
    a = np.arange(size).astype(np.uint8)
    b = (7 * a)[::-1] + np.uint8(1)
    found = [a.copy(), b.copy()]
    launch(tileir.assemble(kernel), "k", rows, found, target=target, schedule=schedule)
    np.testing.assert_array_equal(found, [b, a])


@pytest.mark.parametrize("schedule", ["lock-step", "random-0"])
@pytest.mark.parametrize(("columns", "tile"), [(5, 8), (1, 2), (37, 16), (31, 64), (300, 512)])
def test_behind_the_last_element_nothing_changes(columns: int, tile: int, schedule: str) -> None:
    """An odd number of elements leaves half of a byte, and the byte behind it to other arrays."""
    size = -(-columns // 2)
    a, b = (np.frombuffer(np.random.default_rng(n).bytes(size), np.uint8) for n in (1, 2))
    found = [a.copy(), b.copy()]
    launch(tileir.assemble(swap(1, columns, tile, 1024)), "k", 1, found, schedule=schedule)
    count = min(columns, tile)
    swapped = [np.repeat(each, 2) >> np.tile([0, 4], size).astype(np.uint8) & 15 for each in (a, b)]
    first, second = (each.copy() for each in swapped)
    first[:count], second[:count] = swapped[1][:count], swapped[0][:count]
    expected = [each[::2] | each[1::2] << 4 for each in (first, second)]
    np.testing.assert_array_equal(found, expected)


def test_whole_bytes_need_no_atomics_and_nothing_waits() -> None:
    ptx = compile(tileir.assemble(WHOLE_BYTES), "sm_90").ptx
    assert "bar.sync" not in ptx
    whole = {f"{op}.global.b{bits}" for op in ("ld", "st") for bits in (8, 16)}
    assert set(re.findall(ACCESS, ptx)) <= whole


def test_halves_of_bytes_are_atomic_and_loads_beside_them_strong() -> None:
    ptx = compile(tileir.assemble(ODD_ROWS), "sm_90").ptx
    updates = {f"red.relaxed.gpu.global.{name}.b32" for name in ("and", "or")}
    assert set(re.findall(ACCESS, ptx)) == {"ld.relaxed.gpu.global.b8", *updates}


def test_what_has_an_array_in_the_same_word_is_left_alone() -> None:
    """Three bytes of 4-bit elements, and behind them bytes that the same kernel stores."""
    halves, whole = "tensor_view<5xf4E2M1FN, strides=[1]>", "tensor_view<8xi8, strides=[1]>"
    of_halves, of_bytes = (
        f"partition_view<tile=(8), {halves}>",
        f"partition_view<tile=(8), {whole}>",
    )
    kernel = f"""
entry @k(%a: tile<ptr<i8>>) {{
  %z = constant <i32: 0> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %c = constant <f4E2M1FN: 1.5> : tile<8xf4E2M1FN>
  %i = constant <i8: 9> : tile<8xi8>
  %p = ptr_to_ptr %a : tile<ptr<i8>> -> tile<ptr<f4E2M1FN>>
  %q = offset %a, %three : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>
  %t = make_tensor_view %p, shape = [5], strides = [1] : {halves}
  %u = make_tensor_view %q, shape = [8], strides = [1] : {whole}
  %f = make_partition_view %t : {of_halves}
  %b = make_partition_view %u : {of_bytes}
  %v = store_view_tko weak %c, %f[%z] : tile<8xf4E2M1FN>, {of_halves}, tile<i32> -> token
  %w = store_view_tko weak %i, %b[%z] : tile<8xi8>, {of_bytes}, tile<i32> -> token
  return
}}
"""
    found = np.zeros(11, np.uint8)
    launch(tileir.assemble(kernel), "k", 1, [found])
    np.testing.assert_array_equal(found, [0x33, 0x33, 0x03] + [9] * 8)
