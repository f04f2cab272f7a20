"""Which tileiras NVIDIA's cuTile would use here, of all that are installed, and why that one.

cuTile 1.5 to 1.7 looks into three packages of one release first, and only then on the search path,
in a toolkit that a variable names, and in the usual folders of toolkits. We look elsewhere first
(`tools.nvidia.find`), so both are told.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tileir.tools.launchers import is_launcher
from tileir.tools.nvidia import release_of

NAME = "tileiras"
TOGETHER = ("nvidia-cuda-tileiras", "nvidia-cuda-nvcc", "nvidia-nvvm")
"""Packages of which cuTile takes tileiras if all are installed, and of one release."""

VARIABLE = "CUDA_PATH" if sys.platform == "win32" else "CUDA_HOME"
TOOLKITS = (
    Path(r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA")
    if sys.platform == "win32"
    else Path("/usr/local")
)
"""The folder in which toolkits are usually installed."""

_TOOLKIT = re.compile(r"(?:cuda-|[vV])(\d+)(?:\.(\d+))?")


def releases() -> dict[str, str | None]:
    """Return the installed version of each of the packages that have tileiras together."""
    return {name: _installed(name) for name in TOGETHER}


def asked_for() -> str | None:
    """Return what cuda-tile[tileiras] asks for, as pip says it; None without cuda-tile."""
    try:
        asked = importlib.metadata.requires("cuda-tile") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    own = [line.partition(";") for line in asked if re.search(r"extra *== *.tileiras", line)]
    return ", ".join(wanted.strip() for wanted, _, _ in own) or None


def candidates() -> Iterator[tuple[str, Path]]:
    """Yield each tileiras that cuTile would find, and where, in the order in which it looks."""
    found = releases()
    if None not in found.values() and len({_pair(text) for text in found.values() if text}) == 1:
        for folder in _package_folders():
            yield from _in("the package nvidia-cuda-tileiras", folder)
    yield from _in("PATH", None)
    if os.environ.get(VARIABLE):
        yield from _in(VARIABLE, Path(os.environ[VARIABLE], "bin"))
    for toolkit in _toolkits():
        yield from _in(str(TOOLKITS), toolkit / "bin")


def mismatch() -> str | None:
    """Return why cuTile passes the packages over, if one is there: releases that differ."""
    found = releases()
    if found[TOGETHER[0]] is None:
        return None
    if None not in found.values() and len({_pair(text) for text in found.values() if text}) == 1:
        return None
    spelled = ", ".join(f"{name} {text or 'not installed'}" for name, text in found.items())
    return f"cuTile passes over the packages of tileiras, which are not of one release: {spelled}"


def look() -> dict[str, Any]:
    """Return the report's "cutile": what cuda-tile asks for, what is there, what it would use."""
    seen: dict[Path, str] = {}
    for where, path in candidates():
        seen.setdefault(path, where)
    return {
        "version": _installed("cuda-tile"),
        "asks_for": asked_for(),
        "packages": releases(),
        "tileiras": [
            {
                "path": str(path),
                "from": where,
                "release": release_of(path),
                "ours": is_launcher(path),
            }
            for path, where in seen.items()
        ],
        "problem": mismatch(),
    }


def _in(where: str, folder: Path | None) -> Iterator[tuple[str, Path]]:
    path = shutil.which(NAME, path=None if folder is None else str(folder))
    if path:
        yield where, Path(path)


def _package_folders() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec else ():
        yield Path(folder, "cu13", "bin")


def _toolkits() -> list[Path]:
    """Return the folders of toolkits, the one without a version first, then newer ones first."""
    if not TOOLKITS.is_dir():
        return []
    found: list[tuple[tuple[float, float], Path]] = []
    for folder in TOOLKITS.iterdir():
        named = _TOOLKIT.fullmatch(folder.name)
        if named:
            minor = float("inf") if named[2] is None else int(named[2])
            found.append(((int(named[1]), minor), folder))
        elif folder.name == "cuda":
            found.append(((float("inf"), float("inf")), folder))
    return [folder for _, folder in sorted(found, reverse=True)]


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _pair(text: str) -> tuple[str, ...]:
    return tuple(text.split(".")[:2])
