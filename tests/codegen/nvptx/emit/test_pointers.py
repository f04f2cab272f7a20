"""Tiles of pointers: neighbours are moved together where that is right, whatever is aligned how."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from tests.codegen.nvptx.test_ptx import accesses
from tileir import assemble
from tileir.codegen import compile, emulator

SIZE = 512
COPY = """
entry @copy(%from: tile<ptr<ELEMENT>>, %to: tile<ptr<ELEMENT>>, %start: tile<i32>, %n: tile<i32>) {
  %x0 = assume div_by<BASE>, %from : tile<ptr<ELEMENT>>
  %y0 = assume div_by<BASE>, %to : tile<ptr<ELEMENT>>
  %s0 = assume bounded<0, ?>, %start : tile<i32>
  %s1 = assume div_by<START>, %s0 : tile<i32>
  %n0 = assume div_by<COUNT>, %n : tile<i32>
  %i = iota : tile<512xi32>
  %s2 = reshape %s1 : tile<i32> -> tile<1xi32>
  %s3 = broadcast %s2 : tile<1xi32> -> tile<512xi32>
  %at = addi %s3, %i : tile<512xi32>
  %n1 = reshape %n0 : tile<i32> -> tile<1xi32>
  %n2 = broadcast %n1 : tile<1xi32> -> tile<512xi32>
  %mask = cmpi less_than %at, %n2, signed : tile<512xi32> -> tile<512xi1>
  %x1 = reshape %x0 : tile<ptr<ELEMENT>> -> tile<1xptr<ELEMENT>>
  %x2 = broadcast %x1 : tile<1xptr<ELEMENT>> -> tile<512xptr<ELEMENT>>
  %x = offset %x2, %at : tile<512xptr<ELEMENT>>, tile<512xi32> -> tile<512xptr<ELEMENT>>
  %y1 = reshape %y0 : tile<ptr<ELEMENT>> -> tile<1xptr<ELEMENT>>
  %y2 = broadcast %y1 : tile<1xptr<ELEMENT>> -> tile<512xptr<ELEMENT>>
  %y = offset %y2, %at : tile<512xptr<ELEMENT>>, tile<512xi32> -> tile<512xptr<ELEMENT>>
  %v, %t = load_ptr_tko weak %x, %mask
    : tile<512xptr<ELEMENT>>, tile<512xi1> -> tile<512xELEMENT>, token
  %u = store_ptr_tko weak %y, %v, %mask
    : tile<512xptr<ELEMENT>>, tile<512xELEMENT>, tile<512xi1> -> token
  return
}
"""
KINDS = {"i8": "u1", "f16": "f2", "f32": "f4", "f64": "f8"}


@cache
def copy(element: str = "f32", base: int = 16, start: int = 16, count: int = 16, size: int = SIZE):
    text = COPY.replace("ELEMENT", element).replace("BASE", str(base))
    text = text.replace("START", str(start)).replace("COUNT", str(count)).replace("512", str(size))
    return compile(assemble(text), "sm_90")


def aligned(size: int, kind: str, extra: int) -> np.ndarray:
    """Numbers in memory that starts `extra` elements after a multiple of 16 bytes."""
    item = np.dtype(kind).itemsize
    room = np.zeros(size * item + 16 + extra * item, "u1")
    first = -room.ctypes.data % 16 + extra * item
    return room[first : first + size * item].view(kind)


@pytest.mark.parametrize(
    ("element", "wide", "number"),
    [("i8", "v4.b32", 1), ("f16", "v4.b32", 2), ("f32", "v4.b32", 4), ("f64", "v2.b64", 8)],
)
def test_aligned_neighbours_fill_an_access(element: str, wide: str, number: int) -> None:
    found = accesses(copy(element, size=2048).ptx)
    assert found == {f"ld.global.{wide}": number, f"st.global.{wide}": number}


@pytest.mark.parametrize(("element", "wide"), [("i8", "b32"), ("f16", "v2.b32")])
def test_all_threads_have_some_of_a_small_tile(element: str, wide: str) -> None:
    assert accesses(copy(element).ptx) == {f"ld.global.{wide}": 1, f"st.global.{wide}": 1}


@pytest.mark.parametrize(
    ("base", "start", "wide"),
    [(8, 16, "v2.b32"), (16, 2, "v2.b32"), (4, 16, "b32"), (16, 1, "b32")],
)
def test_less_alignment_makes_accesses_narrower(base: int, start: int, wide: str) -> None:
    assert set(accesses(copy(base=base, start=start).ptx)) == {
        f"ld.global.{wide}",
        f"st.global.{wide}",
    }


def test_neighbours_share_an_address() -> None:
    """One for the load, one for the store, although there are four accesses each.

    A start that is no multiple of the tile might wrap around within it.
    """
    assert len(re.findall(r"mul\.wide", copy(base=4).ptx)) == 8
    ptx = copy(base=4, start=SIZE).ptx
    assert len(re.findall(r"mul\.wide", ptx)) == 2
    assert set(re.findall(r"ld.*\+(\d+)\]", ptx)) == {"0", "512", "1024", "1536"}


@pytest.mark.parametrize("element", KINDS)
@pytest.mark.parametrize("count", [1, 2, 16])
def test_copies_end_where_they_should(element: str, count: int) -> None:
    """Of every length up to a tile and beyond; what lies behind the end is not there to be read."""
    compiled, kind = copy(element, count=count), KINDS[element]
    for length in sorted({0, 1, 3, 16, 17, 250, 254, 256, SIZE - 1, SIZE, SIZE + 5}):
        number = length // count * count
        x, y = aligned(number, kind, 0), aligned(number, kind, 0)
        x[:] = np.arange(number) % 250 + 1
        emulator.launch(compiled.ptx, compiled.plan["copy"], 1, [x, y, 0, number])
        assert (y[:SIZE] == x[:SIZE]).all()
        assert (y[SIZE:] == 0).all()


@pytest.mark.parametrize("extra", [0, 1, 2, 3])
@pytest.mark.parametrize("start", [0, 1, 2, 6])
def test_any_alignment(extra: int, start: int) -> None:
    """With what may be assumed of it, and a length that may divide a vector."""
    base, first = 4 * (extra & -extra or 4), start & -start or 16
    compiled, number = copy(base=base, start=first, count=1), start + 203
    x, y = aligned(number, "f4", extra), aligned(number, "f4", extra)
    x[:] = np.arange(number) + 1
    emulator.launch(compiled.ptx, compiled.plan["copy"], 1, [x, y, start, number])
    assert (y[start:] == x[start:]).all()
    assert (y[:start] == 0).all()


def test_the_emulator_notices_a_vector_that_is_not_aligned() -> None:
    x, y = aligned(SIZE, "f4", 1), aligned(SIZE, "f4", 0)
    compiled = copy()
    with pytest.raises(emulator.EmulationError, match="align"):
        emulator.launch(compiled.ptx, compiled.plan["copy"], 1, [x, y, 0, SIZE])


GRID = """
entry @turn(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %rows: tile<i32>, %step: tile<i32>) {
  %x0 = assume div_by<16>, %from : tile<ptr<f32>>
  %y0 = assume div_by<16>, %to : tile<ptr<f32>>
  %s = assume div_by<STEP>, %step : tile<i32>
  %i0 = iota : tile<16xi32>
  %i1 = reshape %i0 : tile<16xi32> -> tile<16x1xi32>
  %i = broadcast %i1 : tile<16x1xi32> -> tile<16x64xi32>
  %j0 = iota : tile<64xi32>
  %j1 = reshape %j0 : tile<64xi32> -> tile<1x64xi32>
  %j = broadcast %j1 : tile<1x64xi32> -> tile<16x64xi32>
  %s1 = reshape %s : tile<i32> -> tile<1x1xi32>
  %s2 = broadcast %s1 : tile<1x1xi32> -> tile<16x64xi32>
  %r1 = reshape %rows : tile<i32> -> tile<1x1xi32>
  %r2 = broadcast %r1 : tile<1x1xi32> -> tile<16x64xi32>
  %mask = cmpi less_than %i, %r2, signed : tile<16x64xi32> -> tile<16x64xi1>
  %across = muli %i, %s2 : tile<16x64xi32>
  %xat = addi %across, %j : tile<16x64xi32>
  %down = muli %j, %s2 : tile<16x64xi32>
  %yat = addi %down, %i : tile<16x64xi32>
  %x1 = reshape %x0 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %x2 = broadcast %x1 : tile<1x1xptr<f32>> -> tile<16x64xptr<f32>>
  %x = offset %x2, %xat : tile<16x64xptr<f32>>, tile<16x64xi32> -> tile<16x64xptr<f32>>
  %y1 = reshape %y0 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %y2 = broadcast %y1 : tile<1x1xptr<f32>> -> tile<16x64xptr<f32>>
  %y = offset %y2, %yat : tile<16x64xptr<f32>>, tile<16x64xi32> -> tile<16x64xptr<f32>>
  %v, %t = load_ptr_tko weak %x, %mask
    : tile<16x64xptr<f32>>, tile<16x64xi1> -> tile<16x64xf32>, token
  %u = store_ptr_tko weak %y, %v, %mask
    : tile<16x64xptr<f32>>, tile<16x64xf32>, tile<16x64xi1> -> token
  return
}
"""


@pytest.mark.parametrize(("divisor", "wide"), [(16, "v4.b32"), (2, "v2.b32"), (1, "b32")])
@pytest.mark.parametrize("rows", [0, 5, 16])
def test_rows_are_read_and_columns_written(divisor: int, wide: str, rows: int) -> None:
    """Each in the order that it has in memory; between them the tile goes through shared memory.

    The rows that are masked end within the vectors that are stored.
    """
    compiled = compile(assemble(GRID.replace("STEP", str(divisor))), "sm_90")
    found = accesses(compiled.ptx)
    assert f"ld.global.{wide}" in found
    assert f"st.global.{wide}" in found
    step = 64 + divisor
    x, y = aligned(16 * step, "f4", 0), aligned(64 * step, "f4", 0)
    x[:] = np.arange(x.size) + 1
    emulator.launch(compiled.ptx, compiled.plan["turn"], 1, [x, y, rows, step])
    expected = np.zeros((64, step), "f4")
    expected[:, :rows] = x.reshape(16, step)[:rows, :64].T
    assert (y.reshape(64, step) == expected).all()


WALK = """
entry @total(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %stride: tile<i32>) {
  %xa = assume div_by<16>, %x : tile<ptr<f32>>
  %na = assume div_by<COUNT>, %n : tile<i32>
  %sa = assume div_by<16>, %stride : tile<i32>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %i = iota : tile<1024xi32>
  %row = muli %bx, %sa : tile<i32>
  %xr = offset %xa, %row : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %x1 = reshape %xr : tile<ptr<f32>> -> tile<1xptr<f32>>
  %xb = broadcast %x1 : tile<1xptr<f32>> -> tile<1024xptr<f32>>
  %p0 = offset %xb, %i : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
  %n1 = reshape %na : tile<i32> -> tile<1xi32>
  %nb = broadcast %n1 : tile<1xi32> -> tile<1024xi32>
  %zero = constant <i32: 0> : tile<i32>
  %step = constant <i32: 1024> : tile<i32>
  %wide = constant <i32: 1024> : tile<1024xi32>
  %acc0 = constant <f32: 0.0> : tile<1024xf32>
  %acc, %end = for %k in (%zero to %na, step %step) : tile<i32>
      iter_values(%a = %acc0, %p = %p0) -> (tile<1024xf32>, tile<1024xptr<f32>>) {
    %k1 = reshape %k : tile<i32> -> tile<1xi32>
    %kb = broadcast %k1 : tile<1xi32> -> tile<1024xi32>
    %at = addi %kb, %i : tile<1024xi32>
    %m = cmpi less_than %at, %nb, signed : tile<1024xi32> -> tile<1024xi1>
    %v, %t = load_ptr_tko weak %p, %m, %acc0
      : tile<1024xptr<f32>>, tile<1024xi1>, tile<1024xf32> -> tile<1024xf32>, token
    %a2 = addf %a, %v : tile<1024xf32>
    %p2 = offset %p, %wide
      : tile<1024xptr<f32>>, tile<1024xi32> -> tile<1024xptr<f32>>
    continue %a2, %p2 : tile<1024xf32>, tile<1024xptr<f32>>
  }
  %s = reduce %acc dim=0 identities=[0.0 : f32] : tile<1024xf32> -> tile<f32>
  (%l: tile<f32>, %r: tile<f32>) {
    %q = addf %l, %r : tile<f32>
    yield %q : tile<f32>
  }
  %yp = offset %y, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
  %u = store_ptr_tko weak %yp, %s : tile<ptr<f32>>, tile<f32> -> token
  return
}
"""


def test_pointers_that_a_loop_carries_stay_where_they_are_used() -> None:
    """They count up from each thread's first one; of four trips at once, the last are single."""
    ptx = compile(assemble(WALK.replace("COUNT", "16")), "sm_90").ptx
    assert accesses(ptx) == {"ld.global.v4.b32": 2 * 4 + 2, "st.global.b32": 1}
    assert "st.shared.v" not in ptx


