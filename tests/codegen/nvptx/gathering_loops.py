"""Kernels of one loop that gathers rows through pointers and multiplies them, as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.codegen.emulator.values import aligned

M, N, K = 32, 32, 32
"""Extents of the tiles."""
MASKED = "%pointers, %mask, %padding token=%first"
TYPES = f"tile<{M}x{K}xptr<f16>>, tile<{M}x{K}xi1>, tile<{M}x{K}xf16>"


def text(
    *, load: str = f"{MASKED} : {TYPES}", padding: str = "0.0", more: str = "", before: str = ""
) -> str:
    """z = the sum of x[rows, tile i] @ w[tile i, :] for every i; `more` is in the loop, too.

    Rows beyond the first `n`, and columns beyond `size`, are masked.
    """
    tile, wide = f"tile<{M}x{K}xf16>", f"tile<{M}x{K}xi32>"
    weights = f"tensor_view<?x{N}xf16, strides=[{N},1]>"
    wview = f"partition_view<tile=({K}x{N}), padding_value = zero, {weights}>"
    out = f"tensor_view<{M}x{N}xf32, strides=[{N},1]>"
    oview = f"partition_view<tile=({M}x{N}), {out}>"
    sums = f"tile<{M}x{N}xf32>"
    return f"""
entry @k(%px: tile<ptr<f16>>, %prows: tile<ptr<i32>>, %pw: tile<ptr<f16>>, %pz: tile<ptr<f32>>,
         %n: tile<i32>, %psize: tile<i32>, %ppitch: tile<i32>, %count: tile<i32>) {{
  %first = make_token : token
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %nothing = constant <f32: 0.0> : {sums}
  %padding = constant <f16: {padding}> : {tile}
  %bx = assume div_by<16>, %px : tile<ptr<f16>>
  %pitch = assume div_by<16>, %ppitch : tile<i32>
  %size = assume div_by<16>, %psize : tile<i32>
  %rview0 = make_tensor_view %prows, shape = [{M}], strides = [1] : tensor_view<{M}xi32, strides=[1]>
  %rview = make_partition_view %rview0 : partition_view<tile=({M}), tensor_view<{M}xi32, strides=[1]>>
  %rows, %t0 = load_view_tko weak %rview[%zero] token = %first : partition_view<tile=({M}), tensor_view<{M}xi32, strides=[1]>>, tile<i32> -> tile<{M}xi32>, token
  %rows1 = reshape %rows : tile<{M}xi32> -> tile<{M}x1xi32>
  %rows2 = broadcast %rows1 : tile<{M}x1xi32> -> {wide}
  %pitch1 = reshape %pitch : tile<i32> -> tile<1x1xi32>
  %pitch2 = broadcast %pitch1 : tile<1x1xi32> -> {wide}
  %start = muli %rows2, %pitch2 : {wide}
  %number = iota : tile<{M}xi32>
  %number1 = reshape %number : tile<{M}xi32> -> tile<{M}x1xi32>
  %number2 = broadcast %number1 : tile<{M}x1xi32> -> {wide}
  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %n2 = broadcast %n1 : tile<1x1xi32> -> {wide}
  %present = cmpi less_than %number2, %n2, signed : {wide} -> tile<{M}x{K}xi1>
  %bx1 = reshape %bx : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %bx2 = broadcast %bx1 : tile<1x1xptr<f16>> -> tile<{M}x{K}xptr<f16>>
  %along = iota : tile<{K}xi32>
  %extent = constant <i32: {K}> : tile<i32>
  %deep = muli %count, %extent : tile<i32>
  %bw = assume div_by<16>, %pw : tile<ptr<f16>>
  %mw = make_tensor_view %bw, shape = [%deep, {N}], strides = [{N}, 1] : tile<i32> -> {weights}
  %vw = make_partition_view %mw : {wview}
  {before}
  %sum = for %i in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> ({sums}) {{
    %at = muli %i, %extent : tile<i32>
    %at1 = reshape %at : tile<i32> -> tile<1xi32>
    %at2 = broadcast %at1 : tile<1xi32> -> tile<{K}xi32>
    %at3 = addi %at2, %along : tile<{K}xi32>
    %at4 = reshape %at3 : tile<{K}xi32> -> tile<1x{K}xi32>
    %columns = broadcast %at4 : tile<1x{K}xi32> -> {wide}
    %size1 = reshape %size : tile<i32> -> tile<1x1xi32>
    %size2 = broadcast %size1 : tile<1x1xi32> -> {wide}
    %inside = cmpi less_than %columns, %size2, signed : {wide} -> tile<{M}x{K}xi1>
    %mask = andi %present, %inside : tile<{M}x{K}xi1>
    %offsets = addi %start, %columns : {wide}
    %pointers = offset %bx2, %offsets : tile<{M}x{K}xptr<f16>>, {wide} -> tile<{M}x{K}xptr<f16>>
    %x, %loaded = load_ptr_tko weak {load} -> {tile}, token
    %w, %t1 = load_view_tko weak %vw[%i, %zero] token = %first : {wview}, tile<i32> -> tile<{K}x{N}xf16>, token
    {more}
    %next = mmaf %x, %w, %acc : {tile}, tile<{K}x{N}xf16>, {sums}
    continue %next : {sums}
  }}
  %mz = make_tensor_view %pz, shape = [{M}, {N}], strides = [{N}, 1] : {out}
  %vz = make_partition_view %mz : {oview}
  %done = store_view_tko weak %sum, %vz[%zero, %zero] : {sums}, {oview}, tile<i32> -> token
  return
}}
"""  # noqa: E501


def launch(count: int, rows: int, size: int, padding: float = 0.0) -> tuple[list[Any], np.ndarray]:
    """Arguments for so many iterations, with so many rows and columns, and what z becomes."""
    random = np.random.default_rng(count + rows)
    pitch = max(count * K, 16)
    x = aligned(random.integers(-4, 5, (50, pitch)).astype(np.float16))
    w = aligned(random.integers(-4, 5, (max(count, 1) * K, N)).astype(np.float16))
    chosen = random.integers(0, 50, M).astype(np.int32)
    z = aligned(np.full((M, N), 77, np.float32))
    seen = np.full((M, count * K), padding)
    seen[:rows, :size] = x[chosen][:rows, : min(size, count * K)]
    expected = (seen @ w[: count * K].astype(np.float64)).astype(np.float32)
    chosen[rows:] = 2**20  # far outside
    return [x, chosen, w, z, rows, size, pitch, count], expected
