"""A program for test_kernels.py, run with checks: accesses that leave what was passed."""

import cuda.tile as ct
import numpy as np
import pytest

from tileir.errors import KernelError

COUNT = 8


@ct.kernel
def take(x, index, z):
    ct.store(z, (0,), ct.gather(x, ct.load(index, (0,), (8,)), check_bounds=False))


@ct.kernel
def take_from_list(xs, number, index, z):
    ct.store(z, (0,), ct.gather(xs[number], ct.load(index, (0,), (8,)), check_bounds=False))


@ct.kernel
def divide(x, z):
    ct.store(z, (0,), ct.load(x, (0,), (8,)) // ct.load(z, (0,), (8,)))


def indices(last):
    return np.array([0, 1, 2, 3, 4, 5, 6, last], "i4")


def test_memory():
    x, z = np.arange(COUNT, dtype="f4"), np.zeros(COUNT, "f4")
    ct.launch(0, (1,), take, (x, indices(7), z))
    np.testing.assert_array_equal(z, x)
    for last in (8, -1, 1 << 20):
        with pytest.raises(
            KernelError, match=r"argument x, which has 32 bytes at element \[7\] in take,"
        ):
            ct.launch(0, (1,), take, (x, indices(last), z))
    with pytest.raises(KernelError, match="of argument x or z, which has 32 bytes"):
        ct.launch(0, (1,), take, (x, indices(8), x))


def test_views():
    """Memory ends where a view does, whatever it is a view of."""
    x, z = np.arange(4 * COUNT, dtype="f4"), np.zeros(COUNT, "f4")
    ct.launch(0, (1,), take, (x[::2], indices(15), z))
    assert z[7] == 30
    with pytest.raises(KernelError, match="argument x, which has 124 bytes"):
        ct.launch(0, (1,), take, (x[::2], indices(16), z))


def test_lists():
    xs, z = [np.arange(COUNT, dtype="f4") + 10 * n for n in range(3)], np.zeros(COUNT, "f4")
    ct.launch(0, (1,), take_from_list, (xs, 1, indices(7), z))
    np.testing.assert_array_equal(z, xs[1])
    with pytest.raises(KernelError, match=r"element \[7\]"):
        ct.launch(0, (1,), take_from_list, (xs, 1, indices(1 << 28), z))


def test_undefined():
    with pytest.raises(KernelError, match="division by zero"):
        ct.launch(0, (1,), divide, (np.ones(8, "i4"), np.zeros(8, "i4")))


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
