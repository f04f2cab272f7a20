"""Releases of cuTile that nobody has tried: tried with a warning, or one sentence and no change.

They are made of the installed one: another version, and names of its internals changed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import WITHOUT_TORCH, cutile, python
from tileir.tools import cutile_hooks as hooks

PACKAGE = hooks.package()
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="cuda-tile is part of tileir[test]")

RELEASE = "1.8.0"
TESTED = "1.5.0, 1.6.0 and 1.7.0"
PROGRAM = """\
import cuda.tile as ct
import numpy as np

@ct.kernel
def double(x, out):
    ct.store(out, (0,), ct.load(x, (0,), (16,)) * 2)

x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
ct.launch(0, (1,), double, (x, out))
print(ct.__file__, out.sum())
"""
REFUSED = """\
import sys
import tileir.cutile
before, finders = set(sys.modules), list(sys.meta_path)
try:
    tileir.cutile.install()
except tileir.UnsupportedError as error:
    print(error)
new = set(sys.modules) - before
print(sorted(name for name in new if name.split(".")[0] in ("cuda", "torch", "cupy")))
print(sys.meta_path == finders)
"""
UNDONE = """\
import sys
import cuda.tile._compile as compiling
import cuda.tile
from tileir.tools import cutile_hooks as hooks
launch, find = cuda.tile.launch, compiling._find_compiler_bin
try:
    with hooks.all_or_none():
        cuda.tile.launch = compiling._find_compiler_bin = compiling.new = None
        sys.modules["cuda.tile._load_libcuda"] = sys
        import wave
        raise AttributeError("a hook that is not there")
except AttributeError as error:
    print(error)
print(cuda.tile.launch is launch, compiling._find_compiler_bin is find, hasattr(compiling, "new"))
print("cuda.tile._load_libcuda" in sys.modules, "wave" in sys.modules)
"""


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder with a copy of cuTile that calls itself 1.8.0."""
    folder = tmp_path / "cuda" / "tile"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    about = tmp_path / f"cuda_tile-{RELEASE}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: cuda-tile\nVersion: {RELEASE}\n")
    shutil.copy(WITHOUT_TORCH / "sitecustomize.py", tmp_path)
    return tmp_path


def change(folder: Path, file: str, old: str, new: str) -> None:
    """Replace some text of a file of cuTile, which has it."""
    path = folder / "cuda" / "tile" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_the_installed_release_has_all_that_is_used() -> None:
    assert hooks.problems(PACKAGE) == []


def test_a_newer_release_is_tried_with_a_warning(release: Path) -> None:
    """Internals that are neither used nor changed have other names in it."""
    change(release, "_compile.py", "_try_get_compiler_version", "_compiler_version_if_known")
    program = release / "program.py"
    program.write_text(PROGRAM)
    done = cutile(program, path=release)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{release / 'cuda/tile/__init__.py'} 240.0\n"
    assert done.stderr == (
        f"tileir cutile: warning: cuda-tile {RELEASE} has not been tested, only versions {TESTED}; "
        "it is tried\n"
    )


def test_one_that_lacks_something_is_refused_and_not_changed(release: Path) -> None:
    change(release, "_compile.py", "_find_compiler_bin", "_locate_compiler")
    sentence = (
        f"cuda-tile {RELEASE} is not known, and not what tileir can change: there is no "
        f"cuda.tile._compile._find_compiler_bin; tested are versions {TESTED}\n"
    )
    done = cutile("-c", PROGRAM, path=release)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == f"tileir cutile: {sentence}"
    done = python("-c", REFUSED, path=release)
    assert done.stdout == f"{sentence}[]\nTrue\n", done.stderr


CHANGES = {
    "a parameter more": (
        "_compile.py",
        "            timeout_sec: float | None = None):\n        command",
        "            timeout_sec: float | None = None, *, host: str):\n        command",
        "cuda.tile._compile._CompilerBinary.run takes (self, args, flags, timeout_sec, host)",
    ),
    "another order": (
        "tune/_tune.py",
        "    search_space: Sequence[T],\n    stream,",
        "    stream,\n    search_space: Sequence[T],",
        (
            "cuda.tile.tune._tune.exhaustive_search takes (stream, search_space, grid_fn, kernel, "
            "args_fn, hints_fn)"
        ),
    ),
    "a field less": (
        "tune/_tune.py",
        "    error_margin_us: float",
        "    spread_us: float",
        "there is no cuda.tile.tune._tune.Measurement.error_margin_us",
    ),
    "a method less": (
        "_execution.py",
        "def _pyfunc",
        "def _function",
        "there is no cuda.tile._execution.kernel._pyfunc",
    ),
    "a constant less": (
        "_load_libcuda.py",
        "cuGetProcAddress_v2_ptrptr",
        "address",
        "there is no cuda.tile._load_libcuda.cuGetProcAddress_v2_ptrptr",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_differs_is_said(name: str, release: Path) -> None:
    file, old, new, said = CHANGES[name]
    change(release, file, old, new)
    assert hooks.problems(release / "cuda" / "tile") == [said]


def test_a_module_that_is_gone_is_named_once(release: Path) -> None:
    (release / "cuda" / "tile" / "tune" / "_tune_utils.py").unlink()
    assert hooks.problems(release / "cuda" / "tile") == ["there is no cuda.tile.tune._tune_utils"]


def test_of_an_extension_without_a_stub_the_names_are_looked_for(release: Path) -> None:
    folder = release / "cuda" / "tile"
    (folder / "_cext.pyi").unlink()
    assert hooks.problems(folder) == []
    (binary,) = folder.glob("_cext.*.so")
    binary.write_bytes(binary.read_bytes().replace(b"_benchmark\0", b"_measuring\0"))
    hooks._names.cache_clear()
    assert hooks.problems(folder) == ["there is no cuda.tile._cext._benchmark"]


def test_changes_are_taken_back_together() -> None:
    done = python("-c", UNDONE)
    assert done.stdout == "a hook that is not there\nTrue True False\nFalse True\n", done.stderr
