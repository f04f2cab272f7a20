"""The key of a compiled module in the cache: a hash of everything that determines it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tileir
from tileir import formats
from tileir.errors import TileIRError

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


def key_of(bytecode: Bytecode, identity: str, options: Mapping[str, Any]) -> str | None:
    """Return the key of a module compiled with some options, which JSON must be able to hold.

    `identity` describes the target's machine. None if there is no key: our own source cannot be
    read, or the module cannot be written, which breaks a rule anyway.
    """
    try:
        code = _own_code()
        data = bytecode.build(check=False)
    except (TileIRError, OSError):
        return None
    if code is None:
        return None
    decisive = [identity, code, json.dumps(options, sort_keys=True)]
    digest = hashlib.sha256("\0".join(decisive).encode("utf-8", "surrogateescape"))
    digest.update(b"\0")
    digest.update(data)
    return digest.hexdigest()


def sources() -> list[Path]:
    """Return all source files of the three layers, in an order independent of the machine."""
    folders = (tileir.__path__[0], formats.__path__[0], Path(__file__).parents[1])
    return [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]


@cache
def _own_code() -> str | None:
    """Hash all our source files, which takes a few milliseconds; None if there are none."""
    digest, files = hashlib.sha256(), sources()
    for path in files:
        data = path.read_bytes()
        name = Path(*path.parts[-3:])
        digest.update(f"{name}\0{len(data)}\0".encode(errors="replace"))
        digest.update(data)
    return digest.hexdigest() if files else None
