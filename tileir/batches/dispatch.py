"""The dispatcher: it submits chunks to an executor, and again if their worker is lost.

Chunks come in as they are asked for; jobs, with the bytes of their responses, go out as they are
done. So many chunks are under way for each worker and no more, so that memory does not depend on
how many there are. Who is to blame for a worker that is lost is not known, since one worker may
take all that is under way along; so after the second time the jobs of a chunk are tried one by one,
with nothing else under way, when all others are done. The one that loses its worker again is told.
A scheduler that is lost is no fault of a chunk, unless that happens with it again and again.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from queue import Empty, SimpleQueue

from tileir.command_line.exit_codes import OUTSIDE
from tileir.errors import WorkerError

from .executors import Place
from .jobs import Chunk, Job
from .protocol import Response
from .worker import Refused, SchedulerLost, run_chunk

IN_FLIGHT = 4
"""Chunks for each worker: one that it works on, and others so that it need not wait."""
_MOST_LOST = 2
"""How often a chunk is lost before its jobs are tried alone."""
_MOST_UNSCHEDULED = 5
"""How often the scheduler is lost with a chunk before it is suspected of that."""
_HOPELESS = 20
"""Losses without a response in between, after which nothing more is expected of an executor."""
_LOOK = 1.0
"""Seconds after which a wait looks for Ctrl-C, where the system does not interrupt a wait."""

Completed = list[tuple[Job, bytes]]


class Dispatcher:
    """Chunks under way on the executors of a place; WorkerError if these are good for nothing."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._executor = place.make()
        self._pending: dict[Future, tuple[Chunk, Executor]] = {}
        self._completed: SimpleQueue[Future | None] = SimpleQueue()
        """What is done; None when somebody wants to have nothing more done."""
        self._interrupted = False
        self._resubmitted: deque[Chunk] = deque()
        self._suspects: deque[Chunk] = deque()
        self._suspect: Chunk | None = None
        """The one chunk that is under way, if its job is tried alone."""
        self._hopeless = 0

    def interrupt(self) -> None:
        """Have `responses` raise KeyboardInterrupt soon; a signal handler may call it at any time.

        So Ctrl-C comes between two chunks, never while records are written.
        """
        self._interrupted = True
        self._completed.put(None)

    def responses(self, chunks: Iterable[Chunk]) -> Iterator[Completed]:
        """Yield jobs with the bytes of their responses, chunk by chunk, as they are done."""
        fresh = iter(chunks)
        while True:
            while (chunk := self._next(fresh)) is not None:
                self._submit(chunk)
            if not self._pending:
                return
            completed = self._wait()
            if completed:
                yield completed

    def stop(self) -> Completed:
        """End what is under way; return what is done nevertheless."""
        self._place.end(self._executor, list(self._pending))
        completed: Completed = []
        while self._pending:
            try:
                future = self._completed.get_nowait()
            except Empty:
                break
            if future is None:
                continue
            chunk, _ = self._pending.pop(future)
            if not future.cancelled() and future.exception() is None:
                got = future.result()
                if not isinstance(got, Refused):
                    completed += zip(chunk.jobs, got, strict=False)
        self._pending.clear()
        return completed

    def _next(self, fresh: Iterator[Chunk]) -> Chunk | None:
        """Return the chunk to submit; None if nothing is to be submitted now."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self._suspect is not None or len(self._pending) >= IN_FLIGHT * self._place.workers():
            return None
        if self._resubmitted:
            return self._resubmitted.popleft()
        if (chunk := next(fresh, None)) is not None:
            return chunk
        if self._suspects and not self._pending:
            self._suspect = self._suspects.popleft()
            return self._suspect
        return None

    def _submit(self, chunk: Chunk) -> None:
        while True:
            executor = self._executor
            try:
                future = executor.submit(run_chunk, chunk)
                break
            except BrokenExecutor as error:
                self._renew(executor, error)
        self._pending[future] = chunk, executor
        future.add_done_callback(self._completed.put)

    def _wait(self) -> Completed:
        """Wait for a chunk, and return its responses; none if it was lost."""
        future = None
        while future is None:
            if self._interrupted:
                raise KeyboardInterrupt
            try:
                future = self._completed.get(timeout=_LOOK)
            except Empty:
                self._place.look()
        chunk, executor = self._pending.pop(future)
        try:
            error = future.exception()
        except CancelledError as cancelled:
            error = cancelled
        if error is not None:
            return self._lost(chunk, executor, error)
        got = future.result()
        if isinstance(got, Refused):
            raise WorkerError("start", got.worker, f"it has {got.difference}")
        completed = list(zip(chunk.jobs, got, strict=False))
        if len(got) < len(chunk.jobs):
            chunk.jobs = chunk.jobs[len(got) :]
            closed = WorkerError("cancelled", "the worker", "it was closed")
            return completed + self._lost(chunk, executor, closed)
        self._hopeless, self._suspect = 0, None
        return completed

    def _lost(self, chunk: Chunk, executor: Executor, error: BaseException) -> Completed:
        """Do what is to be done about a chunk that was lost; return what is told of its job."""
        if isinstance(error, BrokenExecutor):
            self._renew(executor, error)
        else:
            self._despair(error)
        by_scheduler = isinstance(error, SchedulerLost)
        if by_scheduler:
            chunk.unscheduled += 1
            if chunk.unscheduled < _MOST_UNSCHEDULED:
                return self._again(chunk)
        if chunk is self._suspect:
            self._suspect = None
            times = f"{chunk.unscheduled}" if by_scheduler else "three"
            text = f"whatever worked on it was lost, {times} times: {_told(error)}"
            return [(chunk.jobs[0], Response(OUTSIDE, "lost", text).packed())]
        chunk.lost += not by_scheduler
        if not by_scheduler and chunk.lost < _MOST_LOST:
            self._resubmitted.append(chunk)
        else:
            self._suspects += (chunk.with_jobs([job]) for job in chunk.jobs)
        return []

    def _again(self, chunk: Chunk) -> Completed:
        """Have a chunk submitted again that is not to blame for its loss."""
        if chunk is self._suspect:
            self._suspect = None
            self._suspects.appendleft(chunk)
        else:
            self._resubmitted.append(chunk)
        return []

    def _renew(self, broken: Executor, error: BaseException) -> None:
        """Make another executor in the place of one that is broken, unless that has been done."""
        if broken is not self._executor:
            return
        self._despair(error)
        if isinstance(error, SchedulerLost):
            told = f"{error}; what was under way is done again when a scheduler answers there"
            # With a registry of its own: Python shows what a line says again only once otherwise.
            warnings.warn_explicit(told, RuntimeWarning, __file__, 0, __name__, registry={})
        self._place.end(broken, [])
        self._executor = self._place.make()

    def _despair(self, error: BaseException) -> None:
        """Count a loss; WorkerError if there have been too many."""
        self._hopeless += 1
        if self._hopeless > max(_HOPELESS, 2 * IN_FLIGHT * self._place.workers()):
            text = f"it loses whatever is submitted: {_told(error)}"
            raise WorkerError("start", "the executor", text)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
