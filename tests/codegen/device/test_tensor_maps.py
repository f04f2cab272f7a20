"""Tensor maps of a launch on a GPU: what the driver is asked for, and when the twin is launched."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from tests.codegen import copied_boxes as boxes
from tests.codegen.nvptx import test_twins as twins
from tileir import assemble, compile
from tileir.codegen.arguments.tensor_maps import TensorMap
from tileir.codegen.device import driver as ours
from tileir.codegen.device import tensor_maps
from tileir.codegen.device.image import Image
from tileir.codegen.nvptx import CompiledEntry
from tileir.errors import DeviceError, LaunchError

from . import encoded_maps
from .standin import Driver

ENCODE = "cuTensorMapEncodeTiled"


def kernel(**changes: Any) -> CompiledEntry:
    image = Image(lambda _: boxes.ptx())
    return CompiledEntry("boxes", boxes.ELEMENTS, boxes.plan(**changes), image)


class Device:
    """A matrix and the copies of its tiles in memory of the device."""

    def __init__(self, driver: Driver, matrix: np.ndarray) -> None:
        self.driver, self.matrix = driver, matrix
        across, down = self.grid = boxes.grid_of(matrix)
        self.out = np.full(across * down * boxes.ROWS * boxes.COLUMNS, -1, np.float16)
        whole = matrix if matrix.base is None else matrix.base
        self.driver.lend(whole)
        self.driver.lend(self.out)

    def launch(self, kernel: CompiledEntry) -> None:
        pitch = self.matrix.strides[0] // self.matrix.itemsize
        sizes = [*self.matrix.shape, pitch]
        kernel.launch(self.grid, [self.matrix.ctypes.data, *sizes, self.out.ctypes.data])
        assert self.driver.problem is None
        np.testing.assert_array_equal(self.out, boxes.expected(self.matrix))


def test_boxes_are_copied(driver: Driver) -> None:
    device, copies = Device(driver, boxes.matrix()), kernel()
    device.launch(copies)
    assert driver.calls.count(ENCODE) == 1


def test_maps_are_kept_by_the_values_of_arguments(driver: Driver) -> None:
    device, other, copies = Device(driver, boxes.matrix()), Device(driver, boxes.matrix()), kernel()
    for each, encoded in ((device, 1), (device, 1), (other, 2), (device, 2)):
        each.launch(copies)
        assert driver.calls.count(ENCODE) == encoded
    device.matrix = device.matrix[2:]
    device.launch(copies)
    assert driver.calls.count(ENCODE) == 3


def test_the_twin(driver: Driver) -> None:
    """The base is no multiple of 16."""
    device = Device(driver, boxes.matrix()[:, 3:])
    plain = {**boxes.plan()["twin"], "dynamic_shared_memory": 64}
    device.launch(kernel(twin=plain))
    assert ENCODE not in driver.calls
    assert driver.launches[-1][0].shared == 64


@twins.VIEWS
def test_twins_of_compiled_kernels(offset: int, longer: int, boxes: bool, driver: Driver) -> None:
    multiply(twins.batched()["gemm_batched"], driver, offset, longer)
    assert (ENCODE in driver.calls) == boxes


def test_a_twin_is_made_when_a_launch_needs_it(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def load(ptx: bytes) -> Any:
        loaded.append(ptx.decode())
        return real(ptx)

    real = ours.load
    monkeypatch.setattr(ours, "load", load)
    compiled = compile(assemble(twins.less_is_known()), "sm_90")
    entry, twin = (f".entry gemm_batched{end}(" for end in ("", "_without_tensor_maps"))
    kernel = compiled["gemm_batched"]
    for offset in (0, 8):
        multiply(kernel, driver, offset, 0)
        assert [(entry in text, twin in text) for text in loaded] == [(True, False)]
    multiply(kernel, driver, 2, 0)
    assert loaded[1:] == [compiled.ptx]
    assert twin in compiled.ptx


def multiply(kernel: CompiledEntry, driver: Driver, offset: int, longer: int) -> None:
    """Launch a product of the operands of `twins`, and check it."""
    arrays = twins.operands(offset, longer)
    for array in arrays:
        driver.lend(array.base if array.base.base is None else array.base.base)
    given = [
        each.ctypes.data if isinstance(each, np.ndarray) else each
        for each in twins.arguments(*arrays)
    ]
    kernel.launch(twins.TILES, given)
    assert driver.problem is None
    twins.check(*arrays)


def test_without_a_twin(driver: Driver) -> None:
    device = Device(driver, boxes.matrix()[:, 3:])
    address = device.matrix.ctypes.data
    message = f"boxes: parameter 0 (ptr<f16>) is {address}, where tensor maps need a multiple of 16"
    with pytest.raises(LaunchError, match=f"^{re.escape(message)}"):
        device.launch(kernel(twin=None))
    assert not driver.launches


def test_what_the_driver_refuses(driver: Driver) -> None:
    device, plan = Device(driver, boxes.matrix()), boxes.plan()
    plan["tensor_maps"][0]["box"] = [64, 512]
    message = (
        f"boxes: tensor map 0 of address {device.matrix.ctypes.data:#x}: {ENCODE}: invalid argument"
        " (CUDA_ERROR_INVALID_VALUE)"
    )
    with pytest.raises(DeviceError, match=re.escape(message)):
        device.launch(kernel(tensor_maps=plan["tensor_maps"]))
    assert not driver.launches


def test_other_schemas(driver: Driver) -> None:
    message = "^boxes: its launch plan has schema 1, and this launcher reads 2$"
    with pytest.raises(LaunchError, match=message):
        kernel(schema=1).launch(1, [])


@pytest.mark.parametrize("number", encoded_maps.TYPES)
@pytest.mark.parametrize("rank", [1, 5])
@pytest.mark.parametrize("span", encoded_maps.SPANS)
def test_every_map_is_what_was_asked_for(number: int, rank: int, span: int, driver: Driver) -> None:
    element = encoded_maps.TYPES[number]
    inner = 16 // encoded_maps.SIZES.get(element, 8)
    asked = TensorMap(
        element, 1 << 40, (1 << 31, 2, 3, 4, 5)[:rank], (16, 1 << 39, 48, 64)[: rank - 1],
        (inner, 256, 2, 1, 3)[:rank], span,
    )  # fmt: skip
    assert driver.calls.count(ENCODE) == 0
    found = encoded_maps.decode(tensor_maps.encode(asked, 0))
    assert (found.element, found.base, found.swizzle) == (element, asked.base, span)
    for name in ("extents", "strides", "box"):
        assert tuple(getattr(found, name)) == getattr(asked, name)


def test_the_numbers_are_those_of_the_bindings(driver: Driver) -> None:
    names = {
        "CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE": {
            "UINT8": "u8", "UINT16": "u16", "UINT32": "u32", "INT32": "s32", "UINT64": "u64",
            "INT64": "s64", "FLOAT16": "f16", "BFLOAT16": "bf16", "FLOAT32": "f32",
            "FLOAT64": "f64", "TFLOAT32": "tf32",
        },
        "CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE": {"NONE": 0, "32B": 32, "64B": 64, "128B": 128},
    }  # fmt: skip
    numbers = {
        "CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE": tensor_maps.NO_INTERLEAVE,
        "CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B": tensor_maps.L2_128B,
        "CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE": tensor_maps.ZEROS,
    }
    for (start, ends), table in zip(
        names.items(), (tensor_maps.DATA_TYPES, tensor_maps.SWIZZLES), strict=True
    ):
        numbers |= {f"{start}_{end}": table[key] for end, key in ends.items()}
        assert len(ends) == len(table)
    bindings = ours._bindings()
    for name, number in numbers.items():
        assert attrgetter(name)(bindings) == number


GOOD = TensorMap("f16", 1 << 20, (8, 8), (16,), (8, 8), 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"base": 8}, {"base": 0}, {"extents": (8, 0)}, {"extents": (8, 2**32 + 1)},
        {"strides": (24,)}, {"strides": (1 << 40,)}, {"box": (4, 8)}, {"box": (8, 257)},
        {"box": (0, 8)}, {"box": (32, 8), "swizzle": 32},
        {"extents": (8,) * 6, "strides": (16,) * 5, "box": (8,) * 6},
    ],
)  # fmt: skip
def test_the_stand_in_refuses_what_drivers_do(changes: dict[str, Any], driver: Driver) -> None:
    assert len(tensor_maps.encode(GOOD, 0)) == 128
    with pytest.raises(DeviceError, match="CUDA_ERROR_INVALID_VALUE"):
        tensor_maps.encode(GOOD._replace(**changes), 0)
