"""The stand-in for the driver, called through its addresses as C code does."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p

import ml_dtypes
import numpy as np
import pytest

from tests.corpus import FIXTURES
from tileir import assemble
from tileir.codegen.host.running.kernel_info import KernelInfo
from tileir.codegen.scalar.sizes import memory_bytes
from tileir.cutile import cutile_internals, image
from tileir.cutile.driver import Driver
from tileir.cutile.options import Options
from tileir.cutile.packed import pack
from tileir.errors import LaunchError, UnsupportedError
from tileir.ir.arrays import DTYPES
from tileir.types import Scalar

VECTOR_ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()
SUCCESS, INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED, UNKNOWN = 0, 1, 500, 801, 999
"""CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, ...: facts of cuda.h."""


class Library:
    """The functions of a driver by name."""

    def __init__(self, driver: Driver) -> None:
        self._find = driver.get_proc_address

    def __getattr__(self, name: str):
        address = c_void_p()
        assert self._find(name.encode(), addressof(address), 13000, 0, None) == SUCCESS
        return ctypes.CFUNCTYPE(c_int)(address.value)


@pytest.fixture
def driver() -> Driver:
    return Driver((12, 1), Options(threads=1))


@pytest.fixture
def cuda(driver: Driver) -> Library:
    return Library(driver)


def load(cuda: Library, bytecode: bytes) -> c_void_p:
    library = c_void_p()
    code = ctypes.create_string_buffer(pack(bytecode))
    assert cuda.cuLibraryLoadData(byref(library), code, None, None, 0, None, None, 0) == SUCCESS
    return library


def kernel_of(cuda: Library, bytecode: bytes, symbol: bytes) -> c_void_p:
    kernel = c_void_p()
    assert cuda.cuLibraryGetKernel(byref(kernel), load(cuda, bytecode), c_char_p(symbol)) == 0
    return kernel


def launch(cuda: Library, kernel: c_void_p, grid: tuple[int, int, int], values: list) -> int:
    """Launch with C values, as `cuLaunchKernelEx` takes them."""
    arguments = (c_void_p * max(len(values), 1))(*map(addressof, values))
    config = (c_uint * 16)(*grid, 1, 1, 1)
    return cuda.cuLaunchKernelEx(config, kernel, arguments, None)


def array_arguments(*arrays: np.ndarray) -> list:
    """Pointer, extent and stride of each vector."""
    return [
        value
        for array in arrays
        for value in (c_void_p(array.ctypes.data), c_int(array.size), c_int(1))
    ]


def test_a_kernel_is_launched(cuda: Library) -> None:
    kernel = kernel_of(cuda, VECTOR_ADD, b"vector_add")
    x, y = np.arange(2100, dtype="f4"), np.ones(2100, "f4")
    z = np.zeros_like(x)
    assert launch(cuda, kernel, (3, 1, 1), array_arguments(x, y, z)) == SUCCESS
    assert (z == x + 1).all()


def test_a_kernel_is_launched_the_old_way(cuda: Library) -> None:
    kernel = kernel_of(cuda, VECTOR_ADD, b"vector_add")
    x, z = np.arange(2100, dtype="f4"), np.zeros(2100, "f4")
    values = array_arguments(x, x, z)
    arguments = (c_void_p * len(values))(*map(addressof, values))
    block, nothing = (1, 1, 1), (0, None)
    assert cuda.cuLaunchKernel(kernel, 3, 1, 1, *block, *nothing, arguments, None) == SUCCESS
    assert (z == 2 * x).all()


@pytest.mark.parametrize("grid", [(1, 65536, 1), (1, 1, 65536), (2**31, 1, 1)])
def test_a_grid_that_no_gpu_has(cuda: Library, driver: Driver, grid: tuple[int, int, int]) -> None:
    kernel = kernel_of(cuda, VECTOR_ADD, b"vector_add")
    assert launch(cuda, kernel, grid, []) == INVALID_VALUE
    assert driver.error is None


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("i1", ctypes.c_bool(True), True),
        ("i8", ctypes.c_int8(-3), -3),
        ("i16", ctypes.c_int16(-300), -300),
        ("i32", c_int(-7), -7),
        ("i64", ctypes.c_int64(-(2**40)), -(2**40)),
        ("f32", ctypes.c_float(0.1), np.float32(0.1)),
        ("f64", ctypes.c_double(-1e300), -1e300),
        ("f16", ctypes.c_uint16(0x3C01), np.uint16(0x3C01).view(np.float16)),
        ("bf16", ctypes.c_uint16(0x3F81), np.uint16(0x3F81).view(ml_dtypes.bfloat16)),
    ],
)
def test_scalars_are_read_as_their_types(type: str, value: object, expected: object) -> None:
    seen = []

    class Kernel:
        info = KernelInfo("k", (Scalar(type),), (0,), memory_bytes(Scalar(type)), frozenset(), 0)

        def launch_named(self, grid, arguments, names, threads, *rest):
            seen.extend([*grid, *arguments, threads])

        def launch_packed(self, grid, data, threads, progress):
            self.launch_named(grid, np.frombuffer(data, DTYPES[type]), {}, threads)

    function = assemble(f"entry @k(%a: tile<{type}>) {{ return }}").functions[0]
    place = ctypes.create_string_buffer(32)
    start = addressof(place) + -addressof(place) % 16
    for shift in (0, 3):  # where cuTile puts arguments, and elsewhere
        ctypes.memmove(start + shift, addressof(value), ctypes.sizeof(value))
        arguments = (c_void_p * 1)(start + shift)
        for known in ({}, None):
            kernel = image.CpuKernel(Kernel(), function, checked=False)
            kernel.launch((1, 2, 3), addressof(arguments), known, 4)
            assert seen == [1, 2, 3, expected, 4]
            seen.clear()


def test_an_exception_of_a_kernel_is_kept(
    cuda: Library, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernel_of(cuda, VECTOR_ADD, b"vector_add")
    interrupt = KeyboardInterrupt()

    def interrupted(*arguments: object) -> None:
        raise interrupt

    monkeypatch.setattr(image.CpuKernel, "launch", interrupted)
    assert launch(cuda, kernel, (1, 1, 1), []) == SUCCESS
    assert driver.error is interrupt


def test_programs_ask_the_module_that_loads_the_driver(driver: Driver) -> None:
    address = c_void_p()
    find = cutile_internals._Loader(driver)._cuGetProcAddress_v2
    assert find(b"cuInit", addressof(address), 13000, 0, None) == SUCCESS
    assert ctypes.CFUNCTYPE(c_int, c_uint)(address.value)(0) == SUCCESS


def test_an_error_code_is_explained(cuda: Library) -> None:
    text = c_void_p()
    assert cuda.cuGetErrorString(UNKNOWN, byref(text)) == SUCCESS
    assert b"tileir" in ctypes.string_at(text.value)


def test_code_for_a_gpu_is_refused(cuda: Library, driver: Driver) -> None:
    code = ctypes.create_string_buffer(b"\x7fELF" + bytes(60))
    assert cuda.cuLibraryLoadData(byref(c_void_p()), code, None, None, 0, None, None, 0) == UNKNOWN
    assert isinstance(driver.error, LaunchError)
    assert "compiled for a GPU" in str(driver.error)


def test_a_kernel_that_is_not_there(cuda: Library) -> None:
    library = load(cuda, VECTOR_ADD)
    assert cuda.cuLibraryGetKernel(byref(c_void_p()), library, c_char_p(b"other")) == NOT_FOUND


def test_a_grid_without_blocks_does_nothing(cuda: Library) -> None:
    kernel = kernel_of(cuda, VECTOR_ADD, b"vector_add")
    z = np.zeros(2100, "f4")
    assert launch(cuda, kernel, (3, 0, 1), array_arguments(z + 1, z + 1, z)) == SUCCESS
    assert not z.any()


def compiled(bytecode: bytes) -> image.CpuModule:
    return image.compiled(bytecode, Options())


def test_the_same_bytecode_is_compiled_once() -> None:
    assert compiled(VECTOR_ADD) is compiled(bytes(bytearray(VECTOR_ADD)))


def test_what_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise UnsupportedError("no")

    monkeypatch.setattr(image.tileir, "compile", refuse)
    with pytest.raises(UnsupportedError):
        image.CpuModule(VECTOR_ADD, Options())
    assert image.CpuModule(assemble("").build(), Options()).entries == {}  # nothing to compile


@pytest.mark.parametrize(("attribute", "value"), [(75, 12), (76, 1), (5, 2**31 - 1), (125, 0)])
def test_device_attributes(cuda: Library, attribute: int, value: int) -> None:
    out = c_int(-1)
    assert cuda.cuDeviceGetAttribute(byref(out), attribute, 0) == SUCCESS
    assert out.value == value


def test_memory(cuda: Library) -> None:
    there = c_void_p()
    data = np.arange(1000, dtype=np.uint8)
    assert cuda.cuMemAlloc(byref(there), c_size_t(data.nbytes)) == SUCCESS
    assert there.value % 256 == 0
    source = c_void_p(data.ctypes.data)
    assert cuda.cuMemcpyHtoDAsync(there, source, c_size_t(data.nbytes), None) == SUCCESS
    assert ctypes.string_at(there.value, data.nbytes) == data.tobytes()
    assert cuda.cuMemFree(there) == SUCCESS


def test_functions_that_are_missing_say_so(cuda: Library) -> None:
    assert cuda.cuTensorMapEncodeTiled() == NOT_SUPPORTED
    assert cuda.cuCtxSynchronize() == SUCCESS
