"""Source text in a page: only files in a folder that was named, whatever paths a module has.

A hostile module may name any file of this machine as its source. So the folder has to be given, and
nothing outside of it is read: no `..`, and no link that leads out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tileir.bytecode import Bytecode
from tileir.errors import BytecodeError
from tileir.formats.version import Version

from .frames import Frames

LARGEST = 1 << 20
"""Most bytes of a source file."""

MOST = 50
"""Most source files of a module."""


def sources(data: bytes, folder: Path, assumed: Version | None) -> list[dict[str, Any]]:
    """Return the source files of a module that are in a folder, with the frames of their lines.

    A path is looked for below the folder by as many of its last parts as are found there. Frames
    have the numbers that `Frames` gives them. There is none in a file that is broken.
    """
    try:
        bytecode = Bytecode.parse(data, assume_version=assumed).touch()
    except BytecodeError:
        return []
    root = folder.resolve()
    known: dict[str, Path | None] = {}
    found: dict[Path, dict[str, Any]] = {}
    for number, place in enumerate(Frames(bytecode).locations):
        if place.line < 1:
            continue
        name = _path(place)
        if name not in known:
            known[name] = _in(root, name) if len(known) < MOST else None
        path = known[name]
        if path is None:
            continue
        if path not in found:
            found[path] = _read(path, root)
        if place.line <= len(found[path]["lines"]):
            found[path]["frames"].append(number)
            found[path]["rows"].append(place.line - 1)
    return list(found.values())


def _path(place: Any) -> str:
    """Return the path of a location; the directory is with the file of its scope."""
    file = getattr(place.scope, "file", None)  # what is unknown of a newer version is None
    directory = file.directory if file else ""
    absolute = place.filename.startswith(("/", "\\")) or not directory
    return place.filename if absolute else f"{directory}/{place.filename}"


def _in(root: Path, name: str) -> Path | None:
    """Return the file below the root that ends as a path does, by its longest end; None if none."""
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".")]
    if not parts or len(name) > 4096 or "\x00" in name or ".." in parts:
        return None
    for start in range(len(parts)):
        try:
            path = root.joinpath(*parts[start:]).resolve()
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= LARGEST:
                return path
        except (OSError, ValueError, RuntimeError):
            continue
    return None


def _read(path: Path, root: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        text = ""
    lines = text.replace("\r\n", "\n").split("\n")
    name = path.relative_to(root).as_posix()
    return {"name": name, "lines": lines, "frames": [], "rows": []}
