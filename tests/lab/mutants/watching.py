"""The other end of a session: says what to run, listens, and ends what takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .session import Reporter, Waiting, pytest_in

COLLECTION = 240.0
"""Seconds that collecting, or the end of a run, may take."""

Limit = Callable[[str], float]
"""How many seconds a test may take."""


@dataclass
class Outcome:
    """How a run ended."""

    verdict: str
    """`passed`, `failed` (a test or its collection), `limit` (too slow), `crash` (no answer) or
    `impossible` (this fault cannot be put into a program that runs)."""
    test: str = ""
    why: str = ""
    seconds: float = 0.0
    ran: int = 0
    results: list[dict] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)
    """Seconds of each test that ended."""

    @property
    def killed(self) -> bool:
        return self.verdict in {"failed", "limit", "crash"}


class _Line:
    """Messages from a pipe, one after the other."""

    def __init__(self, pipe: int) -> None:
        self._pipe, self._buffer, self._waiting = pipe, b"", []

    def next(self, seconds: float) -> dict | None:
        """The next message, None if none comes in time. Raises EOFError if nobody is left."""
        end = time.monotonic() + seconds
        while not self._waiting:
            ready, _, _ = select.select([self._pipe], [], [], max(end - time.monotonic(), 0))
            if not ready:
                return None
            data = os.read(self._pipe, 1 << 16)
            if not data:
                raise EOFError
            self._buffer += data
            *lines, self._buffer = self._buffer.split(b"\n")
            self._waiting += map(json.loads, lines)
        return self._waiting.pop(0)


def _watch(line: _Line, limit: Limit, total: float, go_on: bool) -> Outcome:
    outcome = Outcome("")
    now = ""
    start = begun = time.monotonic()

    def ended(verdict: str, test: str, why: str) -> Outcome:
        outcome.verdict, outcome.test, outcome.why = verdict, test, why
        return outcome

    while True:
        allowed = begun + (limit(now) if now else COLLECTION)
        try:
            message = line.next(min(allowed, start + total) - time.monotonic())
        except EOFError:
            message = {"exited": 0}
        match message:
            case None:
                return ended("limit", now or "collection", f"{time.monotonic() - begun:.0f} s")
            case {"start": name}:
                now, begun = name, time.monotonic()
                outcome.ran += 1
            case {"failed": name, "why": why, "at": at} if not go_on:
                return ended("failed", name, f"{at}: {why}")
            case {"report": name, "seconds": seconds, "at": at}:
                outcome.results.append(message)
                outcome.took[name] = outcome.took.get(name, 0.0) + seconds
                if at == "teardown":
                    now, begun = "", time.monotonic()
            case {"module": _}:
                outcome.results.append(message)
            case {"impossible": why}:
                return ended("impossible", "", why)
            case {"done": why}:
                return ended("passed", "", why)
            case {"exited": status}:
                return ended("crash", now or "collection", f"status {status}")


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def cold(
    root: Path,
    modules: Sequence[str],
    chosen: Sequence[str] | None,
    limit: Limit,
    *,
    total: float,
    go_on: bool = False,
    plugins: Callable[[], list[object]] = list,
    cached: bool = False,
) -> Outcome:
    """A run of `chosen` tests (None: all) of `modules` that imports and collects anew.

    `total` is how many seconds it may take. The first failure ends it unless `go_on`, which keeps
    what all tests report.
    """
    ours, theirs = os.pipe()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(ours)
        reporter = Reporter(theirs, chosen)
        pytest_in(root, modules, plugins, reporter, cached=cached, stop=not go_on)
    os.close(theirs)
    try:
        outcome = _watch(_Line(ours), limit, total, go_on)
    finally:
        os.close(ours)
        _end(child)
        os.waitpid(child, 0)
    outcome.seconds = time.monotonic() - start
    return outcome


class Server:
    """A suite that has been collected, waiting."""

    def __init__(self, root: Path, modules: Sequence[str]) -> None:
        ours, theirs = os.pipe()
        commands, self._commands = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(ours)
            os.close(self._commands)
            reporter = Reporter(theirs)
            waiting = Waiting(reporter, commands)
            pytest_in(root, modules, lambda: [waiting], reporter, cached=True)
        os.close(theirs)
        os.close(commands)
        self._line = _Line(ours)
        while "ready" not in (message := self._line.next(900) or {"failed": "no answer"}):
            if "failed" in message:
                self.close()
                raise RuntimeError(f"{root}: cannot be collected: {message}")
        self.tests: int = message["ready"]

    def run(
        self, fault: tuple[str, str, str] | None, chosen: Sequence[str], limit: Limit, total: float
    ) -> Outcome:
        """Run tests with a fault: the path of a file, what it says, what it would say."""
        start = time.monotonic()
        data = json.dumps({"fault": fault, "chosen": list(chosen)}).encode() + b"\n"
        while data:
            data = data[os.write(self._commands, data) :]
        child = (self._line.next(COLLECTION) or {}).get("forked")
        if child is None:
            raise RuntimeError("the server does not answer")
        outcome = _watch(self._line, limit, total, go_on=False)
        while outcome.verdict != "crash":
            _end(child)
            if self._exited(0.5):  # else it had no group of its own yet
                break
        outcome.seconds = time.monotonic() - start
        return outcome

    def _exited(self, seconds: float) -> bool:
        while message := self._line.next(seconds):
            if "exited" in message:
                return True
        return False

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            os.close(self._commands)
        _end(self._process)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)
