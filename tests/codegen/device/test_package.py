"""Kernels of a package on a driver: PTX is loaded as it is, a cubin where there is no PTX."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.launches import Launch, newest
from tests.tileir.tilepack.making import made_for, package
from tileir.codegen.device import driver as ours
from tileir.codegen.device.copies import copied
from tileir.errors import DeviceError, LaunchError
from tileir.tilepack.making import make_package
from tileir.tilepack.package import Package

from .standin import Driver


def test_a_kernel_is_launched(driver: Driver) -> None:
    number = np.zeros(1, np.int32)
    driver.lend(number)
    kernel = Package.parse(package()).for_gpu()["first"]
    kernel.launch(1, [tileir.Buffer(number.ctypes.data, 4), 7])
    assert number[0] == 7
    with pytest.raises(LaunchError, match=r"first: parameter 1 \(i32\)"):
        kernel.launch(1, [tileir.Buffer(number.ctypes.data, 4), "x"])


def test_tensor_maps_are_made_there(driver: Driver) -> None:
    """A kernel with a twin, whose plan has recipes: bit for bit what is expected."""
    about = Launch("matmul")
    made = make_package(newest("matmul"), ["sm_80", "sm_90"], {})
    kernel, arrays = Package.parse(made).for_gpu()[about.entry], about.arrays()
    assert kernel.plan["tensor_maps"]
    assert kernel.plan["twin"]
    with copied(about.arguments(arrays)) as arguments:
        kernel.launch(about.grid, arguments)
    about.check(arrays)
    columns = [np.asfortranarray(array) for array in arrays.values()]
    with pytest.raises(LaunchError, match="array 0 has a stride of 100 along dimension 1, where"):
        kernel.launch_arrays(about.grid, *columns)


def test_a_cubin_is_loaded_as_it_is(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    def load(image: bytes) -> None:
        loaded.append(image)
        raise DeviceError("no")

    monkeypatch.setattr(ours, "load", load)
    for code in (("sm_90", "", "sm_90"), ("sm_90", "sm_90", "sm_90")):
        with pytest.raises(DeviceError):
            Package.parse(made_for(code))["sm_90"]["k"].launch(1, [])
    assert loaded == [b"cubin", b"PTX"]
