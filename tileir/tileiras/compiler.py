"""Bytecode to a cubin, and errors as tileiras words them: so frontends find line and file.

cuTile reads them with these expressions (cuda/tile/_compile.py): `loc("FILE":LINE:COLUMN): error:
MESSAGE`, or `error: MESSAGE`. Exit codes are those of tileiras, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import tileir
from tileir.errors import (
    BytecodeError,
    Diagnostic,
    MissingPackageError,
    TileIRError,
    ToolError,
    UnsupportedError,
    VerifyError,
)
from tileir.formats.container import not_known
from tileir.gpus import TARGETS, unknown
from tileir.messages.missing_packages import pip_install
from tileir.messages.texts import display
from tileir.tools import nvidia

WRONG_USE, NO_SUCH_GPU, UNREADABLE, FAILED = 1, 2, 3, 5
"""Exit codes of tileiras: options, the GPU, the file, and whatever goes wrong after that."""

_PLACE = re.compile(r"^(?P<file>[^\"\n]+?):(?P<line>\d+):(?P<column>\d+)")


def known_module(bytecode: bytes) -> tileir.Bytecode:
    """Return a module; BytecodeError for one of a newer version than is known, as of tileiras.

    Frontends write an older version then, in which all is known.
    """
    module = tileir.Bytecode.parse(bytecode)
    if module.newer:
        raise not_known(str(module.version))
    return module


def compiled(
    bytecode: bytes, target: str, lines: bool, options: Mapping[str, Any]
) -> tuple[Any, bytes]:
    """Return the compilation and the cubin of all kernels; TileIRError if there is none.

    `options` are those of `tileir.compile`.
    """
    if target not in TARGETS:
        raise unknown(target, TARGETS, "GPU")
    if nvidia.find("ptxas") is None:
        how = pip_install(nvidia.PACKAGES["ptxas"])
        raise ToolError(
            f"a cubin needs NVIDIA's ptxas, and it is not installed ({how}); a PTX file is no cubin"
        )
    module = known_module(bytecode)
    made = tileir.compile(module, target, lineinfo=lines, **dict(options))
    from tileir.codegen.cubins import assembled

    return made, assembled(made.ptx or "", target, lines)


def exit_code(error: TileIRError) -> int:
    """Return the code with which tileiras ends for an error of this kind."""
    if isinstance(error, BytecodeError):
        return UNREADABLE
    listed = isinstance(error, VerifyError) or getattr(error, "diagnostics", ())
    if isinstance(error, UnsupportedError) and not listed:
        return NO_SUCH_GPU
    return FAILED


def worded(error: TileIRError | MissingPackageError) -> str:
    """Return the lines about an error, each as frontends read them."""
    diagnostics = getattr(error, "diagnostics", ())
    head = str(error).partition("\n")[0] if diagnostics else " ".join(str(error).split("\n"))
    return "\n".join([f"error: {head}", *map(_line, diagnostics)])


def place(diagnostic: Diagnostic) -> tuple[str, int, int] | None:
    """Return the file, line and column of a diagnostic, if its source is known."""
    found = _PLACE.match(diagnostic.location)
    return found and (found["file"], int(found["line"]), int(found["column"]))


def places(error: TileIRError) -> Iterator[tuple[str, int, int]]:
    """Yield where the diagnostics of an error are, as far as that is known."""
    yield from filter(None, map(place, getattr(error, "diagnostics", ())))


def _line(diagnostic: Diagnostic) -> str:
    function = f" (in {display(diagnostic.function)})" if diagnostic.function else ""
    what = f"{display(diagnostic.op)}: " if diagnostic.op else ""
    said = f"{diagnostic.severity}: {what}{' '.join(diagnostic.message.split())}{function}"
    where = place(diagnostic)
    return 'loc("{}":{}:{}): '.format(*where) + said if where else said
