"""The same bytes give the same PTX, LLVM IR and plan, whatever else differs."""

from __future__ import annotations

import locale
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, ROOT

PROGRAM = Path(__file__).with_name("same_ptx_program.py")
NAMES = ("helper_calls", "softmax", "mma_f16", "matmul", "print_values", "module_globals")
FILES = [
    FIXTURES / ("13.5" if name == "module_globals" else "13.4") / f"{name}.tileirbc"
    for name in NAMES
]


def run(python: str, folder: Path, threads: int = 1, **environment: str) -> str:
    """What the program prints, started in a folder by some Python."""
    command = [python, str(PROGRAM), str(threads), *map(str, FILES)]
    paths = {"PYTHONPATH": str(ROOT), **environment}
    return subprocess.check_output(command, cwd=folder, env={**os.environ, **paths}, text=True)


@pytest.fixture(scope="module")
def expected() -> str:
    printed = run(sys.executable, ROOT, PYTHONHASHSEED="0")
    assert len(set(printed.split())) == len(NAMES) + 2 + 2 * len(NAMES), "names, targets, hashes"
    return printed


def locales() -> Iterator[str]:
    """Those of other languages that this machine has, Turkish first, where i is no capital I."""
    found = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout
    for name in sorted(found.split(), key=lambda name: not name.startswith("tr_")):
        if name.partition(".")[0] not in ("C", "POSIX", locale.getlocale()[0]):
            yield name


def test_whatever_the_process_is_like(expected: str, tmp_path: Path) -> None:
    """Seed, folder, threads, time zone and locale differ at once; what matters is found singly."""
    name = next(locales(), "C")
    where = {"LC_ALL": name, "LANG": name, "TZ": "Asia/Kolkata", "HOME": str(tmp_path)}
    found = run(sys.executable, tmp_path, 4, PYTHONHASHSEED="4242", PYTHONUTF8="0", **where)
    assert found == expected


def other_pythons() -> list[str]:
    """Pythons of other versions on the path that have the packages of the compiler."""
    names = (f"python3.{minor}" for minor in range(11, 20) if minor != sys.version_info.minor)
    found = filter(None, map(shutil.which, names))
    check = "import construct, llvmlite, ml_dtypes, numpy; print(llvmlite.__version__)"
    mine = subprocess.check_output([sys.executable, "-c", check])
    return [
        python
        for python in found
        if subprocess.run([python, "-c", check], capture_output=True, check=False).stdout == mine
    ]


def test_whatever_version_of_python(expected: str, tmp_path: Path) -> None:
    pythons = other_pythons()
    if not pythons:
        pytest.skip("no other version of Python here has the packages of the extra codegen")
    for python in pythons:
        assert run(python, tmp_path) == expected
