"""Runs commands: every error becomes one line and an exit code, whoever stops reading."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from tileir.errors import (
    BytecodeError,
    TileIRError,
    UnsupportedError,
    VerifyError,
)

from .argument_parser import Parser
from .command_table import COMMANDS
from .exit_codes import DEFECT, INTERRUPTED, OK, UsageError, explained, fail
from .standard_output import failure_of_output, reader_may_leave


def main_of(name: str, arguments: Sequence[str] | None = None) -> int:
    """Run one command as a program, and return the exit code."""
    return guarded(name, lambda: _run(name, arguments, f"tileir {name}"))


def _run(name: str, arguments: Sequence[str] | None, prog: str) -> int:
    command = importlib.import_module(COMMANDS[name][0])
    parser = Parser(prog=prog, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.configure(parser)
    given = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: fail(name, f"warning: {message}", OK)
            return command.run(given)
    except (BytecodeError, UnsupportedError, VerifyError) as error:
        return fail(name, *explained(error, getattr(given, "file", None)))


def guarded(name: str, action) -> int:
    """Run `action`; every error becomes one line and an exit code."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by the caller's shell
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    with _errors_may_be_lost():
        return _guarded(name, action)


def _guarded(name: str, action) -> int:
    try:
        with reader_may_leave():
            return action()
        return OK  # nobody reads what was being printed
    except KeyboardInterrupt:
        return fail(name, "interrupted", INTERRUPTED)
    except (UsageError, TileIRError, OSError) as error:
        return fail(name, *explained(failure_of_output() or error))
    except Exception as error:
        if _was_interrupted(error):
            return fail(name, "interrupted", INTERRUPTED)
        if os.environ.get("TILEIR_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        hint = "this is a defect of tileir; TILEIR_TRACEBACK=1 shows where"
        return fail(name, f"{what} ({hint})", DEFECT)


@contextlib.contextmanager
def _errors_may_be_lost() -> Iterator[None]:
    """Let what standard error does not take be lost: the exit code, and what is done, are the
    same when nobody reads on, or the disk is full."""
    if sys.stderr is not sys.__stderr__ or sys.stderr.isatty():  # of a program around; a terminal
        yield
        return
    raw = io.BufferedWriter(_Losing(sys.stderr.fileno(), "w", closefd=False))
    encoding, errors = sys.stderr.encoding, sys.stderr.errors
    with contextlib.redirect_stderr(io.TextIOWrapper(raw, encoding, errors, line_buffering=True)):
        yield
        sys.stderr.flush()


class _Losing(io.FileIO):
    """A file that takes all that is written to it, as far as anybody is told."""

    def write(self, data: Any, /) -> int:
        """Write bytes, or lose them."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error: libraries turn it into others while they are imported."""
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
