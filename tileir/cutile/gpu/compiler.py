"""The compiler that cuTile calls in place of tileiras, within the process.

What it writes is no cubin but an image: bytecode, GPU, and whether source lines are wanted. The
kernels that belong to it are remembered here; another process compiles them anew.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import tileir
from tileir.cutile.packed import pack, unpack
from tileir.errors import TileIRError
from tileir.tileiras.compiler import known_module, places
from tileir.tileiras.options import WrongUse, parse

_REMEMBERED = 256
"""Modules whose kernels are not compiled again; autotuners make many and drop them."""


class Request(NamedTuple):
    """What is compiled: bytecode, for a GPU, with source lines or without."""

    bytecode: bytes
    target: str
    lines: bool

    def image(self) -> bytes:
        """Return the image that stands for the compiled module."""
        head = json.dumps([self.target, self.lines]).encode()
        return pack(head + b"\0" + self.bytecode)

    @classmethod
    def of(cls, address: int) -> Request:
        """Return what the image at an address stands for."""
        head, _, bytecode = unpack(address).partition(b"\0")
        return cls(bytecode, *json.loads(head))


@lru_cache(_REMEMBERED)
def compiled(request: Request) -> Any:
    """Return the compilation of a module; TileIRError if there is none."""
    bytecode = known_module(request.bytecode)
    return tileir.compile(bytecode, request.target, lineinfo=request.lines)


class Compiler:
    """Stands in for tileiras; `compiling` is cuTile's module that calls it.

    What cannot be compiled is cuTile's own error, with ours as its cause: so its tuner goes on with
    the next configuration. Compiling cannot be interrupted by a timeout.
    """

    path = "(tileir)"
    """There is no such program: cuTile asks it for a version, and takes none for an answer."""

    def __init__(self, compiling: ModuleType) -> None:
        self._compiling = compiling

    def run(self, arguments: list[str], flags: list[str], timeout_sec: float | None = None) -> None:
        """Compile a file of bytecode; the command line is that of tileiras."""
        try:
            given = parse([*arguments, *flags])
            lines = given.has("--lineinfo") or given.has("--device-debug")
            bytecode = Path(given.source or "").read_bytes()
            request = Request(bytecode, given.values["--gpu-name"], lines)
            compiled(request)
        except WrongUse as problem:
            raise self._error(str(problem), None, flags) from None
        except TileIRError as error:
            where = next(places(error), None)
            raise self._error(str(error), where, flags) from error
        Path(given.values["-o"]).write_bytes(request.image())

    def _error(
        self, message: str, where: tuple[str, int, int] | None, flags: list[str]
    ) -> Exception:
        """Return cuTile's error about what its compiler refuses."""
        located = self._compiling.Loc.unknown()
        if where is not None:
            file, line, column = where
            located = self._compiling.Loc(line, column, file)
        version = f"tileir {tileir.__version__}"
        return self._compiling.TileCompilerError(message, located, " ".join(flags), version)
