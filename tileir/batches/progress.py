"""A batch as it is seen: failures one by one, and on a terminal how far it is, and how fast."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from tileir.command_line.exit_codes import OK, fail
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import is_installed
from tileir.messages.texts import printable

from .records import Record

_MISSING = ("ToolError", "MissingPackageError")
"""Failures that all modules share: they are told once."""

MOST_SHOWN = 100
"""Failures that are printed, and warnings; the rest is in the manifest."""


class Board:
    """What is printed on standard error; `bar` is a `rich.progress.Progress`, or None."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = None if bar is None else bar.add_task("", total=None, failed=0, rate=0)
        self._started, self._count = time.monotonic(), 0
        self._failed = self._told = 0
        self._lacking: dict[str, int] = {}
        """What is said of a tool or package that is missing -> how many modules failed so."""
        self._warned: set[str] = set()
        """Warnings that were printed: each process of a batch gives that of a store, say."""

    def show(self, record: Record) -> None:
        """Count a record, and print its warnings, and what it tells of a failure."""
        for warning in record["warnings"]:
            self._warn(printable(record["file"]), warning)
        if not record["ok"]:
            self._failed += 1
            self._tell(record)
        if self._bar is not None:
            self._count += 1
            rate = self._count / (time.monotonic() - self._started)
            self._bar.update(self._task, advance=1, failed=self._failed, rate=rate)

    def end(self) -> None:
        """Say of what is missing how many other modules failed for it."""
        for message, times in self._lacking.items():
            if times > 1:
                self._print(f"{times - 1:,} more failed for the same reason: {message}")

    def _warn(self, name: str, warning: str) -> None:
        said = f"{name}: warning: {warning}"
        if ": warning: " in warning:  # of a place in the module
            said = warning = warning if warning.startswith(f"{name}:") else f"{name}: {warning}"
        if warning in self._warned or len(self._warned) > MOST_SHOWN:
            return
        self._warned.add(warning)
        self._print(said if len(self._warned) <= MOST_SHOWN else "further warnings are not printed")

    def _tell(self, record: Record) -> None:
        if record["failure"] in _MISSING:
            times = self._lacking[record["message"]] = self._lacking.get(record["message"], 0) + 1
            if times > 1:
                return
        self._told += 1
        if self._told <= MOST_SHOWN:
            self._print(described(record))
        elif self._told == MOST_SHOWN + 1:
            self._print("further failures are not printed")

    def _print(self, text: str) -> None:
        if self._bar is None:
            fail("batch", text, OK)
        else:
            lines = map(printable, text.split("\n"))
            self._bar.console.print(*lines, sep="\n", markup=False, highlight=False, soft_wrap=True)


@contextlib.contextmanager
def board(verb: str) -> Iterator[Board]:
    """Yield a board: on a terminal with a line that tells how far it is, if rich is installed."""
    if not sys.stderr.isatty() or not is_installed("rich"):
        made = Board(None)
        yield made
        made.end()
        return
    with not_forking:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn(f"{verb} {{task.completed:,}}, {{task.fields[failed]}} failed"),
        TextColumn("{task.fields[rate]:,.0f}/s"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True, emoji=False), transient=True) as bar:
        made = Board(bar)
        yield made
        made.end()


def described(record: Record) -> str:
    """Return what a record tells of a failure, beginning with the name of the file."""
    target = f" ({record['target']})" if record["target"] else ""
    name, message = printable(record["file"]), record["message"]
    if message.startswith(f"{name}:"):  # of texts, which have a line and a column
        return message
    return f"{name}{target}: {message}"
