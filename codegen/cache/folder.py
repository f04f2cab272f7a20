"""Which cache the environment asks for: its folder and size limit, and the store that is shared.

The folder is that of the platform's convention, or a variable names it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tileir.formats.forks import not_forking

from .key import PORTABLE
from .slot import Store
from .store import Cache
from .warning import warn

if TYPE_CHECKING:
    from .shared import SharedStore

DEFAULT_SIZE = 1 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def find_store(kind: str, environment: Mapping[str, str] = os.environ) -> Store | None:
    """Return what keeps a kind of entry, None if nothing does.

    That is the cache, and behind it the store that `TILEIR_CACHE_SHARED` names, if machines may
    share such entries.
    """
    local, named = find_cache(environment), named_store(environment)
    if local is None or named is None or kind not in PORTABLE:
        return local
    shared = _shared(*named)
    if shared is None:
        return local
    with not_forking:
        from .layers import Layers

    return Layers(local, shared)


def named_store(environment: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """Return the URL of the store that machines share, and the file with its key or "".

    None if there is no such store.
    """
    url = environment.get("TILEIR_CACHE_SHARED", "").strip()
    if url.lower() in ("", "off"):
        return None
    return url, environment.get("TILEIR_CACHE_KEY_FILE", "").strip()


@cache
def _shared(url: str, key_file: str) -> SharedStore | None:
    """Return the one store of a URL and a key; it remembers what went wrong."""
    with not_forking:
        from .shared import store_of

    try:
        return store_of(url, key_file)
    except ValueError as problem:
        warn(f"{problem}; nothing is shared")
        return None


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
        warn(f"TILEIR_CACHE_SIZE={text!r} is no size such as 500M; the limit is 1G")
        return DEFAULT_SIZE
    return size
