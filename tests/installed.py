"""tileir as its users have it: the wheel of this checkout in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built with the backend that is installed."""
    pytest.importorskip("hatchling", reason="hatchling is part of tileir[test]")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def environment(home: Path) -> tuple[Path, Path]:
    """Interpreter and site-packages of a new environment with nothing in it."""
    venv.create(home, with_pip=False, system_site_packages=False)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = next((home / folder).glob("python*"))
    probe = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=True)
    return python, Path(done.stdout.strip())


def install(wheel: Path, home: Path) -> tuple[Path, Path]:
    """Interpreter and site-packages of a new environment with the wheel.

    Everything else that it imports is what is installed here.
    """
    python, site = environment(home)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    here = Path(__import__("construct").__file__).parent.parent
    (site / "dependencies.pth").write_text(f"{here}\n")
    return python, site
