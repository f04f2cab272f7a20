"""A program for test_tuner.py: tunes a kernel on NumPy arrays, and prints what cuTile found."""

import cuda.tile as ct
import numpy as np
from cuda.tile.tune import exhaustive_search

COUNT = 64
launched: list[int] = []


@ct.kernel
def double(x, out, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (tile,)) * 2)


@ct.kernel
def spin(flag, out):
    """Runs for ever if its flag is not 0."""
    ct.store(out, (0,), ct.load(flag, (0,), (1,)))
    while ct.load(flag, (0,), (1,)).item() != 0:
        ct.atomic_add(out, 0, 1)


def arguments(tile: int) -> tuple:
    launched.append(tile)
    return x, out, tile


def show(name: str, result) -> None:
    successes = sorted(found.config for found in result.successes)
    failures = [(config, kind.__name__) for config, kind, _ in result.failures]
    print(name, "best", result.best.config in successes, "of", *successes, "failed", *failures)


x, out = np.arange(COUNT, dtype=np.float32), np.zeros(COUNT, np.float32)
for name in ("tiles", "again"):
    launched.clear()
    found = exhaustive_search(
        [12, 16, 32, 64], 0, lambda tile: (COUNT // tile,), double, arguments, quiet=True
    )
    show(name, found)
    print("measured", sorted({tile for tile in launched if launched.count(tile) > 1}))
assert (out == 2 * x).all()


def flags(value: int) -> tuple:
    return np.full(1, value, np.int32), np.zeros(1, np.int32)


show("late", exhaustive_search(
    [1, 0], 0, lambda value: (1,), spin, flags, quiet=True, single_run_timeout_sec=0.2
))  # fmt: skip
try:
    exhaustive_search([12], 0, lambda tile: (1,), double, arguments, quiet=True)
except ValueError as error:
    print("none", str(error).splitlines()[0])
