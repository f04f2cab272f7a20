"""A program for test_stopping.py: a breakpoint, an assertion that is false, and a crash."""

import sys

import cuda.tile as ct
import numpy as np

import tileir


@ct.kernel
def stopped(x, n):
    i = ct.bid(0)
    total = ct.load(x, (i,), (4,))
    for j in range(n):
        total += j
    tileir.breakpoint()
    ct.store(x, (i,), total)


@ct.kernel
def asserted(x, most):
    half = ct.load(x, (0,), (4,)) / 2
    ct.assert_(half < most, "too large")  # noqa: PT009


@ct.kernel
def crashed(x, i):
    ct.scatter(x, i, 1.0, check_bounds=False)


x = np.arange(4, dtype=np.float32)
if sys.argv[1] == "stopped":
    ct.launch(0, (1,), stopped, (x, 3))
    print(x)
elif sys.argv[1] == "asserted":
    ct.launch(0, (1,), asserted, (x, 1.5))
else:
    ct.launch(0, (1,), crashed, (x, -(2**30)))
