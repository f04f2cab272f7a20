"""Tensor maps of a launch plan on the emulator: what is copied, and when the twin runs instead."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.codegen import copied_boxes as boxes
from tileir import Buffer, LaunchError, emulator
from tileir.codegen.emulator.threads.schedules import SCHEDULES

COPY = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"


def launched(matrix: np.ndarray, base: Any = None, **options: Any) -> Any:
    """Launch on a matrix, or from another base on; return what was counted."""
    across, down = boxes.grid_of(matrix)
    out = np.full(across * down * boxes.ROWS * boxes.COLUMNS, -1, np.float16)
    pitch = matrix.strides[0] // matrix.itemsize
    kernel = emulator.load(boxes.ptx(), boxes.plan())["boxes"]
    args = [matrix if base is None else base, *matrix.shape, pitch, out]
    result = kernel.launch((across, down), args, **options)
    np.testing.assert_array_equal(out, boxes.expected(matrix))
    return result.thread_instructions


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_boxes_are_copied(schedule: str) -> None:
    matrix = boxes.matrix()
    assert launched(matrix, schedule=schedule)[COPY] > 0


def test_other_memory() -> None:
    matrix = boxes.matrix()
    for base in (Buffer(matrix.ctypes.data, matrix.nbytes), matrix.ctypes.data):
        assert launched(matrix, base, allocations=[matrix])[COPY] > 0


@pytest.mark.parametrize("part", [np.s_[:, 8:], np.s_[5:, :40], np.s_[::2]])
def test_views_that_tensor_maps_describe(part: Any) -> None:
    assert launched(boxes.matrix()[part])[COPY] > 0


@pytest.mark.parametrize(
    ("matrix", "part"),
    [
        (boxes.matrix(), np.s_[:, 1:]),
        (boxes.matrix(), np.s_[3:, 7:90]),
        (boxes.matrix(20, 100), np.s_[:]),
        (boxes.matrix(20, 65), np.s_[:, :64]),
    ],
)
def test_others_are_for_the_twin(matrix: np.ndarray, part: Any) -> None:
    """Their base or their rows are no multiples of 16 bytes."""
    counted = launched(matrix[part])
    assert counted[COPY] == 0 < counted["ld.global.u16"]


def test_without_rows() -> None:
    """No tensor map has an extent of 0, but a kernel may be given one."""
    out = np.full(1024, -1, np.float16)
    kernel = emulator.load(boxes.ptx(), boxes.plan())["boxes"]
    kernel.launch((1, 1), [boxes.matrix(), 0, 104, 104, out])
    assert not out.any()


def test_without_a_twin() -> None:
    matrix, out = boxes.matrix()[:, 1:], np.zeros(6144, np.float16)
    kernel = emulator.load(boxes.ptx(), boxes.plan(twin=None))["boxes"]
    address = matrix.ctypes.data
    message = (
        f"boxes: parameter 0 (ptr<f16>) is {address}, where tensor maps need a multiple of 16 from"
        " 1 to 18446744073709551615, and it has no entry without tensor maps"
    )
    with pytest.raises(LaunchError, match=re.escape(message)):
        kernel.launch((2, 3), [matrix, 37, 103, 104, out])


@pytest.mark.parametrize("schema", [1, 3, "2", None])
def test_other_schemas(schema: Any) -> None:
    message = f"boxes: its launch plan has schema {schema!r}, and this launcher reads 2"
    with pytest.raises(LaunchError, match=f"^{message}$"):
        emulator.load(boxes.ptx(), boxes.plan(schema=schema))
    with pytest.raises(LaunchError, match=f"{message}$"):
        emulator.launch(boxes.ptx(), boxes.plan(schema=schema), 1, [])


def broken(name: str, **changes: Any) -> Any:
    (row, *_) = boxes.plan()[name]
    return {name: [row | changes]}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        (broken("tensor_maps", box=3), "tensor_maps"),
        (broken("tensor_maps", offset="64"), "tensor_maps"),
        (broken("tensor_maps", base={"parameter": 9, "times": 1, "plus": 0}), "tensor_maps"),
        ({"tensor_maps": [{}]}, "tensor_maps"),
        ({"tensor_maps": 1}, "tensor_maps"),
        (broken("guard", parameter="p"), "guard"),
        ({"guard": [{}]}, "guard"),
        ({"twin": {"entry": "plain"}}, "twin"),
        ({"twin": {"entry": "plain", "block": [0, 1, 1], "dynamic_shared_memory": 0}}, "twin"),
    ],
)
def test_invalid_plans(changes: Any, name: str) -> None:
    with pytest.raises(LaunchError, match=f"the launch plan of boxes has no valid '{name}'"):
        emulator.load(boxes.ptx(), boxes.plan(**changes))


def test_what_is_in_no_tensor_map() -> None:
    """A recipe that no driver would encode is an error of the launch."""
    kernel = emulator.load(boxes.ptx(), boxes.plan(**broken("tensor_maps", swizzle=64)))["boxes"]
    out = np.zeros(6144, np.float16)
    with pytest.raises(LaunchError, match="rows of 128 bytes are longer than the swizzle of 64"):
        kernel.launch((2, 3), [boxes.matrix(), 37, 104, 104, out])
