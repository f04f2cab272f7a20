"""Kernels of cuTile on the CPU, against NumPy and torch; each program is a process."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.tileir.cutile.programs import WITHOUT_TORCH, cutile, cutile_without_torch, output, python
from tileir.cutile import OPTIONS, plugin

HERE = Path(__file__).parent
pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)


def checks(program: str) -> list[str]:
    return re.findall(r"^def (test_\w+)", (HERE / program).read_text(), re.MULTILINE)


def test_numpy_arrays() -> None:
    done = cutile_without_torch("--threads", "2", HERE / "numpy_program.py")
    assert output(done) == checks("numpy_program.py")


def test_cupy() -> None:
    done = cutile_without_torch(HERE / "cupy_program.py")
    assert output(done) == checks("cupy_program.py")


@pytest.mark.parametrize(("itself", "seen"), [(False, "another"), (True, "tileir")])
def test_another_cupy(itself: bool, seen: str, tmp_path: Path) -> None:
    """One on the path stays, for somebody put it there; cupy itself would ask for a GPU."""
    (tmp_path / "cupy.py").write_text("whose = 'another'")
    if itself:
        (tmp_path / "cupy_backends.py").touch()
    (tmp_path / "program.py").write_text("import cupy; print(getattr(cupy, 'whose', 'tileir'))")
    assert output(cutile_without_torch("program.py", cwd=tmp_path)) == [seen]


@pytest.mark.slow
@needs_torch
def test_tensors() -> None:
    done = cutile("--sm", "sm_121", HERE / "torch_program.py")
    assert output(done) == checks("torch_program.py")


def test_checks_and_traces() -> None:
    options = ["--check", "memory,undefined"]
    for name in ("%index_of_a_tile", "2", "0", "tiel"):  # %0 is a token
        options += ["--trace", name]
    done = cutile_without_torch(*options, HERE / "checked_program.py")
    lines = output(done)
    assert done.stderr.splitlines() == [
        f"tileir cutile: warning: no kernel that was compiled has a value {name} to trace{meant}"
        for name, meant in (
            ("%index_of_a_tile", ""), ("%0", ""), ("%tiel", ", did you mean %tile?"),
        )
    ]  # fmt: skip
    assert [line for line in lines if "test_" in line] == checks("checked_program.py")
    assert any(re.search("^block .*: %2 = ", line) for line in lines)


CHILD = """\
import runpy, subprocess, sys
if sys.argv[1:]:
    print(sys.modules["torch"])
    runpy.run_path("examples/saxpy.py")
else:
    sys.exit(subprocess.run([sys.executable, __file__, "child"]).returncode)
"""


def test_children(tmp_path: Path) -> None:
    """The example in a new interpreter; its sitecustomize, which takes torch away, is not lost."""
    (tmp_path / "program.py").write_text(CHILD)
    done = cutile_without_torch("--children", tmp_path / "program.py")
    assert output(done) == ["None", "[1. 3. 5. 7.] 1999.0"]


PLUGGED = """\
import cuda.tile as ct
import numpy as np

@ct.kernel
def double(x, tile: ct.Constant[int]):
    ct.store(x, (0,), 2 * ct.load(x, (0,), (tile,)))

def test_double():
    x = np.arange(8, dtype="i4")
    ct.launch(0, (1,), double, (x, 8))
    assert x.tolist() == [2 * n for n in range(8)]
    from cuda.tile._cext import get_compute_capability
    assert get_compute_capability() == (9, 0)
"""


def test_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_double.py").write_text(PLUGGED)
    options = ["-p", "tileir.cutile.plugin", "-p", "no:cacheprovider", "--cutile-sm"]
    done = python("-m", "pytest", *options, "sm_90", cwd=tmp_path, path=WITHOUT_TORCH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cuTile: kernels run on the CPU, as sm_90" in done.stdout


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("sm", "sm_1", "^unknown GPU 'sm_1'"),
        ("threads", 0, "^threads must be at least 1, not 0$"),
        ("autotune", "most", '^autotune must be "first", "all" or a number from 1, not'),
        ("check", ["memry"], "^there is no check 'memry', only memory, undefined and nan$"),
    ],
)
def test_plugin_refuses_in_one_line(option: str, value: object, said: str) -> None:
    right = {f"cutile_{name}": option.get("default") for name, option in OPTIONS.items()}
    right["cutile_compiler"] = None
    given = SimpleNamespace(**{**right, f"cutile_{option}": value})
    with pytest.raises(pytest.UsageError, match=said):
        plugin.pytest_load_initial_conftests(SimpleNamespace(known_args_namespace=given))
