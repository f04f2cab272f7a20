"""Exit codes of commands, and errors as one line.

0  ok                                      4  unsupported version, feature or target
1  the answer is no                        5  a package or an outside tool is missing, or a
2  wrong use                                  tool or the GPU failed
3  not readable as Tile IR bytecode        70 our own defect, 130 interrupted
"""

from __future__ import annotations

import sys

from tileir.errors import (
    AssemblyError,
    BytecodeError,
    DeviceError,
    LaunchError,
    MissingPackageError,
    PackageError,
    TileIRError,
    ToolError,
    UnsupportedError,
    VersionError,
    WorkerError,
)
from tileir.messages.texts import printable

OK, NO, USAGE, UNREADABLE, UNSUPPORTED, OUTSIDE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130


class UsageError(Exception):
    """The command was used wrongly; the message says how."""


CODES = {
    UnsupportedError: UNSUPPORTED,
    VersionError: UNSUPPORTED,
    DeviceError: OUTSIDE,
    ToolError: OUTSIDE,
    WorkerError: OUTSIDE,
    UsageError: USAGE,
    LaunchError: USAGE,
    MissingPackageError: OUTSIDE,
    AssemblyError: UNREADABLE,
    PackageError: UNREADABLE,
    TileIRError: NO,
}
"""Class of an error -> exit code; the first class that matches counts."""


def explained(
    error: UsageError | TileIRError | OSError, path: str | None = None
) -> tuple[str, int]:
    """Return the message about an error, and the exit code.

    `path` is the file that was read; the message names it if the error is about its contents.
    """
    where = f"{called(path)}: " if path is not None else ""
    if isinstance(error, BytecodeError):
        code = UNSUPPORTED if error.kind == "version" else UNREADABLE
        return f"{where}{error}", code
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}", USAGE
    if str(error).startswith(called(path) if path is not None else "\0"):
        where = ""  # as errors of a text do, which name it on each line
    if isinstance(error, UnsupportedError) and not error.diagnostics:
        where = ""  # an unknown target or version, which has nothing to do with the file
    code = next(code for kind, code in CODES.items() if isinstance(error, kind))
    return f"{where}{error}", code


def called(path: str) -> str:
    """Return the name of a file in messages."""
    return "<stdin>" if path == "-" else printable(path)


def fail(name: str, message: str, code: int) -> int:
    """Print a message on standard error, and return `code`."""
    message = "\n".join(map(printable, message.split("\n")))
    print(f"tileir {name}: {message}" if name else f"tileir: {message}", file=sys.stderr)
    return code


def fail_at(name: str, path: str, error: UsageError | TileIRError | OSError) -> int:
    """Print an error about one of several files, and return its exit code."""
    if isinstance(error, BrokenPipeError):  # nothing is wrong with the file
        raise error
    return fail(name, *explained(error, path))
