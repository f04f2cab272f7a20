"""A process may fork while one of its threads compiles: the child can compile too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("forking_program.py")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks with threads")


def run(*arguments: str) -> None:
    root = str(PROGRAM.parents[2])
    done = subprocess.run(
        [sys.executable, PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_children_of_a_process_that_has_compiled() -> None:
    run("12", "1")


@pytest.mark.parametrize("seed", range(3))
def test_a_child_of_a_process_that_is_still_importing(seed: int) -> None:
    run("1", str(seed), "cold")
