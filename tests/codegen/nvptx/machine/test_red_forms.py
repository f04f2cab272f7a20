"""Sums in memory of several neighbours at once: which instructions, and what they leave behind."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileir
from tileir.codegen import compile, emulator
from tileir.codegen.emulator import SCHEDULES
from tileir.gpus import TARGETS

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}

VIEW = """
cuda_tile.module @m {{ entry @k(%p0: tile<ptr<{kind}>>, %n: tile<i32>) {{
  %p = assume div_by<{divisor}>, %p0 : tile<ptr<{kind}>>
  %one, %y, %z = get_tile_block_id : tile<i32>
  %half = constant <i32: 2> : tile<i32>
  %where = remi %one, %half signed : tile<i32>
  %i = iota : tile<{tile}xi32>
  %x = itof %i signed : tile<{tile}xi32> -> tile<{tile}x{kind}>
  {more}
  %t = make_tensor_view %p, shape = [{extent}], strides = [1] : {sizes}tensor_view<{shape}x{kind}, strides=[1]>
  %v = make_partition_view %t : partition_view<tile=({tile}), tensor_view<{shape}x{kind}, strides=[1]>>
  %r = atomic_red_view_tko relaxed device %v[%where], addf, %x : tile<{tile}x{kind}>, partition_view<tile=({tile}), tensor_view<{shape}x{kind}, strides=[1]>>, tile<i32> -> token
  return
}} }}
"""  # noqa: E501
POINTERS = """
cuda_tile.module @m {{ entry @k(%p0: tile<ptr<{kind}>>, %n: tile<i32>) {{
  %p = assume div_by<{divisor}>, %p0 : tile<ptr<{kind}>>
  %i = iota : tile<{tile}xi32>
  %x = itof %i signed : tile<{tile}xi32> -> tile<{tile}x{kind}>
  %base = reshape %p : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
  %all = broadcast %base : tile<1xptr<{kind}>> -> tile<{tile}xptr<{kind}>>
  %q = offset %all, %i : tile<{tile}xptr<{kind}>>, tile<{tile}xi32> -> tile<{tile}xptr<{kind}>>
  %m = reshape %n : tile<i32> -> tile<1xi32>
  %most = broadcast %m : tile<1xi32> -> tile<{tile}xi32>
  %mask = cmpi {test} %i, %most, signed : tile<{tile}xi32> -> tile<{tile}xi1>
  %old, %s = atomic_rmw_tko {order} device %q, addf, %x, %mask :
    tile<{tile}xptr<{kind}>>, tile<{tile}x{kind}>, tile<{tile}xi1> -> tile<{tile}x{kind}>, token
  {more}
  return
}} }}
"""
FORMS = {
    # What a tile of a thread's sixteen bytes becomes, by generation.
    ("f16", 75): "add.noftz.f16x2", ("f16", 90): "add.noftz.v4.f16x2",
    ("bf16", 90): "add.noftz.v4.bf16x2",
    ("f32", 75): "add.f32", ("f32", 90): "add.v4.f32", ("f64", 75): "add.f64",
}  # fmt: skip


def text(form: str, kind: str, tile: int = 1024, divisor: int = 16, extent: str = "?",
         more: str = "", order: str = "relaxed", test: str = "less_than") -> str:  # fmt: skip
    dynamic = extent == "?"
    return form.format(
        kind=kind, tile=tile, divisor=divisor, more=more, order=order, test=test, shape=extent,
        extent="%n" if dynamic else extent, sizes="tile<i32> -> " if dynamic else "",
    )  # fmt: skip


@cache
def compiled(source: str, target: str) -> Any:
    return compile(tileir.assemble(source), target)


def forms(source: str, target: str) -> set[str]:
    """The reductions in the PTX, without order and space."""
    found = re.findall(r"\b(red|atom)\.([\w.]+) ", compiled(source, target).ptx)
    return {re.sub(r"^(relaxed|acquire|release)\.gpu\.(global\.)?", "", name) for _, name in found}


def launch(source: str, target: str, grid: int, args: list, schedule: str = "random-1") -> None:
    made = compiled(source, target)
    emulator.launch(made.ptx, made.plan["k"], grid, args, schedule=schedule)


def placed(count: int, dtype: type, off: int = 0) -> np.ndarray:
    """Ones, `off` elements behind a multiple of 16 bytes."""
    size = np.dtype(dtype).itemsize
    room = np.ones(count + off + 32, dtype)
    start = -room.ctypes.data % 16 // size + off
    return room[start : start + count]


def expected(count: int, tile: int, dtype: type, blocks: int) -> np.ndarray:
    """Ones, and from each block the numbers of the elements of every second tile."""
    array = np.ones(count, dtype)
    for block in range(blocks):
        part = array[block % 2 * tile :][:tile]
        part[:] = part + np.arange(tile)[: len(part)].astype(dtype)
    return array


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("kind", DTYPES)
def test_the_widest_form_of_a_target(kind: str, target: str) -> None:
    generation = 90 if TARGETS[target].has("red vectors") else 75
    wanted = FORMS.get((kind, generation)) or FORMS.get((kind, 75), "cas.b16")
    assert forms(text(VIEW, kind, extent="2048"), target) == {wanted}
    assert forms(text(POINTERS, kind, test="greater_than_or_equal"), target) >= {wanted}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("kind", DTYPES)
def test_blocks_add_to_the_same_tiles(kind: str, target: str, schedule: str) -> None:
    array = placed(512, DTYPES[kind])
    launch(text(VIEW, kind, 256, extent="512"), target, 5, [array, 0], schedule)
    assert array.tolist() == expected(512, 256, DTYPES[kind], 5).tolist()


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("extent", [1, 250, 259, 512])
def test_nothing_is_added_behind_the_end(kind: str, target: str, extent: int) -> None:
    array = placed(520, DTYPES[kind])
    launch(text(VIEW, kind, 256), target, 4, [array, extent])
    wanted = np.ones(520, DTYPES[kind])
    wanted[:extent] = expected(extent, 256, DTYPES[kind], 4)
    assert array.tolist() == wanted.tolist()


@pytest.mark.parametrize("form", [VIEW, POINTERS])
@pytest.mark.parametrize(
    ("kind", "divisor", "known"),
    [("f32", 4, "add.f32"), ("f32", 8, "add.v2.f32"), ("f16", 2, "add.noftz.f16"),
     ("f16", 4, "add.noftz.f16x2"), ("bf16", 8, "add.noftz.v2.bf16x2")],
)  # fmt: skip
def test_as_wide_as_the_address_is_aligned(form: str, kind: str, divisor: int, known: str) -> None:
    source = text(form, kind, 1024, divisor, extent="2048")
    single = "add.f32" if kind == "f32" else f"add.noftz.{kind}"
    assert forms(source, "sm_90") | {single} == {known, single}
    dtype = DTYPES[kind]
    array = placed(1024, dtype, divisor // np.dtype(dtype).itemsize)
    launch(source, "sm_90", 1, [array, 1024])
    assert array.tolist() == expected(1024, 1024, dtype, 1).tolist()


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("most", [0, 100, 131, 256])
def test_masks_that_divide_vectors(kind: str, target: str, most: int) -> None:
    array = placed(256, DTYPES[kind])
    launch(text(POINTERS, kind, 256), target, 3, [array, most])
    wanted = np.ones(256, DTYPES[kind])
    for _ in range(3):
        wanted[:most] = wanted[:most] + np.arange(most).astype(DTYPES[kind])
    assert array.tolist() == wanted.tolist()


def test_old_values_that_are_wanted_come_one_by_one() -> None:
    more = "%r = store_ptr_tko weak %q, %old : tile<{0}xptr<f32>>, tile<{0}xf32> -> token"
    assert forms(text(POINTERS, "f32", more=more.format(1024)), "sm_90") == {"add.f32"}


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("release", "red.release.gpu.global.add.v4.f32"),
        ("acquire", "atom.acquire.gpu.global.add.f32"),
    ],
)
def test_only_what_does_not_acquire_returns_nothing(order: str, found: str) -> None:
    assert found in compiled(text(POINTERS, "f32", order=order), "sm_90").ptx


def test_where_addresses_may_be_of_shared_memory_there_are_no_vectors() -> None:
    more = """%own = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
      %u = store_ptr_tko weak %own, %one : tile<ptr<i32>>, tile<i32> -> token"""
    for kind, wanted in (("f32", "add.f32"), ("f16", "add.noftz.f16x2")):
        assert forms(text(VIEW, kind, extent="2048", more=more), "sm_90") == {wanted}


@pytest.mark.parametrize("tile", [1, 2, 64, 128])
def test_small_tiles_of_halves_go_in_pairs(tile: int) -> None:
    source = text(VIEW, "f16", tile, extent=str(2 * tile))
    assert forms(source, "sm_80") == {"add.noftz.f16x2" if tile > 1 else "add.noftz.f16"}
    array = placed(2 * tile, np.float16)
    launch(source, "sm_80", 2, [array, 0])
    assert array.tolist() == expected(2 * tile, tile, np.float16, 2).tolist()


@pytest.mark.parametrize(
    ("kind", "tile", "version"), [("f32", 256, "8.1"), ("f32", 1, "7.8"), ("f64", 256, "7.8")]
)
def test_the_version_of_ptx_is_that_of_the_form(kind: str, tile: int, version: str) -> None:
    ptx = compiled(text(VIEW, kind, tile, extent=str(2 * tile)), "sm_90").ptx
    assert re.search(r"\.version (\S+)", ptx)[1] == version


IN_LOOP = """
cuda_tile.module @m {{ entry @k(%p0: tile<ptr<{kind}>>, %q: tile<ptr<{kind}>>) {{
  %p = assume div_by<16>, %p0 : tile<ptr<{kind}>>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %s = make_tensor_view %q, shape = [2048], strides = [1] : tensor_view<2048x{kind}, strides=[1]>
  %from = make_partition_view %s : partition_view<tile=(1024), tensor_view<2048x{kind}, strides=[1]>>
  %t = make_tensor_view %p, shape = [2048], strides = [1] : tensor_view<2048x{kind}, strides=[1]>
  %to = make_partition_view %t : partition_view<tile=(1024), tensor_view<2048x{kind}, strides=[1]>>
  %first = make_token : token
  %last = for %i in (%zero to %two, step %one) : tile<i32> iter_values(%before = %first) -> (token) {{
    %x, %loaded = load_view_tko weak %from[%i] token = %before : partition_view<tile=(1024), tensor_view<2048x{kind}, strides=[1]>>, tile<i32> -> tile<1024x{kind}>, token
    %added = atomic_red_view_tko relaxed device %to[%i], addf, %x token = %loaded : tile<1024x{kind}>, partition_view<tile=(1024), tensor_view<2048x{kind}, strides=[1]>>, tile<i32> -> token
    continue %added : token
  }}
  return
}} }}
"""  # noqa: E501
"""What is added lies anywhere, and a token says that it was."""


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
@pytest.mark.parametrize("kind", ["f16", "f32"])
def test_neither_tokens_nor_where_values_come_from_matter(kind: str, target: str) -> None:
    source = IN_LOOP.format(kind=kind)
    assert forms(source, target) == {FORMS[kind, 90 if target == "sm_90" else 75]}
    values = placed(2048, DTYPES[kind], 1)
    values[:] = np.arange(2048) % 32
    array = placed(2048, DTYPES[kind])
    launch(source, target, 2, [array, values])
    assert array.tolist() == (1 + 2 * values).tolist()


@pytest.mark.oracle
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_it_assembles(tool, tmp_path: Path, target: str) -> None:
    for kind in DTYPES:
        for source in (text(VIEW, kind, 256), text(POINTERS, kind, 256, order="release")):
            file = tmp_path / "sums.ptx"
            file.write_text(compiled(source, target).ptx)
            done = tool("ptxas", f"-arch={target}", "-o", tmp_path / "sums.cubin", file)
            assert done.returncode == 0, (done.stdout + done.stderr).decode()
