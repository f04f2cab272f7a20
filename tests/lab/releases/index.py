"""The newest release of a package, as pip finds it, in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple


class NotFoundError(Exception):
    """The package index cannot be asked, or has no such package; the message says why."""


class Release(NamedTuple):
    """A release of a package in a folder, which comes first on the path of who looks at it."""

    package: str
    version: str
    folder: Path


def fetch(package: str, folder: Path, index: str | None = None) -> Release:
    """Return the newest release of a package, installed into a folder without what it depends on.

    The index is pip's own, or another one: a URL, or a folder of wheels.
    """
    source: list[str] = []
    if index is not None:
        source = ["--index-url", index]
        if Path(index).is_dir():
            source = ["--no-index", "--find-links", index]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-compile", "--only-binary", ":all:", "--target", str(folder)]
    done = subprocess.run([*command, *source, package], capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotFoundError(f"{package}: {said[-1] if said else 'pip failed'}")
    return Release(package, installed(package, folder), folder)


def installed(package: str, folder: Path) -> str:
    """Return the version of a package in a folder."""
    for about in folder.glob("*.dist-info/METADATA"):
        headers = HeaderParser().parsestr(about.read_text(encoding="utf-8"))
        if headers["Name"].replace("_", "-").lower() == package:
            return headers["Version"]
    raise NotFoundError(f"{package}: pip installed no such package")
