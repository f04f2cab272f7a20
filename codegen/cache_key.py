"""Under which key a compiled module is kept: a hash of everything that decides what it is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tileir
from tileir.errors import TileIRError

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


def key_of(bytecode: Bytecode, identity: str, options: Mapping[str, Any]) -> str | None:
    """The key of a module that is compiled with some options, which JSON must be able to hold.

    `identity` is what the target knows of its machine. None for a module that cannot be written:
    it has no bytes, and breaks a rule anyway.
    """
    try:
        data = bytecode.build(check=False)
    except TileIRError:
        return None
    decisive = [identity, _sources(), json.dumps(options, sort_keys=True)]
    digest = hashlib.sha256("\0".join(decisive).encode("utf-8", "surrogateescape"))
    digest.update(b"\0")
    digest.update(data)
    return digest.hexdigest()


@cache
def _sources() -> str:
    """Stands for our own code: path, size and time of change of each file.

    As Python does it to see whether its compiled modules are still true.
    """
    digest = hashlib.sha256()
    for folder in sorted({str(Path(place).resolve()) for place in _folders()}):
        for path in sorted(Path(folder).rglob("*.py")):
            status = os.stat(path)
            digest.update(
                f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode(errors="replace")
            )
    return digest.hexdigest()


def _folders() -> list[str]:
    """The three layers, wherever they lie."""
    from tileir import formats

    return [tileir.__path__[0], formats.__path__[0], os.path.dirname(__file__)]
