"""Do something that may never end, and wait for it only so long."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")
Outcome = tuple[Any, BaseException | None]
"""What an action has returned, or what it has raised."""


def within(seconds: float, action: Callable[[], Result]) -> Result:
    """Return what an action returns, or raise what it raises; TimeoutError if it takes longer.

    It then goes on in a thread of its own, which does not keep the process from ending.
    """
    thread = _idle_thread()
    thread.actions.put(action)
    try:
        result, problem = thread.outcomes.get(timeout=seconds)
    except Empty:
        thread.actions.put(None)  # it ends when it is done with this one, if ever
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    except BaseException:  # Ctrl-C
        thread.actions.put(None)
        raise
    _idle.append(thread)
    if problem is not None:
        raise problem
    return result


class _Thread:
    """A thread that does one action after the other, and puts what came of each into a queue."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.actions: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.outcomes: SimpleQueue[Outcome] = SimpleQueue()
        threading.Thread(target=self._run, name="tileir: shared store", daemon=True).start()

    def _run(self) -> None:
        while (action := self.actions.get()) is not None:
            try:
                self.outcomes.put((action(), None))
            except BaseException as problem:
                self.outcomes.put((None, problem))


_idle: list[_Thread] = []
"""Threads that wait for an action; starting one takes longer than a small file to be read."""


def _idle_thread() -> _Thread:
    """Return a thread of this process: the child of a fork has none of its parent's."""
    own = os.getpid()
    while _idle:
        try:
            thread = _idle.pop()
        except IndexError:  # another thread was faster
            break
        if thread.process == own:
            return thread
    return _Thread()
