"""Kernels of cuTile compiled by tileir for a GPU, launched on a stand-in for the driver."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.codegen.device import standin
from tests.tileir.cutile.programs import WITHOUT_TORCH, cutile_without_torch, output, python
from tileir.codegen.device import driver as device_driver
from tileir.cutile import install
from tileir.cutile.gpu.driver import Kernel
from tileir.errors import UnsupportedError

if TYPE_CHECKING:
    from tileir.codegen.nvptx import CompiledEntry

HERE = Path(__file__).parent
pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("gpu", ["sm_90", "sm_80"])
def test_launches(gpu: str, tmp_path: Path) -> None:
    if reason := standin.why_not():
        pytest.skip(reason)
    program = HERE / "gpu_program.py"
    names = re.findall(r"^def (test_\w+)", program.read_text(), re.MULTILINE)
    assert output(python(program, tmp_path, gpu, path=WITHOUT_TORCH)) == names


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"threads": 2}, "threads is for the CPU, not for kernels on a GPU"),
        ({"check": "memory"}, "check is for the CPU"),
        ({"sm": "sm_90"}, "sm is for the CPU"),
        ({"compiler": "nvcc"}, "compiler must be 'tileir' or None, not 'nvcc'"),
    ],
)
def test_what_makes_no_sense(given: dict, said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        install(**{"compiler": "tileir", **given})


def test_the_command_without_a_driver(tmp_path: Path) -> None:
    """Nothing of the program runs."""
    if standin.why_not() == "there is a real driver":
        pytest.skip("there is a real driver")
    (tmp_path / "program.py").write_text("print('run')")
    done = cutile_without_torch("--gpu", tmp_path / "program.py")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == "tileir cutile: there is no NVIDIA driver here\n"
    done = cutile_without_torch("--gpu", "--threads", "2", tmp_path / "program.py")
    assert (done.returncode, done.stdout) == (4, "")
    assert "threads is for the CPU" in done.stderr


def test_a_thread_without_a_context_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the same launch is remembered from another thread."""
    made, asked = [0], []

    class Entry:
        plan: Mapping[str, Any] = {"parameters": []}

        def prepare(self, grid: tuple[int, ...], packed: bytes) -> object:
            asked.append(made[0])
            return object()

    monkeypatch.setattr(device_driver, "current_context", lambda: made[0])
    monkeypatch.setattr(device_driver, "current_device", lambda: made.__setitem__(0, 7))
    kernel = Kernel(cast("CompiledEntry", Entry()))
    first = kernel.told((1, 1, 1), 0)
    made[0] = 0  # another thread
    assert kernel.told((1, 1, 1), 0) is first
    assert (made, asked) == ([7], [7])


PROGRAM = """\
import sys
from pathlib import Path
from tests.tileir.cutile.gpu import standin
from tileir.cutile.program import main
standin.found = standin.install(Path(sys.argv[1]), (9, 0))
sys.exit(main(["--gpu", *sys.argv[2:]]))
"""
KERNEL = """\
import cuda.tile as ct
import numpy as np
from cuda.tile._cext import get_compute_capability
from tests.tileir.cutile.gpu import standin

@ct.kernel
def double(x, tile: ct.Constant[int]):
    ct.store(x, (0,), 2 * ct.load(x, (0,), (tile,)))

standin.told_of_memory(standin.found)
x = np.arange(8, dtype="i4")
ct.launch(0, (1,), double, (x, 8))
print(get_compute_capability(), x.tolist())
"""


def test_the_command(tmp_path: Path) -> None:
    """The program sees the GPU that is there, and nothing is said when the process ends."""
    if reason := standin.why_not():
        pytest.skip(reason)
    (tmp_path / "program.py").write_text(KERNEL)
    done = python("-c", PROGRAM, tmp_path, tmp_path / "program.py", path=WITHOUT_TORCH)
    assert output(done) == [f"(9, 0) {[2 * n for n in range(8)]}"]
    assert done.stderr == ""


def test_the_plugin(tmp_path: Path) -> None:
    """Its option is that of the command."""
    (tmp_path / "test_it.py").write_text("def test_it(): pass")
    options = ["-p", "tileir.cutile.plugin", "-p", "no:cacheprovider", "--cutile-gpu"]
    done = python("-m", "pytest", *options, "--cutile-threads", 2, cwd=tmp_path, path=WITHOUT_TORCH)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "threads is for the CPU, not for kernels on a GPU" in done.stderr
