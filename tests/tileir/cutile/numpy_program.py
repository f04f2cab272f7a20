"""A program for test_kernels.py: launches on NumPy arrays. It prints what it has checked."""

import importlib.util
import sys
import threading
from types import ModuleType

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

from tileir.cutile import image
from tileir.errors import LaunchError, UnsupportedError

COUNT, TILE = 1000, 64
GRID = (ct.cdiv(COUNT, TILE),)


@ct.kernel
def add(x, y, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))


@ct.kernel
def scaled_backwards(x, z, factor, tile: ct.Constant[int]):
    i = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    ct.scatter(z, 999 - i, ct.gather(x, i) * factor)


@ct.kernel
def copy(x, z, rows: ct.Constant[int], columns: ct.Constant[int]):
    index = (ct.bid(0), ct.bid(1))
    ct.store(z, index, ct.load(x, index, (rows, columns)))


@ct.kernel
def scalars(z, flag, small, large: ct.ScalarInt64, real, tile: ct.Constant[int]):
    truth = ct.astype(ct.full((tile,), flag, ct.bool_), ct.float64)
    ct.store(z, (0,), truth * 0.5 + small + large + real)


@ct.kernel
def tuples(pair, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(pair[0], (i,), (tile,)) - ct.load(pair[1], (i,), (tile,)))


def ramp(dtype="f4"):
    return np.arange(COUNT).astype(dtype)


def test_views():
    z = ramp()
    ct.launch(0, GRID, add, (ramp(), np.full(COUNT, 2, "f4"), z, TILE))
    np.testing.assert_array_equal(z, ramp() + 2)


def test_gather_and_scatter():
    z = np.zeros(COUNT, "f4")
    ct.launch(0, GRID, scaled_backwards, (ramp(), z, 0.25, TILE))
    np.testing.assert_array_equal(z, ramp()[::-1] / 4)


def test_strides():
    z = np.zeros((40, 50), "i2")
    x = np.arange(4000, dtype="i2").reshape(50, 80)[:, ::2].T
    ct.launch(0, (3, 4), copy, (x, z, 16, 16))
    np.testing.assert_array_equal(z, x)


def test_element_types():
    for dtype in ("?", "i1", "u1", "u2", "i8", "f2", "f8", ml_dtypes.bfloat16):
        x = (np.arange(96) % 3).astype(dtype).reshape(8, 12)
        z = np.zeros_like(x)
        ct.launch(0, (2, 3), copy, (x, z, 4, 4))
        np.testing.assert_array_equal(z, x)


def test_scalars():
    z = np.zeros(4)
    ct.launch(0, (1,), scalars, (z, True, -3, 1 << 40, 0.25, 4))
    np.testing.assert_array_equal(z, 0.5 - 3 + 2.0**40 + 0.25)


def test_tuples():
    z = ramp()
    ct.launch(0, GRID, tuples, ((ramp(), np.ones(COUNT, "f4")), z, TILE))
    np.testing.assert_array_equal(z, ramp() - 1)


def test_threads():
    results = [np.zeros(COUNT, "f4") for _ in range(8)]

    def work(z):
        for _ in range(20):
            ct.launch(0, GRID, add, (ramp(), z, z, TILE))

    threads = [threading.Thread(target=work, args=(z,)) for z in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for z in results:
        np.testing.assert_array_equal(z, 20 * ramp())


def test_tuning():
    z = np.zeros(COUNT, "f4")
    result = ct.tune.exhaustive_search(
        [128, 256],
        0,
        lambda tile: (ct.cdiv(COUNT, tile),),
        add,
        lambda tile: (ramp(), ramp(), z, tile),
        single_run_timeout_sec=60,
        quiet=True,
    )
    assert result.best.config in (128, 256)
    assert {type(m.mean_us) for m in result.successes} == {float}
    np.testing.assert_array_equal(z, 2 * ramp())


def test_no_blocks():
    z = ramp()
    ct.launch(0, (0,), add, (ramp(), ramp(), z, TILE))
    np.testing.assert_array_equal(z, ramp())


def raised(error, *arguments):
    with pytest.raises(error) as found:
        ct.launch(*arguments)
    return found.value


def test_cutiles_own_errors():
    assert "Grid[1] is too big" in str(raised(ValueError, 0, (1, 1 << 20), add, (*[ramp()] * 3, 8)))
    raised(TypeError, None, GRID, add, (*[ramp()] * 3, 8))


def test_read_only_arrays():
    fixed = ramp()
    fixed.flags.writeable = False
    error = raised(LaunchError, 0, GRID, add, (ramp(), ramp(), fixed, TILE))
    assert str(error).endswith(": argument z is a read-only array, to which it writes")
    z = ramp()
    ct.launch(0, GRID, add, (fixed, fixed, z, TILE))
    np.testing.assert_array_equal(z, 2 * ramp())


def test_negative_strides():
    for x in (ramp()[::-1], (ramp()[::-1],)):
        error = raised(LaunchError, 0, GRID, add, (ramp(), x, ramp(), TILE))
        assert str(error).startswith("argument y")
        assert str(error).endswith(" has negative strides, which cuTile cannot express")


def test_errors_of_a_launch():
    """The very exception arrives, as if nothing of C had been in between."""
    original = image.CpuKernel.launch
    for error in (LaunchError("broken"), KeyboardInterrupt()):

        def fail(*arguments, error=error):
            raise error

        image.CpuKernel.launch = fail
        try:
            assert raised(type(error), 0, GRID, add, (*[ramp()] * 3, TILE)) is error
            assert sys.modules["cuda.tile._load_libcuda"].driver.error is None
        finally:
            image.CpuKernel.launch = original


def test_what_cannot_be_compiled():
    original = image.tileir.compile

    def refuse(bytecode, check, trace):
        raise UnsupportedError(f"nothing of {bytecode.functions[0].name[:3]} is lowered")

    image.tileir.compile = refuse
    try:
        error = raised(UnsupportedError, 0, GRID, add, (*[ramp("f8")] * 3, 16))
        assert str(error) == "nothing of add is lowered"
        assert error.__traceback__.tb_next.tb_next is None  # no frames of cuTile
    finally:
        image.tileir.compile = original


def test_a_tile_that_is_too_large():
    error = raised(UnsupportedError, 0, GRID, add, (*[ramp()] * 3, 1 << 25))
    assert str(error).startswith("add_")
    assert "numpy_program.py:21:" in str(error)
    assert "33554432 or more elements, a tile has at most 16777216" in str(error)
    assert "\n" not in str(error)


def test_refused_imports():
    sys.modules.setdefault("numba", ModuleType("numba")).__path__ = []
    for name in ("cupyx", "numba.cuda"):
        with pytest.raises(ModuleNotFoundError, match=f"{name} needs a GPU"):
            importlib.util.find_spec(name)


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
