"""Where a cuTile program stops: breakpoints, `--break`, and crashes told in a sentence."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import WITHOUT_TORCH, cutile_without_torch, output, python

pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")

PROGRAM = Path(__file__).parent / "stopping_program.py"


def line_of(text: str) -> int:
    return 1 + next(n for n, line in enumerate(PROGRAM.read_text().splitlines()) if text in line)


def test_a_breakpoint_in_a_kernel() -> None:
    """cuTile compiles `tileir.breakpoint` like any function; nobody is asked without a terminal."""
    lines = output(cutile_without_torch(PROGRAM, "stopped"))
    assert lines[0].startswith(
        f"breakpoint at {PROGRAM}:{line_of('tileir.breakpoint()')} in stopped, block (0, 0, 0)"
    )
    assert lines[1:] == ["  i = 0", "  total = [3., 4., 5., 6.]", "[3. 4. 5. 6.]"]


@pytest.mark.parametrize("hidden", ["", "import sys; sys.modules['cuda.tile'] = None; "])
def test_a_breakpoint_outside_of_kernels(hidden: str) -> None:
    """Also without cuTile, it is one sentence."""
    done = python("-c", f"{hidden}import tileir; tileir.breakpoint()", path=WITHOUT_TORCH)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "tileir.formats.errors.TileIRError: tileir.breakpoint() stops in kernels of cuTile only; "
        "elsewhere use Python's breakpoint()"
    )


def test_a_variable_is_traced_by_its_name() -> None:
    lines = output(cutile_without_torch("--trace", "total", PROGRAM, "stopped"))
    assert lines[0] == "block (0, 0, 0): total = [0., 1., 2., 3.]"


def test_an_assertion_shows_the_variables() -> None:
    done = cutile_without_torch("--break", "assert", PROGRAM, "asserted")
    line = line_of("ct.assert_")
    assert done.returncode == 1
    shown = f"assert: assertion failed: too large at {PROGRAM}:{line} in asserted, block (0, 0, 0)"
    assert done.stdout.splitlines()[1:] == [shown, "  half = [0. , 0.5, 1. , 1.5]"]
    frame = f'  File "{PROGRAM}", line {line}, in asserted'
    assert frame in done.stderr.splitlines(), "as if Python had run the kernel"


def test_there_is_nothing_else_to_break_on() -> None:
    done = cutile_without_torch("--break", "asert", PROGRAM, "asserted")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--break takes 'assert' or 'finding', or both, not 'asert'" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_crash() -> None:
    done = cutile_without_torch(PROGRAM, "crashed")
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS)
    (line,) = done.stderr.splitlines()
    assert line.startswith("tileir cutile: crashed (")
    assert f"{PROGRAM.name}:" in line
    assert line.endswith("it accessed memory that is not there; --check memory says where")
    assert "KernelError" in cutile_without_torch("--check", "memory", PROGRAM, "crashed").stderr
