"""Errors of tileir as errors of JSON-RPC: code, message, and what programs want to know of them."""

from __future__ import annotations

from typing import Any

from tileir.command_line.exit_codes import (
    NO,
    OUTSIDE,
    UNREADABLE,
    UNSUPPORTED,
    UsageError,
    explained,
)
from tileir.commands.verify import diagnostic_as_json, syntax_errors
from tileir.errors import AssemblyError, BytecodeError, TileIRError
from tileir.messages.texts import printable

from . import requests

_CODES = {NO: -32001, UNREADABLE: -32003, UNSUPPORTED: -32004, OUTSIDE: -32005}
"""Exit code of a command -> code of an error; wrong use has JSON-RPC's own."""


def failure(error: TileIRError | UsageError) -> bytes:
    """Return the part of an answer about an error that is raised on purpose."""
    message, exit_code = explained(error)
    data: dict[str, Any] = {"kind": type(error).__name__, "exit_code": exit_code}
    diagnostics = getattr(error, "diagnostics", ())
    if isinstance(error, AssemblyError):
        diagnostics = syntax_errors(error)
    if diagnostics:
        data["diagnostics"] = [diagnostic_as_json(each) for each in diagnostics]
    if isinstance(error, BytecodeError):
        data |= {"offset": error.offset, "section": error.section, "path": error.path or None}
    code = _CODES.get(exit_code, requests.INVALID_PARAMETERS)
    return requests.error(code, "\n".join(map(printable, message.split("\n"))), data)
