"""The store that machines share, if there is one: whether it answers, takes files, has a key."""

from __future__ import annotations

import os
import stat
from typing import Any

_OTHERS = stat.S_IRGRP | stat.S_IROTH


def look() -> dict[str, Any] | None:
    """Return the store's row of the report, None if there is none.

    "url" is without passwords; "key" says whether entries need an HMAC, "key_is_private" whether
    the key's file is its owner's alone (None without one), "problem" what is in the way, or "".
    """
    from tileir.codegen.cache.folder import named_store
    from tileir.codegen.cache.shared import said_by, store_of
    from tileir.messages.urls import without_secrets

    named = named_store()
    if named is None:
        return None
    url, key_file = named
    row = {
        "url": without_secrets(url),
        "key": bool(key_file),
        "key_is_private": _is_private(key_file) if key_file else None,
        "reachable": False,
        "writable": False,
        "problem": "",
    }
    try:
        store = store_of(url, key_file)
    except ValueError as problem:
        return row | {"problem": str(problem)}
    try:
        writable, problem = store.probe()
    except Exception as problem:  # of any package that fsspec finds
        return row | {"problem": said_by(url, problem)}
    return row | {"reachable": True, "writable": writable, "problem": problem}


def _is_private(file: str) -> bool:
    try:
        return os.name != "posix" or not os.stat(os.path.expanduser(file)).st_mode & _OTHERS
    except OSError:
        return False
