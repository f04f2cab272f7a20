"""A program for test_gpu.py: launches through `install(compiler="tileir")` on the stand-in.

Its arguments are a folder and the GPU. It prints what it has checked.
"""

import contextlib
import ctypes
import gc
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import tileir.cutile
from tests.tileir.cutile.gpu import standin
from tileir.cutile.gpu.driver import Kernel
from tileir.gpus import capability_of

folder, gpu = sys.argv[1:]
driver = standin.install(Path(folder), capability_of(gpu))
tileir.cutile.install(compiler="tileir")

import cuda.tile as ct  # noqa: E402
from cuda.tile._exception import TileCompilerError  # noqa: E402

standin.told_of_memory(driver)
hopper = gpu == "sm_90"


@ct.kernel
def add(x, y, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))


@ct.kernel
def multiply(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    total = ct.full((m, n), 0, ct.float32)
    for step in range(ct.cdiv(a.shape[1], k)):
        left = ct.load(a, (i, step), (m, k), padding_mode=ct.PaddingMode.ZERO)
        right = ct.load(b, (step, j), (k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(left, right, total)
    ct.store(c, (i, j), total)


@ct.kernel
def total(arrays, z, tile: ct.Constant[int]):
    found = ct.full((tile,), 0, ct.float32)
    for number in range(len(arrays)):
        found = found + ct.load(arrays[number], (0,), (tile,))
    ct.store(z, (0,), found)


@ct.kernel
def scalars(z, flag, small, large: ct.ScalarInt64, real, tile: ct.Constant[int]):
    truth = ct.astype(ct.full((tile,), flag, ct.bool_), ct.float64)
    ct.store(z, (0,), truth * 0.5 + small + large + real)


def test_views():
    x = np.arange(300, dtype="f4")
    z = np.zeros(300, "f4")
    ct.launch(0, (3,), add, (x, x, z, 128))
    np.testing.assert_array_equal(z, 2 * x)
    asked, *_ = driver.launches[-1]
    assert list(asked.block) != [1, 1, 1]


def product(width):
    """Rows of the left operand are `width` elements apart."""
    rng = np.random.default_rng(7)
    whole = rng.integers(-3, 4, (128, width)).astype("f2")
    a, b = whole[:, :128], rng.integers(-3, 4, (128, 64)).astype("f2")
    c = np.zeros((128, 64), "f4")
    ct.launch(0, (1, 1), multiply, (a, b, c, 128, 64, 64))
    np.testing.assert_array_equal(c, a.astype("f4") @ b.astype("f4"))


def test_tensor_maps_and_the_twin():
    """On sm_90 tensors are described to the driver; where they cannot be, the twin is launched."""
    before = driver.calls.count("cuTensorMapEncodeTiled")
    product(128)
    encoded = driver.calls.count("cuTensorMapEncodeTiled")
    assert (encoded > before) == hopper
    if hopper:
        assert driver.launches[-1][0].shared > standin.standin.FREE_SHARED
    product(131)
    assert driver.calls.count("cuTensorMapEncodeTiled") - encoded < encoded - before or not hopper


def test_clusters():
    """cuTile counts tile blocks, the driver blocks."""
    if hopper:
        multiply_in_pairs = multiply.replace_hints(num_ctas=2)
        rng = np.random.default_rng(7)
        a, b = (rng.integers(-3, 4, shape).astype("f2") for shape in ((256, 128), (128, 128)))
        c = np.zeros((256, 128), "f4")
        ct.launch(0, (2, 1), multiply_in_pairs, (a, b, c, 128, 128, 64))
        np.testing.assert_array_equal(c, a.astype("f4") @ b.astype("f4"))
        assert list(driver.launches[-1][0].grid) == [4, 1, 1]


def test_lists():
    arrays = [np.full(16, n, "f4") for n in range(5)]
    z = np.zeros(16, "f4")
    ct.launch(0, (1,), total, (arrays, z, 16))
    assert z.tolist() == [10] * 16


def test_scalars():
    z = np.zeros(4)
    ct.launch(0, (1,), scalars, (z, True, -3, 1 << 40, 0.25, 4))
    np.testing.assert_array_equal(z, 0.5 - 3 + 2.0**40 + 0.25)


def test_launch_attributes_are_passed_on():
    x, z = np.ones(32, "f4"), np.zeros(32, "f4")
    ct.launch(0, (1,), add, (x, x, z, 32), programmatic_dependent_launch=True)
    assert z.tolist() == [2] * 32
    assert driver.launches[-1][0].count == 1


@contextlib.contextmanager
def prepared(change):
    """What the driver is told of launches, `change` has changed; or it raises."""
    original = Kernel.told
    Kernel.told = lambda *launch: change(original(*launch))
    try:
        yield
    finally:
        Kernel.told = original


def with_config(**changes):
    return prepared(lambda told: told._replace(config=told.config._replace(**changes)))


def test_what_a_driver_refuses():
    """It would refuse launches as cuTile asks for them: one thread, no leave for shared memory."""
    for changes in ({"block": (1, 1, 1)}, {"shared": 300 << 10}):
        with with_config(**changes), pytest.raises(RuntimeError, match="invalid argument") as said:
            product(128)
        assert not isinstance(said.value, tileir.TileIRError)  # cuTile's own words


def test_too_little_shared_memory():
    """No driver sees it; the kernel leaves its memory."""
    with with_config(shared=16), pytest.raises(tileir.EmulationError):
        product(128)


def test_errors_of_a_launch():
    """A grid that is too large is cuTile's own error; what we refuse arrives as we raise it."""
    x = np.ones(8, "f4")
    with pytest.raises(ValueError, match=r"Grid\[1\] is too big"):
        ct.launch(0, (1, 1 << 20), add, (x, x, x, 8))
    for error in (tileir.LaunchError("no"), KeyboardInterrupt()):

        def refuse(_, error=error):
            raise error

        with prepared(refuse), pytest.raises(type(error)) as found:
            ct.launch(0, (1,), add, (x, x, x, 8))
        assert found.value is error


def test_what_cannot_be_compiled_is_cutiles_error():
    x = np.zeros(8, "f4")
    with pytest.raises(TileCompilerError) as found:
        ct.launch(0, (1,), add, (x, x, x, 1 << 25))
    assert isinstance(found.value.__cause__, tileir.TileIRError)
    assert "at most 16777216" in str(found.value)


def test_tuning():
    x, z = np.arange(256, dtype="f4"), np.zeros(256, "f4")
    for array in (x, z):
        driver.lend(array)
    from tileir.cutile.arguments import DeviceArray

    result = ct.tune.exhaustive_search(
        [64, 128, 1 << 25],
        0,
        lambda tile: (ct.cdiv(256, tile),),
        add,
        lambda tile: (DeviceArray(x), DeviceArray(x), DeviceArray(z), tile),
        single_run_timeout_sec=60,
        quiet=True,
    )
    assert result.best.config in (64, 128)
    assert [config for config, *_ in result.failures] == [1 << 25]
    np.testing.assert_array_equal(z, 2 * x)


def test_what_is_dropped_is_forgotten():
    """And what the driver itself has loaded is still its own."""
    between = sys.modules["cuda.tile._load_libcuda"].driver
    gc.collect()  # what earlier tests left
    before = len(between._ours)

    @ct.kernel
    def fill(x, tile: ct.Constant[int]):
        ct.store(x, (0,), ct.full((tile,), 7, ct.float32))

    x = np.zeros(8, "f4")
    ct.launch(0, (1,), fill, (x, 8))
    assert x.tolist() == [7] * 8
    assert len(between._ours) == before + 2
    del fill
    gc.collect()
    assert len(between._ours) == before
    assert set(between._handles) == set(between._ours)


def function(name, count):
    """A function of the driver, as cuTile gets it."""
    between, place = sys.modules["cuda.tile._load_libcuda"].driver, ctypes.c_void_p()
    assert between.get_proc_address(name, ctypes.addressof(place), 12000, 0, None) == 0
    return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * count)(place.value)


def test_launches_of_functions():
    """cuTile's code for JAX asks for the function of a kernel, and launches that."""
    between = sys.modules["cuda.tile._load_libcuda"].driver
    x, z = np.arange(32, dtype="f4"), np.zeros(32, "f4")
    ct.launch(0, (1,), add, (x, x, z, 32))
    ours = {h: each._entry for h, each in between._ours.items() if isinstance(each, Kernel)}
    kernel = next(h for h, each in ours.items() if re.match("add_.*_I32$", each.symbol))
    found = ctypes.c_void_p()
    assert function(b"cuKernelGetFunction", 2)(ctypes.addressof(found), kernel) == 0
    z[:] = 0
    for array in (x, z):
        driver.lend(array)
    values = [part for each in (x, x, z) for part in (each.ctypes.data, 32, 1)]
    words = [ctypes.c_uint64(value) for value in values[: len(ours[kernel].elements)]]
    given = (ctypes.c_void_p * len(words))(*map(ctypes.addressof, words))
    launch = function(b"cuLaunchKernel", 11)
    assert launch(found, *[1] * 6, 0, None, ctypes.addressof(given), None) == 0
    np.testing.assert_array_equal(z, 2 * x)
    for name in (b"cuKernelGetAttribute", b"cuKernelSetAttribute"):
        assert function(name, 4)(1, 1, kernel, kernel) == 400  # CUDA_ERROR_INVALID_HANDLE


def test_kernels_of_others_are_the_drivers():
    """They are passed through as they are."""
    ptx = ctypes.create_string_buffer(OTHERS.replace("sm_90", gpu).encode())
    library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    load = function(b"cuLibraryLoadData", 8)
    assert load(ctypes.addressof(library), ctypes.addressof(ptx), *[None] * 6) == 0
    name = ctypes.create_string_buffer(b"others")
    look_up = function(b"cuLibraryGetKernel", 3)
    assert look_up(ctypes.addressof(kernel), library, ctypes.addressof(name)) == 0
    assert kernel.value in driver.kernels
    launch = function(b"cuLaunchKernelEx", 4)
    for threads, code in ((32, 0), (1, 1)):
        config = (ctypes.c_uint * 16)(1, 1, 1, threads, 1, 1)
        assert launch(ctypes.addressof(config), kernel, None, None) == code
    assert function(b"cuLibraryUnload", 1)(library) == 0
    assert library.value not in driver.libraries


OTHERS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry others()
.reqntid 32
{
ret;
}
"""


def test_installing_again():
    tileir.cutile.install(compiler="tileir")
    with pytest.raises(tileir.UnsupportedError, match="run on a GPU, compiled by tileir"):
        tileir.cutile.install()


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
