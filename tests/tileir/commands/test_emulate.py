"""`tileir run --emulate`: kernels for GPUs on the emulator, its options, exit codes."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
FIRST = ["--random", "100:f32:7", "--arg", 100, "--arg", 1]
SECOND = ["--zeros", "100:f32", "--arg", 100, "--arg", 1]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return call(main, "run", VECTOR_ADD, *FIRST, *SECOND, *arguments)


@pytest.mark.parametrize("options", [(), ("--schedule", "random-3"), ("--no-races",)])
def test_results_are_those_of_the_host(tmp_path: Path, options: tuple[str, ...]) -> None:
    for name, more in (("host", ()), ("gpu", ("--emulate", "sm_80", *options))):
        done = run(*SECOND, *more, "--grid", 1, "--save", f"6={tmp_path / name}.npy")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    np.testing.assert_array_equal(np.load(tmp_path / "gpu.npy"), np.load(tmp_path / "host.npy"))


def test_a_mistake() -> None:
    third = ["--zeros", "96:f32", "--arg", 100, "--arg", 1]
    done = run(*third, "--emulate", "sm_90")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("tileir run: bounds: write of 16 bytes at global address")
    assert "block (0, 0, 0), thread 24\n" in done.stderr
    assert "\n  right behind the 384 bytes of parameter 6\n" in done.stderr
    assert re.search(r"^  at \S+/elementwise\.py:16$", done.stderr, re.MULTILINE)
    error = json.loads(run(*third, "--emulate", "sm_90", "--json").stdout)["error"]
    assert (error["kind"], error["block"], error["threads"]) == ("bounds", [0, 0, 0], [24])
    assert error["line"] > 1
    assert error["address"] % 16 == 0


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--emulate", "gpu"], 2, "--emulate takes the name of a GPU"),
        (["--emulate", "host"], 2, "--emulate takes the name of a GPU"),
        (["--emulate", "sm_90", "--target", "sm_80"], 2, "instead of --target"),
        (["--emulate", "sm_9"], 4, "there is no GPU 'sm_9', did you mean sm_90?"),
        (["--emulate", "sm_90", "--schedule", "best"], 2, "no schedule 'best': one of lock-step"),
        (["--emulate", "sm_90", "--time", "3"], 2, "--time says nothing about a GPU"),
        (["--emulate", "sm_90", "--threads", "3"], 2, "--threads is for --target host"),
        (["--schedule", "ascending"], 2, "--schedule needs --emulate"),
        (["--no-races"], 2, "--no-races needs --emulate"),
    ],
)
def test_wrong_use(options: list[str], code: int, message: str) -> None:
    done = run(*SECOND, *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
