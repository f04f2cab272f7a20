"""How a process ends after something went wrong inside a launch: as python ends it."""

from __future__ import annotations

import signal
from functools import partial
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import (
    WITHOUT_TORCH,
    command,
    cutile_without_torch,
    output,
    python,
)

PROGRAM = Path(__file__).parent / "failing_program.py"
pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")


def test_caught() -> None:
    assert output(cutile_without_torch(PROGRAM, "caught"))[-1] == "KernelAssertionError"


def test_kept_in_a_cycle_with_the_driver() -> None:
    """cuTile unloads its libraries when all garbage is collected, and calls the driver then."""
    assert output(cutile_without_torch(PROGRAM, "kept"))[-1] == "kept"


@pytest.mark.parametrize("way", ["module", "command"])
@pytest.mark.parametrize(
    ("how", "code", "last"),
    [
        ("uncaught", 1, "tileir.errors.KernelAssertionError: "),
        ("interrupted", -signal.SIGINT, "Keyboard"),
    ],
)
def test_uncaught(how: str, code: int, last: str, way: str, tmp_path: Path) -> None:
    """The program's frames are shown, and of ours the one that it called."""
    run = partial(command, folder=tmp_path) if way == "command" else cutile_without_torch
    done = run(PROGRAM, how)
    assert done.returncode == code, done.stderr
    lines = done.stderr.splitlines()
    assert lines[-1].startswith(last)
    frames = [line for line in lines if line.startswith("  File ")]
    assert [PROGRAM.name in frame for frame in frames] == [True] * (len(frames) - 1) + [False]


TESTS = """\
import failing_program, pytest, tileir

@pytest.mark.parametrize("how", ["uncaught", "interrupted"])
def test_raises(how):
    with pytest.raises((tileir.KernelError, KeyboardInterrupt)):
        getattr(failing_program, how)()
"""


def test_plugin(tmp_path: Path) -> None:
    (tmp_path / "failing_program.py").write_text(PROGRAM.read_text())
    (tmp_path / "test_raises.py").write_text(TESTS)
    options = ["-p", "tileir.cutile.plugin", "-p", "no:cacheprovider"]
    done = python("-m", "pytest", *options, cwd=tmp_path, path=WITHOUT_TORCH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
