"""Location and size limit of the cache: the platform's convention and two variables."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .store import Cache

DEFAULT_SIZE = 1 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def find_cache(environment: Mapping[str, str] = os.environ) -> Cache | None:
    """Return the cache that the environment asks for, None if it asks for none.

    `TILEIR_CACHE_DIR` names the folder; empty or "off" disables the cache. `TILEIR_CACHE_SIZE` is
    the most bytes to keep, as in 500M.
    """
    named = environment.get("TILEIR_CACHE_DIR")
    if named is not None and named.strip().lower() in ("", "off"):
        return None
    try:
        folder = Path(named).expanduser() if named else _convention(environment)
    except RuntimeError:  # there is no home directory
        return None
    limit = _size(environment.get("TILEIR_CACHE_SIZE"))
    return _cache(folder.absolute(), limit, "TILEIR_CACHE_DIR" if named else "")


@cache
def _cache(folder: Path, limit: int, named_by: str) -> Cache:
    """Return the one object of a folder; it remembers bytes written and warnings given."""
    return Cache(folder, limit, named_by)


def _convention(environment: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local, "tileir", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tileir"
    given = environment.get("XDG_CACHE_HOME", "")
    return (Path(given) if os.path.isabs(given) else Path.home() / ".cache") / "tileir"


def size_of(text: str) -> int | None:
    """Return the bytes that a text such as 500M says; None if it says none."""
    match = re.fullmatch(r"(\d+)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    return None if match is None else int(match[1]) * _UNITS[match[2].upper()]


def _size(text: str | None) -> int:
    if text is None or not text.strip():
        return DEFAULT_SIZE
    size = size_of(text)
    if size is None:
        problem = f"TILEIR_CACHE_SIZE={text!r} is no size such as 500M; the limit is 1G"
        warnings.warn(problem, RuntimeWarning, stacklevel=6)  # where tileir.compile is called
        return DEFAULT_SIZE
    return size
