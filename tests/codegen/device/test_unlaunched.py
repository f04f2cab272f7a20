"""What is wrong with a launch is said where there is neither a driver nor its bindings."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tileir
from tests.launches import newest
from tileir.codegen.device import driver
from tileir.errors import LaunchError, MissingPackageError

ADDRESSES = [0, 8, 1] * 3
ON_A_GPU = SimpleNamespace(
    __cuda_array_interface__={"data": (64, False), "typestr": "<f4", "shape": (8,), "stream": 7}
)

READ_ONLY = SimpleNamespace(
    __cuda_array_interface__={"data": (64, True), "typestr": "<f4", "shape": (8,)}
)


@pytest.fixture(scope="module")
def kernel() -> Any:
    """The addition of vectors: pointer, extent and stride of each of three."""
    return tileir.compile(newest("vector_add"), "sm_90")["vector_add"]


@pytest.fixture(autouse=True)
def _without_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_bindings", driver._bindings.__wrapped__)
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)


@pytest.mark.parametrize(
    ("grid", "args", "stream", "message"),
    [
        (1, ADDRESSES[:-1], None, "takes 9 arguments, but 8 were given"),
        (1, 5, None, "the arguments must be a list, got 5"),
        (1, [0, 1 << 32, 1, *ADDRESSES[3:]], None, "parameter 1 .i32.: 4294967296 is out of range"),
        (1, [0, 1.5, 1, *ADDRESSES[3:]], None, "parameter 1 .i32.: expected an integer, got float"),
        (1, [np.zeros(8, "f4"), *ADDRESSES[1:]], None, "parameter 0 .* a numpy.ndarray that is"),
        (1, [object(), *ADDRESSES[1:]], None, "parameter 0 .* or an address, got object"),
        (1, [ON_A_GPU, *ADDRESSES[1:-1], "x"], None, "parameter 8 .i32.: expected an integer"),
        ("a", ADDRESSES, None, "the grid must be integers, got 'a'"),
        (1 << 31, ADDRESSES, None, "grid extent 2147483648 is not within 0 to 16777215"),
        ((1, -1), ADDRESSES, None, "grid extent -1 is not within"),
        ((1, 65536), ADDRESSES, None, "grid extent 65536 along y is more than 65535"),
        ((1, 1, 1, 1), ADDRESSES, None, "the grid must have 1 to 3 extents, got 4"),
        (1, ADDRESSES, "x", "expected a CUDA stream or the handle of one, got 'x'"),
        (0, ADDRESSES[:-1], None, "takes 9 arguments, but 8 were given"),
        (1, [20, *ADDRESSES[1:]], None, "parameter 0 .* a multiple of 16, got address 0x14"),
        (1, [ON_A_GPU, *ADDRESSES[1:6], READ_ONLY, 8, 1], None, "parameter 6 .* a read-only one"),
    ],
)
def test_what_is_refused(kernel: Any, grid: Any, args: Any, stream: Any, message: str) -> None:
    with pytest.raises(LaunchError, match=f"^vector_add:? {message}"):
        kernel.launch(grid, args, stream=stream)


@pytest.mark.parametrize("grid", [0, (4, 0), (1, 1, 0)])
def test_a_grid_without_blocks(grid: Any, kernel: Any) -> None:
    kernel.launch(grid, ADDRESSES)
    kernel.launch(grid, [ON_A_GPU, *ADDRESSES[1:]])
    kernel.launch(grid, [20, *ADDRESSES[1:]])  # nobody runs who assumes anything


def test_numbers_that_the_kernel_assumes_something_of() -> None:
    text = """
        entry @k(%n: tile<i32>, %p: tile<ptr<i32>>) {
          %m = assume div_by<8>, %n : tile<i32>
          %done = store_ptr_tko weak %p, %m : tile<ptr<i32>>, tile<i32> -> token
          return
        }"""
    kernel = tileir.compile(tileir.assemble(text), "sm_90")["k"]
    with pytest.raises(MissingPackageError):
        kernel.launch(1, [-8, 0])
    with pytest.raises(LaunchError, match=r"parameter 0 \(i32\): the kernel .* of 8, got -4$"):
        kernel.launch(1, [-4, 0])


def test_what_other_targets_take(kernel: Any) -> None:
    with pytest.raises(TypeError, match="'threads', which kernels compiled for the host take"):
        kernel.launch(1, ADDRESSES, threads=2)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'thread'$"):
        kernel.launch(1, ADDRESSES, thread=2)
    on_host = tileir.compile(newest("vector_add"), "host")["vector_add"]
    with pytest.raises(TypeError, match="'stream', which kernels compiled for a GPU take"):
        on_host.launch(1, ADDRESSES, stream=None)


def test_all_else_needs_them(kernel: Any) -> None:
    with pytest.raises(MissingPackageError, match="needs cuda-bindings"):
        kernel.launch(1, ADDRESSES)
