"""Releases of NVIDIA's tools from the package index: pip installs each into a folder of its own.

A folder is laid out as a CUDA toolkit, which is what all releases of tileiras look for: the
compiler and ptxas in `bin`, libnvvm in `nvvm/lib64`. What tileiras never runs (nvcc, cicc, headers)
is left out, which is half of it. A release is put into its place when it is complete, by renaming.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tileir.errors import ToolError
from tileir.predicates import Toolkit

from .releases import RELEASE, in_order, numbers_of

TILEIRAS = "nvidia-cuda-tileiras"
BESIDE = ("nvidia-cuda-nvcc", "nvidia-nvvm")
"""The packages with what tileiras runs and loads: ptxas, libnvvm."""
KEPT = {
    "bin/tileiras": "bin/tileiras",
    "bin/tileirdisasm": "bin/tileirdisasm",
    "bin/ptxas": "bin/ptxas",
    "lib/libnvvm.so*": "nvvm/lib64/libnvvm.so",
    "nvvm/lib64/libnvvm.so": "nvvm/lib64/libnvvm.so",
    "nvvm/libdevice/libdevice.10.bc": "nvvm/libdevice/libdevice.10.bc",
    "bin/*.exe": "bin/",
    "bin/*.dll": "bin/",
    "nvvm/bin/*.dll": "nvvm/bin/",
}
"""What is kept of a package's folder `nvidia/cu*`, and where in the toolkit it is put."""

_LISTING, _INSTALLING = 120.0, 1800.0
"""Seconds that pip may take."""
_NO_NETWORK = re.compile(r"connection|name resolution|proxy|timed out", re.IGNORECASE)
_AVAILABLE = re.compile(r"^Available versions: (.*)$", re.MULTILINE)


def run_pip(arguments: list[str], seconds: float) -> str:
    """Run pip, and return what it prints; ToolError with its last error."""
    command = [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"pip {arguments[0]} took more than {seconds:g} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        told = (lines or done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        if "No module named pip" in done.stderr:
            told = f"{sys.executable} has no pip"
        told = told.strip().removeprefix("ERROR: ")
        offline = " (is there a network?)" if _NO_NETWORK.search(done.stderr) else ""
        raise ToolError(f"pip {arguments[0]} failed: {told}{offline}")
    return done.stdout


class PackageIndex:
    """The releases on the package index that pip is configured for, kept in a folder.

    folder    where they are kept, one folder a release
    progress  is told what is about to be done
    pip       runs pip with these arguments for so many seconds, and returns what it prints
    """

    def __init__(
        self,
        folder: Path,
        progress: Callable[[str], None] = lambda text: None,
        pip: Callable[[list[str], float], str] = run_pip,
    ) -> None:
        self._folder, self._progress, self._pip = folder, progress, pip
        self._listed: dict[str, list[str]] = {}

    def names(self) -> list[str]:
        """Return the releases of tileiras, the oldest first.

        Those that are kept already, if the index cannot be asked; ToolError if there are none.
        """
        try:
            return self._versions(TILEIRAS)
        except ToolError as error:
            kept = [each.name for each in self._kept()]
            if kept:
                return in_order(kept)
            raise ToolError(f"{error}; --toolkits DIR takes releases that are there") from None

    def toolkit(self, name: str) -> Toolkit:
        """Return the tools of a release, which are installed first if need be."""
        place = self._folder / name
        if not (place / "bin").is_dir():
            self._install(name, place)
        return Toolkit(place, name)

    def _kept(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return [each for each in self._folder.iterdir() if (each / "bin").is_dir()]
        return []

    def _versions(self, package: str) -> list[str]:
        if package not in self._listed:
            said = self._pip(["index", "versions", package], _LISTING)
            found = _AVAILABLE.search(said)
            if found is None:
                raise ToolError(f"pip lists no versions of {package}")
            names = [name.strip() for name in found[1].split(",")]
            known = [name for name in names if RELEASE.fullmatch(name)]
            self._listed[package] = in_order(known)
        return self._listed[package]

    def _beside(self, package: str, name: str) -> str:
        """Return the version of another package that belongs to a release of tileiras.

        They are numbered apart: to 13.3.36 belongs 13.3.33, the newest that is not newer.
        """
        same = [
            each for each in self._versions(package) if each.split(".")[:2] == name.split(".")[:2]
        ]
        older = [each for each in same if numbers_of(each) <= numbers_of(name)]
        if not same:
            raise ToolError(f"{package} has no version for release {name}")
        return older[-1] if older else same[0]

    def _install(self, name: str, place: Path) -> None:
        wanted = {TILEIRAS: name} | {each: self._beside(each, name) for each in BESIDE}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=self._folder))
        except OSError as error:
            raise ToolError(f"{self._folder}: {error.strerror}") from None
        try:
            for package, version in wanted.items():
                self._progress(f"installing {package} {version}")
                packages = part / "packages"
                options = ["--no-deps", "--no-compile", "--only-binary", ":all:"]
                target = ["--target", str(packages), f"{package}=={version}"]
                self._pip(["install", *options, *target], _INSTALLING)
                for root in packages.glob("nvidia/cu*"):
                    _keep(root, part / "toolkit")
                shutil.rmtree(packages, ignore_errors=True)
            if not (part / "toolkit" / "bin").is_dir():
                raise ToolError(f"{TILEIRAS} {name} has no tools")
            try:
                os.replace(part / "toolkit", place)
            except OSError:
                if not (place / "bin").is_dir():  # it is there if another process was faster
                    raise
        except OSError as error:
            raise ToolError(f"{self._folder}: {error.strerror}") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _keep(root: Path, toolkit: Path) -> None:
    """Move what is kept of a package into a toolkit."""
    for pattern, place in KEPT.items():
        for file in sorted(root.glob(pattern)):
            to = toolkit / place / (file.name if place.endswith("/") else "")
            to.parent.mkdir(parents=True, exist_ok=True)
            if file.is_file() and not to.exists():
                shutil.move(str(file), str(to))
