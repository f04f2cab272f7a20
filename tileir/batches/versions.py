"""What has to be the same wherever modules of a batch are computed: results depend on it."""

from __future__ import annotations

import platform
from functools import cache
from importlib import metadata
from typing import NamedTuple

from tileir import __version__
from tileir.formats.forks import not_forking


class Versions(NamedTuple):
    """The releases of tileir, llvmlite and Python, and the hash of tileir's source.

    `llvmlite` is "" where it is not installed, `source` where the source cannot be read.
    """

    tileir: str
    source: str
    llvmlite: str
    python: str

    def difference(self, other: Versions) -> str:
        """Return what `other` has that differs, for a message; "" if nothing does."""
        told = [
            f"{name} {theirs or 'missing'} instead of {ours or 'none'}"
            for name, ours, theirs in zip(self._fields, self, other, strict=True)
            if ours != theirs
        ]
        return ", ".join(told).replace("source", "tileir's source")


@cache
def here() -> Versions:
    """Return the versions of this process."""
    with not_forking:
        from tileir.codegen.cache.key import own_hash

    try:
        llvmlite = metadata.version("llvmlite")
    except metadata.PackageNotFoundError:
        llvmlite = ""
    python = ".".join(platform.python_version_tuple()[:2])
    return Versions(__version__, (own_hash() or "")[:16], llvmlite, python)
