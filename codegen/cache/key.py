"""The key of a compiled module in the cache: a hash of everything that determines it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from tileir.errors import TileIRError
from tileir.read.untouched import Module, untouched

from . import own_code

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


def key_of(bytecode: Bytecode, identity: str, options: Mapping[str, Any]) -> str | None:
    """Return the key of a module compiled with some options, which JSON must be able to hold.

    `identity` describes the target's machine. None if there is no key: our own source cannot be
    read, or the module cannot be written, which breaks a rule anyway.
    """
    try:
        code = _own_code()
        same = untouched(cast(Module, bytecode))  # pyright does not look through `once`
        data = bytecode.data if same else bytecode.build(check=False)
    except (TileIRError, OSError):
        return None
    if code is None:
        return None
    version = str(bytecode.original.version)  # a caller may have assumed another than is stated
    decisive = [identity, code, version, json.dumps(options, sort_keys=True)]
    digest = hashlib.sha256("\0".join(decisive).encode("utf-8", "surrogateescape"))
    digest.update(b"\0")
    digest.update(data)
    return digest.hexdigest()


@cache
def _own_code() -> str | None:
    return own_code.digest()
