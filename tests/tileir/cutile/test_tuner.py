"""cuTile's tuner: which configurations it launches, its timeout, and what is wrong to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tileir.cutile.programs import cutile_without_torch, output
from tileir.cutile.options import measured
from tileir.errors import UnsupportedError

PROGRAM = """\
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
))
try:
    exhaustive_search([12], 0, lambda tile: (1,), double, arguments, quiet=True)
except ValueError as error:
    print("none", str(error).splitlines()[0])
"""
"""Tunes a kernel on NumPy arrays, then one that runs for ever if its flag is not 0."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("asked", "valid", "measured", "told"),
    [
        ([], "16", "[]", "takes the first of 4 configurations"),
        (["--autotune", "first"], "16", "[]", "takes the first of 4 configurations"),
        (["--autotune", "2"], "16 32", "[16, 32]", "measures the first 2 of 4 configurations"),
        (["--autotune", "all"], "16 32 64", "[16, 32, 64]", None),
    ],
)
def test_configurations(
    asked: list[str], valid: str, measured: str, told: str | None, tmp_path: Path
) -> None:
    """A tile of 12 elements is none, and a launch that takes too long is not valid either."""
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = cutile_without_torch("--threads", 1, *asked, program)
    lines = output(done)
    for name, found in zip(("tiles", "again"), (lines[:2], lines[2:4]), strict=True):
        first, second = found
        assert first.startswith(f"{name} best True of {valid} failed (12, '")
        assert second == f"measured {measured}"
    assert lines[4:] == [
        "late best True of 0 failed (1, 'TileLaunchTimeoutError')",
        "none No valid config found in search space.",
    ]
    assert done.stderr.count("tileir cutile: the tuner") == (told is not None)
    assert told is None or told in done.stderr


@pytest.mark.parametrize(("asked", "count"), [("first", 0), ("all", None), ("7", 7), (1, 1)])
def test_how_many(asked: str | int, count: int | None) -> None:
    assert measured(asked) == count


@pytest.mark.parametrize("asked", ["", "0", "-1", "most", "1.5", True, 0])
def test_no_such_number(asked: str | int) -> None:
    with pytest.raises(UnsupportedError, match='autotune must be "first", "all" or a number'):
        measured(asked)
