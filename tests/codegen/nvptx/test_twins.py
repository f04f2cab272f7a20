"""Kernels with tensor maps and their twins: which of the two runs, and both are right."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.bench import workloads
from tileir import assemble, compile, emulator

TILES = (2, 2, 1)
SHAPES = {"x": (1, 75, 96), "y": (1, 96, 144), "z": (1, 75, 144)}


def source() -> str:
    """A product of batches."""
    return (Path(workloads.__file__).parent / "gemm_batched.mlir").read_text()


def less_is_known() -> str:
    """The product when it is told less of its arguments than cuTile tells it."""
    text = re.sub(r"div_by<16>(?=, %\w+ : tile<ptr)", "div_by<4>", source())
    return text.replace("div_by<16>", "div_by<2>")


@cache
def batched() -> Any:
    return compile(assemble(less_is_known()), "sm_90")


def placed(shape: tuple[int, ...], offset: int, pitch: int) -> np.ndarray:
    """An array that begins `offset` elements behind a multiple of 16, with longer rows."""
    batch, rows, columns = shape
    room = np.zeros(batch * rows * pitch + offset + 8, np.float16)
    start = (-room.ctypes.data % 16) // room.itemsize + offset
    whole = room[start : start + batch * rows * pitch].reshape(batch, rows, pitch)
    return whole[:, :, :columns]


def arguments(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> list[Any]:
    """What cuTile passes."""
    made: list[Any] = []
    for array in (x, y, z):
        made += [array, *array.shape, *(step // array.itemsize for step in array.strides)]
    return made


def operands(offset: int, longer: int) -> tuple[np.ndarray, ...]:
    """The operands of a product, x as asked for, and room for the result."""
    found = [
        placed(shape, offset * (name == "x"), shape[-1] + longer * (name == "x"))
        for name, shape in SHAPES.items()
    ]
    choice = np.random.default_rng(5)
    for array in found[:2]:
        array[:] = choice.integers(-3, 4, array.shape)
    return tuple(found)


def check(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
    np.testing.assert_array_equal(z, x.astype(np.float32) @ y.astype(np.float32))


def copies(result: emulator.Result) -> int:
    """How many instructions copied boxes."""
    counted = result.warp_instructions.items()
    return sum(times for name, times in counted if name.startswith("cp.async.bulk.tensor"))


VIEWS = pytest.mark.parametrize(
    ("offset", "longer", "boxes"),
    [(0, 0, True), (8, 16, True), (2, 0, False), (0, 2, False), (6, 4, False)],
)
"""Where the first operand begins, how much longer its rows are, and whether a map describes it."""


def test_the_plan_has_both() -> None:
    plan = batched().plan["gemm_batched"]
    assert len(plan["tensor_maps"]) == 2
    assert [row["tensor_map"] for row in plan["copies"]] == [0, 1]
    for entry in (plan["entry"], plan["twin"]["entry"]):
        assert f".visible .entry {entry}(" in batched().ptx


@VIEWS
def test_on_the_emulator(offset: int, longer: int, boxes: bool) -> None:
    arrays = operands(offset, longer)
    kernel = emulator.load(batched())["gemm_batched"]
    result = kernel.launch(TILES, arguments(*arrays), schedule="random-1")
    check(*arrays)
    assert (copies(result) > 0) == boxes


def test_nothing_to_multiply() -> None:
    """An extent of 0 is in no tensor map; the sums of nothing are zeros."""
    x, y, z = operands(0, 0)
    z[:] = -1
    kernel = emulator.load(batched())["gemm_batched"]
    result = kernel.launch(TILES, arguments(x[:, :, :0], y[:, :0], z))
    assert copies(result) == 0
    assert not z.any()


def test_tiles_that_overlap() -> None:
    """The tiles of a strided view begin where its strides say, not side by side."""
    plain = "partition_view<tile=(1x64x64), "
    assert plain in source()
    text = source().replace(plain, "strided_view<tile=(1x64x64), traversal_strides=[1,64,32], ")
    text = text.replace("make_partition_view %tview : ", "make_strided_view %tview : ")
    kernel = emulator.load(compile(assemble(text, version="13.5"), "sm_90"))["gemm_batched"]
    x, y, z = operands(0, 0)
    assert copies(kernel.launch(TILES, arguments(x, y, z))) > 0
    wide = np.pad(x, ((0, 0), (0, 0), (0, 32))).astype(np.float32)
    parts = [
        wide[:, :, 32 * k : 32 * k + 64][:, :, : 96 - 64 * k] @ y[:, 64 * k : 64 * (k + 1)]
        for k in range(2)
    ]
    np.testing.assert_array_equal(z, sum(parts))
