"""An executor without workers: chunks are computed where they are submitted, and some are lost."""

from __future__ import annotations

from collections.abc import Callable, Container
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pkgutil import resolve_name
from typing import Any

from tileir.batches.jobs import Chunk
from tileir.batches.protocol import Request
from tileir.batches.worker import SchedulerLost


class Inline(Executor):
    """It does in this process what a child would do; a chunk with a killer in it breaks it.

    It breaks as pools of processes do: for good, for all that is submitted.
    """

    def __init__(
        self,
        killers: Container[str] = (),
        made: list[Inline] | None = None,
        loss: Callable[[], BrokenExecutor] = lambda: BrokenProcessPool("a worker ended"),
    ) -> None:
        self._loss = loss
        self.killers = killers
        self.broken = self.ended = False
        self.chunks: list[list[str]] = []
        """Names of the modules that were submitted at once."""
        if made is not None:
            made.append(self)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (chunk,) = args
        assert isinstance(chunk, Chunk)
        if self.broken:
            raise self._loss()
        self.chunks.append([job.name for job in chunk.jobs])
        future: Future[Any] = Future()
        if any(job.name in self.killers for job in chunk.jobs):
            self.broken = True
            future.set_exception(self._loss())
        else:
            respond = resolve_name(chunk.function)
            future.set_result([respond(Request.packed(chunk.work, job)) for job in chunk.jobs])
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.ended = True


class Forgetful(Inline):
    """It does nothing until it has so many chunks; then its scheduler is lost with all of them."""

    def __init__(self, number: int, made: list[Inline]) -> None:
        super().__init__(made=made)
        self._number = number
        self._futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.broken:
            raise SchedulerLost("tcp://there")
        (chunk,) = args
        self.chunks.append([job.name for job in chunk.jobs])
        self._futures.append(Future())
        if len(self._futures) == self._number:
            self.broken = True
            for each in self._futures:
                each.set_exception(SchedulerLost("tcp://there"))
        return self._futures[-1]


def make() -> Inline:
    """For `--executor`."""
    return Inline()
