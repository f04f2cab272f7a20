"""Releases of NVIDIA's tools that are scripts: what they do with a file is planted."""

from __future__ import annotations

from pathlib import Path

from tileir.predicates import Toolkit


def toolkit(folder: Path, release: str = "13.9.0", **tools: str) -> Toolkit:
    """A release in a folder: name of a tool -> a script of sh. Its last argument is `$file`."""
    (folder / "bin").mkdir(parents=True)
    for name, script in tools.items():
        path = folder / "bin" / name
        path.write_text(f"#!/bin/sh\nfor file; do :; done\n{script}\n")
        path.chmod(0o755)
    return Toolkit(folder, release)
