"""The newest release of a package, as pip finds it, in a folder of its own."""

from __future__ import annotations

from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple

from tileir.bisect.package_index import run_pip
from tileir.errors import ToolError

LONGEST_S = 1800
"""Seconds that pip may take."""


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
    options = ["--quiet", "--no-deps", "--no-compile", "--only-binary", ":all:"]
    try:
        run_pip(["install", *options, "--target", str(folder), *source, package], LONGEST_S)
    except ToolError as error:
        raise NotFoundError(f"{package}: {error}") from None
    return Release(package, installed(package, folder), folder)


def installed(package: str, folder: Path) -> str:
    """Return the version of a package in a folder."""
    for about in folder.glob("*.dist-info/METADATA"):
        headers = HeaderParser().parsestr(about.read_text(encoding="utf-8"))
        if headers["Name"].replace("_", "-").lower() == package:
            return headers["Version"]
    raise NotFoundError(f"{package}: pip installed no such package")
