"""A progress bar on standard error, if that is a terminal and the work takes a while."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from tileir.messages.missing_packages import is_installed

PATIENCE = 0.5
"""Seconds before the bar appears."""


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function to call with the number of items begun and the total number.

    Yields None if standard error is not a terminal, or rich is not installed.
    """
    if not sys.stderr.isatty() or not is_installed("rich"):
        yield None
        return
    with contextlib.ExitStack() as stack:
        yield _Bar(what, stack).show


class _Bar:
    """A bar that appears when the work has taken `PATIENCE` and is not done."""

    def __init__(self, what: str, stack: contextlib.ExitStack) -> None:
        self._what = what
        self._stack = stack
        self._started = time.monotonic()
        self._update: Callable[[int, int], None] | None = None

    def show(self, begun: int, total: int) -> None:
        """Update the bar, if it has appeared or is to appear now."""
        if self._update is None:
            if time.monotonic() - self._started < PATIENCE or begun >= total:
                return
            self._update = self._make()
        self._update(begun, total)

    def _make(self) -> Callable[[int, int], None]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._stack.enter_context(bar)
        task = bar.add_task(self._what, total=None)
        return lambda begun, total: bar.update(task, completed=begun, total=total)
