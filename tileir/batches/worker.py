"""What a worker does with a chunk: `run_chunk` is the function that an executor is given.

A chunk comes in; its jobs go to a child process as requests, all at once, and their responses go
back in the same order. An executor gives a thread or a process, and can neither limit nor survive
what happens there: so each thread of a worker keeps one child under a supervisor, which kills it at
the limit of time or memory and replaces it. The job that it died of is then named, and those behind
it go to the next child. It is a subprocess, since the processes of some executors may not have
children of multiprocessing.
"""

from __future__ import annotations

import os
import platform
import threading
import weakref
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from typing import NamedTuple

from tileir.command_line.exit_codes import DEFECT, OUTSIDE
from tileir.errors import WorkerError
from tileir.supervisor import CALLS, Supervisor

from .jobs import Chunk, Limits
from .protocol import Request, Response
from .versions import here

_TWICE = ("crash", "memory", "start")
"""Deaths that count when they happen again in a fresh child: the module before may be to blame, or
somebody else who has killed it. A limit of time is not waited for twice."""


class Refused(NamedTuple):
    """The response of a worker that has other versions: its name, and what differs."""

    worker: str
    difference: str


class SchedulerLost(BrokenExecutor):
    """The scheduler of a worker is gone, and has forgotten what was under way: all chunks."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address}: the scheduler was lost, or restarted")


class Keeper:
    """The child of one thread; `close` may be called by others. It ends with this object, too."""

    def __init__(self) -> None:
        self.process = os.getpid()
        """Who has it: the child of a process that forks is not that of its copy."""
        self._lock = threading.Lock()
        self._closed = False
        self._supervisors: list[Supervisor] = []
        """The supervisor, or none yet."""
        self._made_for: tuple[str, Limits] | None = None
        weakref.finalize(self, _close, self._supervisors, self.process)

    @property
    def closed(self) -> bool:
        """Whether it has been closed; it gives no child then."""
        return self._closed

    def supervisor(self, function: str, limits: Limits) -> Supervisor:
        """Return a supervisor of this function with these limits: the last one if it has them.

        _Cancelled if it has been closed.
        """
        with self._lock:
            if self._closed:
                raise _Cancelled
            if self._made_for != (function, limits):
                _close(self._supervisors, self.process)
                seconds, memory = limits
                made = Supervisor(function, seconds=seconds, memory=memory, calls=CALLS)
                self._supervisors.append(made)
                self._made_for = (function, limits)
            return self._supervisors[0]

    def close(self) -> None:
        """Kill the child; what is under way is cancelled."""
        with self._lock:
            self._closed = True
            _close(self._supervisors, self.process)


def _close(supervisors: list[Supervisor], process: int) -> None:
    while supervisors:
        each = supervisors.pop()
        if process == os.getpid():
            each.close()


class _Own(threading.local):
    keeper: Keeper | None = None


_own = _Own()


def adopt(keeper: Keeper) -> None:
    """Let this thread use a keeper that somebody else closes."""
    _own.keeper = keeper


def run_chunk(chunk: Chunk) -> list[bytes] | Refused:
    """Return the responses to the jobs of a chunk, in their order, as bytes.

    There are fewer if the batch ends meanwhile.
    """
    if difference := chunk.versions.difference(here()):
        return Refused(f"process {os.getpid()} on {platform.node()}", difference)
    keeper = _own.keeper
    if keeper is None or keeper.process != os.getpid():
        keeper = _own.keeper = Keeper()
    requests = [(job.name, Request.packed(chunk.work, job)) for job in chunk.jobs]
    responses: list[bytes] = []
    with suppress(_Cancelled):
        while len(responses) < len(requests):
            _respond(keeper.supervisor(chunk.function, chunk.limits), requests, responses)
    return responses


class _Cancelled(Exception):
    """The batch has ended."""


def _respond(
    supervisor: Supervisor, requests: list[tuple[str, bytes]], responses: list[bytes]
) -> None:
    """Add responses to the next requests; the last may be that the child died of it."""
    outcomes = supervisor.calls(requests[len(responses) :])
    last = outcomes[-1]
    if isinstance(last, WorkerError) and last.kind in _TWICE:
        at = len(responses) + len(outcomes) - 1
        outcomes[-1:] = supervisor.calls(requests[at : at + 1])
    for outcome in outcomes:
        responses.append(_told(outcome))  # one by one: those before what is cancelled are kept


def _told(outcome: bytes | WorkerError) -> bytes:
    """Return the response to a request; _Cancelled if there is none."""
    if not isinstance(outcome, WorkerError):
        return outcome
    if outcome.kind == "cancelled":
        raise _Cancelled
    code = DEFECT if outcome.kind == "defect" else OUTSIDE
    return Response(code, outcome.kind, outcome.problem).packed()
