"""Children that compute our own functions, as many as threads ask at once; see `supervisor`."""

from __future__ import annotations

import os
import weakref
from typing import Any

from tileir.errors import WorkerError
from tileir.formats.forks import Lock
from tileir.supervisor import CALLS, Supervisor
from tileir.supervisor.memory import LIMITED

from .answer import Answer
from .programs import Limits
from .running import running

_NAME = "the file"
"""What a child works on, in messages that do not show it."""


class Children:
    """Idle children; they end with this object."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = Lock()
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._idle: list[Supervisor] = []
        weakref.finalize(self, _close, self._idle, self._process)

    def __reduce__(self) -> tuple[Any, ...]:
        return Children, (self._limits,)  # another process has children of its own

    def ask(self, function: str, data: bytes) -> Answer:
        """Return what a function of `ours` answers, or how its child died."""
        with self._lock:
            if self._process != os.getpid():  # a fork: those that were started are its parent's
                self._start()
            child = self._idle.pop() if self._idle else None
        child = child or self._started()
        try:
            with running(lambda: child.cancel(_NAME)):
                return Answer.from_bytes(child.call(function.encode() + b"\n" + data, _NAME))
        except WorkerError as error:
            problem = str(error).removeprefix(f"{_NAME}: ")
            if error.kind in ("crash", "defect"):
                return Answer(crash=problem, said=problem)
            if error.kind == "start":
                raise
            return Answer(missing=problem)
        finally:
            with self._lock:
                self._idle.append(child)

    def _started(self) -> Supervisor:
        return Supervisor(
            "tileir.predicates.ours:answer",
            seconds=self._limits.seconds,
            memory=self._limits.memory if LIMITED else None,
            calls=CALLS,
        )


def _close(idle: list[Supervisor], process: int) -> None:
    if process == os.getpid():
        for child in idle:
            child.close()
