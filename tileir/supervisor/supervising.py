"""Calls of a function in a child process: one at a time, with limits, each death with its name.

One child serves many calls, since it takes longer to start one than to verify a file. A killed one
is replaced at once, so that the next call need not wait for the imports.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event
from typing import Self

from tileir.errors import WorkerError

from .child import Child, ChildEnded, cause, last_words, ran_out_of_memory
from .frames import ANSWER, FAILED, OUT_OF_MEMORY, TOO_LONG
from .memory import check_memory

MOST_ANSWER = 64 << 20
"""Bytes that a function may return unless said otherwise."""

CALLS = 2000
"""Calls of one child that uses LLVM, which never gives back all memory."""

STARTING = 300.0
"""Seconds that a child may take to start: on a busy machine, imports are slow."""

_OUTCOMES = (ANSWER, FAILED, TOO_LONG)
"""Frames that say what came of a request."""

_CANCELLED = "cancelled"
_MIB = 1 << 20


class _Call:
    """A call that is under way: its name, which of those made at once it is, and why its child was
    killed, "" if it was not."""

    def __init__(self, name: str) -> None:
        self.name, self.number = name, 0
        self.killed = ""


class Supervisor:
    """A function of bytes, computed by one child process that is killed at a limit and replaced.

    function  ``package.module:name``; it takes bytes and returns bytes
    seconds   how long one call may take, None for ever
    memory    bytes of data that the child may have, its imports included; None for any number.
              UnsupportedError where the system keeps no such limit: `memory.LIMITED` says so
    answer    the most bytes that the function may return
    calls     so many calls are made of one child, then a new one takes its place: what libraries
              never give back is bounded that way

    Several threads may call; one call is made at a time. Whoever drops a supervisor closes it.
    """

    def __init__(
        self,
        function: str,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        answer: int = MOST_ANSWER,
        calls: int | None = None,
    ) -> None:
        check_memory(memory)
        self._function, self._seconds, self._memory = function, seconds, memory
        self._most, self._calls = answer, calls
        self._turn = threading.Lock()
        """Held during a call."""
        self._lock = threading.Lock()
        """Held while one of the following changes."""
        self._current: _Call | None = None
        self._closed = False
        self._made = 0
        self._child = self._started()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The number of the child's process; None if there is none."""
        child = self._child
        return None if child is None else child.pid

    def call(self, data: bytes, name: str, cancelled: Event | None = None) -> bytes:
        """Return what the function makes of bytes.

        WorkerError, which begins with `name`, if it takes too long or too much memory, if the child
        crashes, or if the function raises anything, which ends the child as well: errors that are
        expected are told in bytes. So it is if it was cancelled, or the supervisor closed.
        A call does not begin if `cancelled` is set: whoever sets it and then calls `cancel` is
        heard, whenever that is.
        """
        (outcome,) = self.calls([(name, data)], cancelled)
        if isinstance(outcome, WorkerError):
            raise outcome
        return outcome

    def calls(
        self, requests: Sequence[tuple[str, bytes]], cancelled: Event | None = None
    ) -> list[bytes | WorkerError]:
        """Return what the function makes of the bytes of each request, which has a name, too.

        That is as if `call` were called with one after the other, but the child finds the next one
        waiting for it, and an error stands in the place of the bytes. The child computes them in
        their order and sends each answer at once, so the first one that is missing is the one that
        it died of; what comes after that has not been done, and nothing is returned for it.
        """
        first = requests[0][0]
        with self._turn:
            with self._lock:
                if self._closed:
                    return [WorkerError("cancelled", first, "the supervisor is closed")]
                if cancelled is not None and cancelled.is_set():
                    return [WorkerError("cancelled", first, "cancelled")]
                try:
                    child = self._child = self._child or self._new(first)
                except WorkerError as error:
                    return [error]
                current = self._current = _Call(first)
            outcomes: list[bytes | WorkerError] = []
            kind = b""
            try:
                self._wait_until_ready(child, current)
                for kind, answer in self._answers(child, current, requests):
                    if kind in _OUTCOMES:
                        outcomes.append(self._outcome(kind, answer, current.name))
            except ChildEnded:
                kind = b""
            except BaseException:  # Ctrl-C: an answer is on its way that nobody will read
                self._replace(child)
                raise
            finally:
                with self._lock:
                    self._current = None
            self._made += len(outcomes)
            if kind not in _OUTCOMES or current.killed:
                del outcomes[current.number :]  # it was killed while its answer was on the way
                outcomes.append(self._death(child, current, kind))
            elif kind == FAILED or (self._calls is not None and self._made >= self._calls):
                self._replace(child)
        return outcomes

    def cancel(self, name: str) -> bool:
        """Kill the child if it works on the call of that name; return whether it does."""
        with self._lock:
            current = self._current
            if current is None or current.name != name:
                return False
            self._kill(current, _CANCELLED)
            return True

    def close(self) -> None:
        """Kill the child, and whatever call is under way with it; there are no further ones."""
        with self._lock:
            self._closed = True
            if self._current is not None:
                self._kill(self._current, _CANCELLED)
        with self._turn:
            child, self._child = self._child, None
            if child is not None:
                child.end()

    def _wait_until_ready(self, child: Child, current: _Call) -> None:
        """Wait for a child to have started; ChildEnded if it has not."""
        if child.is_ready:
            return
        with self._alarm(current, STARTING, "start"):
            problem = child.ready()
        if problem:
            current.killed = f"cannot start: {problem}"
            raise ChildEnded

    def _answers(
        self, child: Child, current: _Call, requests: Sequence[tuple[str, bytes]]
    ) -> Iterator[tuple[bytes, bytes]]:
        """Send requests, and yield the frame that answers each, up to one that ends the child."""
        with self._alarm(current, self._seconds, "time") as again:
            child.ask([data for _, data in requests])
            for number, (name, _) in enumerate(requests):
                with self._lock:
                    if current.killed:  # for the call before, so this one has not been done
                        return
                    current.name, current.number = name, number
                    again()
                kind, answer = child.answer()
                yield kind, answer
                if kind not in (ANSWER, TOO_LONG):
                    return

    def _outcome(self, kind: bytes, answer: bytes, name: str) -> bytes | WorkerError:
        """Return what a frame says of a request that did not end the child by itself."""
        if kind == FAILED:
            return WorkerError("defect", name, answer.decode(errors="replace"))
        if kind == TOO_LONG:
            size = int(answer) // _MIB
            text = f"the answer has {size} MiB, more than the {self._most // _MIB} MiB of the limit"
            return WorkerError("answer", name, text)
        return answer

    @contextmanager
    def _alarm(
        self, current: _Call, seconds: float | None, why: str
    ) -> Iterator[Callable[[], None]]:
        """Kill the child of a call if what is done inside takes too long; yield what begins anew.

        That is called very often, and with the lock held, so it moves the end and wakes nobody:
        whoever waits looks again.
        """
        if seconds is None:
            yield lambda: None
            return
        done, started = Event(), [time.monotonic()]

        def again() -> None:
            started[0] = time.monotonic()

        def watch() -> None:
            left = seconds
            while not done.wait(left):
                with self._lock:
                    left = started[0] + seconds - time.monotonic()
                    if left <= 0 and self._current is current and not done.is_set():
                        self._kill(current, why)
                        return

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield again
        finally:
            with self._lock:
                done.set()

    def _kill(self, current: _Call, why: str) -> None:
        """Kill the child of the call that is under way; the lock is held."""
        current.killed = current.killed or why
        if self._child is not None:
            self._child.kill()

    def _new(self, name: str) -> Child:
        """Start a child; WorkerError if the system starts no process."""
        self._made = 0
        try:
            return Child(self._function, self._memory, self._most)
        except OSError as error:
            raise WorkerError("start", name, f"there is no process for it: {error}") from None

    def _started(self) -> Child | None:
        """Start a child for the next call, which tries again if there is none."""
        with suppress(WorkerError):
            return self._new("")
        return None

    def _replace(self, child: Child) -> tuple[int, str]:
        """End a child, and start another one; return what `Child.end` does."""
        ended = child.end()
        with self._lock:
            self._child = None if self._closed else self._started()
        return ended

    def _death(self, child: Child, current: _Call, kind: bytes) -> WorkerError:
        """Replace a child that is good for nothing any more, and return what it died of."""
        name, why = current.name, current.killed
        if why.startswith("cannot start"):
            child.end()
            with self._lock:
                self._child = None  # the next call tries again
            if ran_out_of_memory(why) and self._memory:
                why = f"needs more than {self._memory // _MIB} MiB of memory to start"
            return WorkerError("start", name, f"the process that works on it {why}")
        code, said = self._replace(child)
        if why == _CANCELLED:
            return WorkerError("cancelled", name, "cancelled")
        if why == "start":
            text = f"the process that works on it did not start within {STARTING:g} s"
            return WorkerError("start", name, text)
        if why == "time":
            text = f"it took more than {self._seconds:g} s, the limit of time"
            return WorkerError("time", name, text)
        if kind == OUT_OF_MEMORY or ran_out_of_memory(said):
            most = (self._memory or 0) // _MIB
            limit = f"more than {most} MiB of memory, the limit" if most else "more memory"
            return WorkerError("memory", name, f"it needed {limit}")
        last, text = last_words(said), f"the process that worked on it {cause(code)}"
        return WorkerError("crash", name, f"{text}: {last}" if last else text)
