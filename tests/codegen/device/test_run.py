"""`tileir run --target`: the command on a GPU."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import NEWEST
from tileir.command_line.exit_codes import OUTSIDE, USAGE
from tileir.command_line.running import main_of

from . import standin
from .standin import Driver

KERNEL = str(NEWEST["vector_add"])


def arguments(*arrays: str) -> list[str]:
    """Three vectors of ten."""
    return [word for array in arrays for n in (array, "10", "1") for word in ("--arg", n)]


@pytest.mark.parametrize("target", ["gpu", "sm_80"])
def test_a_kernel_runs_there(target: str, driver: Driver, tmp_path: Path, capsys) -> None:
    x, y, z = (tmp_path / f"{name}.npy" for name in "xyz")
    np.save(x, np.arange(10, dtype=np.float32))
    np.save(y, np.ones(10, np.float32))
    words = [*arguments(str(x), str(y), "zeros:10:f32"), "--save", f"6={z}", "--time", "2"]
    assert main_of("run", [KERNEL, "--target", target, "--json", *words]) == 0
    assert np.load(z).tolist() == list(range(1, 11))
    assert json.loads(capsys.readouterr().out)["time"]["runs"] == 2
    assert len(driver.launches) == 2
    calls = driver.calls
    assert calls.index("cuLibraryLoadData") < calls.index("cuLaunchKernelEx")
    assert not driver.memory


@pytest.mark.parametrize("words", [["--threads", "2"], ["--check", "memory"], ["--trace", "x"]])
@pytest.mark.parametrize("target", ["gpu", "sm_90"])
def test_what_is_for_the_cpu_alone(target: str, words: list[str], capsys) -> None:
    """It is wrong use whether there is a GPU or not."""
    given = [KERNEL, "--target", target, *arguments(*["zeros:10:f32"] * 3), *words]
    assert main_of("run", given) == USAGE
    assert f"{words[0]} is for --target host" in capsys.readouterr().err


def test_what_is_asked_of_the_launch(driver: Driver, capsys) -> None:
    given = [KERNEL, *arguments(*["zeros:10:f32"] * 3), "--num-warps", "8"]
    assert main_of("run", [*given, "--target", "sm_90"]) == 0
    assert list(driver.launches[0][0].block) == [256, 1, 1]
    assert main_of("run", given) == USAGE
    assert "--num-warps is for GPUs, not for --target host" in capsys.readouterr().err


def test_a_target_that_does_not_exist(capsys) -> None:
    given = [KERNEL, "--target", "sm_91", *arguments(*["zeros:10:f32"] * 3)]
    assert main_of("run", given)
    assert "unknown target 'sm_91'" in capsys.readouterr().err


def test_arrays_must_fit_on_a_gpu_too(driver: Driver, capsys) -> None:
    given = [KERNEL, "--target", "gpu", *arguments(*["zeros:10:f64"] * 3)]
    assert main_of("run", given) == USAGE
    assert "parameter 0 (ptr<f32>): expected an array of float32, got float64" in (
        capsys.readouterr().err
    )


def test_there_has_to_be_one() -> None:
    if not standin.installed and standin.why_not():
        pytest.skip(standin.why_not())
    given = ["run", KERNEL, "--target", "gpu", *arguments(*["zeros:10:f32"] * 3)]
    done = subprocess.run(
        [sys.executable, "-m", "tileir", *given], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (OUTSIDE, "")
    assert done.stderr.startswith("tileir run: there is no NVIDIA driver here")
    assert len(done.stderr.splitlines()) == 1
