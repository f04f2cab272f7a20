"""The key of an entry: what it holds and all that decides it, as one line, and the hash of that.

The line is the first one of the entry itself. So an entry says what it is, and whoever has one can
compute under which key it may be found: machine code for the CPU never under that of PTX.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tileir.errors import TileIRError
from tileir.read.untouched import Module, untouched

from . import own_code

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

LAUNCH_PLAN = "launch plan"
PTX = "PTX"
PTX_WITHOUT_TWINS = "PTX without twins"
LLVM_IR = "LLVM IR"
CUBIN = "cubin"
MACHINE_CODE = "machine code"
CRASH_HANDLER = "crash handler"
"""Kinds of entries."""

PORTABLE = frozenset({LAUNCH_PLAN, PTX, PTX_WITHOUT_TWINS, LLVM_IR, CUBIN})
"""Kinds that machines may share: what runs on a GPU, and texts. To load any other is to run it."""


class Key(NamedTuple):
    """The facts that decide an entry, as a line of JSON, and the hash of it, which is its name."""

    line: bytes
    name: str

    @classmethod
    def of(cls, kind: str, facts: Mapping[str, Any]) -> Key:
        """Return the key of a kind of entry; TypeError or ValueError for what JSON cannot hold."""
        return cls.of_line(_line({"kind": kind, **facts}))

    @classmethod
    def of_line(cls, line: bytes) -> Key:
        """Return the key that an entry with this first line has."""
        return cls(line, hashlib.sha256(line).hexdigest())


def facts_of(
    data: bytes | memoryview, target: str, made_with: str, options: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return all that decides what a compiler of ours makes of a module; None if it is not known.

    `data` are the module's bytes, `made_with` describes LLVM and the machine, as far as code
    depends on them; JSON can hold `options`. None if our own source cannot be read.
    """
    code = own_hash()
    if code is None:
        return None
    return {
        "target": target,
        "options": options,
        "module": hashlib.sha256(data).hexdigest(),
        "made_with": made_with,
        "compiler": code,
    }


def bytes_of(bytecode: Bytecode) -> bytes | memoryview | None:
    """Return a module's bytes; None for one that cannot be written, which breaks a rule anyway."""
    try:
        same = untouched(cast(Module, bytecode))  # pyright does not look through `once`
        return bytecode.data if same else bytecode.build(check=False)
    except TileIRError:
        return None


def _line(facts: Mapping[str, Any]) -> bytes:
    """Return facts as JSON in one way only."""
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), default=_plain)
    return text.encode("ascii")


def _plain(value: object) -> object:
    """Return a mapping of another class as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is nothing for JSON")


def own_hash() -> str | None:
    """Return the hash of our own source; None if it cannot be read."""
    try:
        return _own_code()
    except OSError:
        return None


@cache
def _own_code() -> str | None:
    return own_code.digest()