@pytest.mark.parametrize("divisor", [1, 16])
@pytest.mark.parametrize("columns", [0, 16, 1024, 3 * 1024 + 16, 5 * 1024 - 16])
def test_rows_are_walked_along_to_their_end(divisor: int, columns: int) -> None:
    compiled = compile(assemble(WALK.replace("COUNT", str(divisor))), "sm_90")
    columns += 3 if divisor == 1 else 0
    step = -(-columns // 16) * 16
    x, y = aligned(2 * step, "f4", 0), np.zeros(2, "f4")
    x[:] = np.arange(x.size) % 7
    emulator.launch(compiled.ptx, compiled.plan["total"], 2, [x, y, columns, step])
    assert (y == x.reshape(2, step)[:, :columns].sum(1)).all()


def test_a_part_of_a_tile_of_pointers_goes_through_shared_memory() -> None:
    """In memory, pointers are bits like others."""
    text = """
    entry @k(%base: tile<ptr<i32>>, %place: tile<i32>, %found: tile<ptr<i32>>) {
      %i = iota : tile<8xi32>
      %one = reshape %base : tile<ptr<i32>> -> tile<1xptr<i32>>
      %all = broadcast %one : tile<1xptr<i32>> -> tile<8xptr<i32>>
      %each = offset %all, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
      %part = extract %each[%place] : tile<8xptr<i32>> -> tile<1xptr<i32>>
      %here = reshape %part : tile<1xptr<i32>> -> tile<ptr<i32>>
      %v, %t = load_ptr_tko weak %here : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %found, %v : tile<ptr<i32>>, tile<i32> -> token
      return
    }"""
    numbers, found = np.arange(8, dtype="i4") * 3, np.zeros(1, "i4")
    compiled = compile(assemble(text), "sm_90")
    emulator.launch(compiled.ptx, compiled.plan["k"], 1, [numbers, 5, found])
    assert found == [15]


NUMBERS = """
entry @numbers(%from: tile<ptr<i64>>, %to: tile<ptr<i64>>) {
  %x0 = assume div_by<16>, %from : tile<ptr<i64>>
  %y0 = assume div_by<16>, %to : tile<ptr<i64>>
  %xs = make_tensor_view %x0, shape = [512], strides = [1] : tensor_view<512xi64, strides=[1]>
  %ys = make_tensor_view %y0, shape = [512], strides = [1] : tensor_view<512xi64, strides=[1]>
  %xp = make_partition_view %xs : partition_view<tile=(512), tensor_view<512xi64, strides=[1]>>
  %yp = make_partition_view %ys : partition_view<tile=(512), tensor_view<512xi64, strides=[1]>>
  %zero = constant <i32: 0> : tile<i32>
  %v, %t = load_view_tko weak %xp[%zero]
    : partition_view<tile=(512), tensor_view<512xi64, strides=[1]>>, tile<i32>
    -> tile<512xi64>, token
  %p = int_to_ptr %v : tile<512xi64> -> tile<512xptr<f16>>
  %q = ptr_to_ptr %p : tile<512xptr<f16>> -> tile<512xptr<i32>>
  %w = ptr_to_int %q : tile<512xptr<i32>> -> tile<512xi64>
  %u = store_view_tko weak %w, %yp[%zero]
    : tile<512xi64>, partition_view<tile=(512), tensor_view<512xi64, strides=[1]>>, tile<i32>
    -> token
  return
}
"""


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
def test_casts_of_pointers_that_one_thread_has_beside_each_other(target: str) -> None:
    """A thread has two of them, as it loads 16 bytes: such casts have no form for pairs."""
    made = compile(assemble(NUMBERS), target)
    assert any(".v2" in access for access in accesses(made.ptx))
    x = np.random.default_rng(1).integers(0, 2**62, SIZE)
    y = np.zeros_like(x)
    emulator.launch(made.ptx, made.plan["numbers"], 1, [x, y])
    assert (x == y).all()
