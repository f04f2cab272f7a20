"""A program for test_exit.py: what its argument says goes wrong inside a launch."""

import os
import signal
import sys
import threading

import cuda.tile as ct
import numpy as np


@ct.kernel
def grow(x, end):
    a = ct.load(x, (0,), (8,))
    ct.assert_(a < 100, "large")  # noqa: PT009
    while ct.sum(a) != end:
        a = a + 1
    ct.store(x, (0,), a)


def launch(value, end):
    x = np.full(8, value, "i4")
    ct.launch(0, (1,), grow, (x, end))
    return x.tolist()


def caught():
    try:
        launch(100, 0)
    except Exception as error:
        print(type(error).__name__)


def kept():
    """The driver and the kernel become garbage together."""
    caught()
    driver = sys.modules["cuda.tile._load_libcuda"].driver
    try:
        launch(100, 0)
    except Exception as error:
        driver.error, driver.kernel, error.driver = error, grow, driver
    print("kept")


def uncaught():
    launch(100, 0)


def interrupted():
    assert launch(1, 24) == [3] * 8
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    launch(1, 23)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
