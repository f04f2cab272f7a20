"""Standard output: in UTF-8, for readers who may leave, coloured where that is wanted."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from tileir.messages.missing_packages import COLOUR, is_installed


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print what nobody may read to its end: what comes next, and the exit code, are the same."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Write to nowhere from here on: else Python complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def failure_of_output() -> OSError | None:
    """Return what is wrong with standard output if it does not take what was printed.

    The rest goes to nowhere then: else Python would complain at exit, with a code of its own.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads it
        drop_output()
    except OSError as error:
        drop_output()
        return OSError(error.errno, error.strerror, "<stdout>")
    return None


@contextlib.contextmanager
def stdout_text() -> Iterator[TextIO]:
    """Open standard output for text in UTF-8, whatever the locale is; its reader may leave."""
    out: Any = sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(encoding="utf-8", errors="backslashreplace")
    with reader_may_leave():
        yield sys.stdout


def json_line(tree: Mapping[str, Any]) -> str:
    """Return an object of JSON as the line that --json prints.

    All commands do so: an object on a line, whose first key is "schema"; commands that print one
    for each item (inspect, dis, as, smith, mutate) print as many lines.
    """
    return json.dumps(tree, ensure_ascii=False) + "\n"


def wants_colour(out: TextIO) -> bool:
    """Whether output is to be coloured.

    That is on a terminal with colours, if NO_COLOR is not set and the packages of the extra
    ``colour`` are installed.
    """
    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return all(map(is_installed, COLOUR))
