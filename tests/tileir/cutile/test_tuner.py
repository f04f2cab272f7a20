"""cuTile's tuner: which configurations it launches, its timeout, and what is wrong to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tileir.cutile.programs import cutile_without_torch, output
from tileir.cutile import tuner
from tileir.errors import UnsupportedError

PROGRAM = Path(__file__).with_name("tuning_program.py")


@pytest.mark.parametrize(
    ("asked", "valid", "measured", "told"),
    [
        ([], "16", "[]", "takes the first of 4 configurations"),
        (["--autotune", "first"], "16", "[]", "takes the first of 4 configurations"),
        (["--autotune", "2"], "16 32", "[16, 32]", "measures the first 2 of 4 configurations"),
        (["--autotune", "all"], "16 32 64", "[16, 32, 64]", None),
    ],
)
def test_configurations(asked: list[str], valid: str, measured: str, told: str | None) -> None:
    """A tile of 12 elements is none, and a launch that takes too long is not valid either."""
    pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
    done = cutile_without_torch("--threads", 1, *asked, PROGRAM)
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
    assert tuner.measured(asked) == count


@pytest.mark.parametrize("asked", ["", "0", "-1", "most", "1.5", True, 0])
def test_no_such_number(asked: str | int) -> None:
    with pytest.raises(UnsupportedError, match='autotune must be "first", "all" or a number'):
        tuner.measured(asked)
