"""Where chunks are computed: executors, how many workers they have, and who replaces a broken one.

By default that is threads of this process, each with a child of its own: what computes are the
children, so there is nothing that processes in between would add. They are for machines with so
many cores that one interpreter cannot feed all children.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from tileir.command_line.exit_codes import UsageError
from tileir.errors import WorkerError
from tileir.formats.forks import not_forking

from .jobs import CHUNK_SECONDS, FAR_SECONDS
from .worker import Keeper, adopt

Maker = Callable[[], Executor]
"""What makes an executor, again when the one before has broken."""

BY_NAME = ("threads", "processes")


class Threads(Executor):
    """Threads with a child each; when it is shut down, the children are killed."""

    def __init__(self, workers: int) -> None:
        self._keepers: list[Keeper] = []
        self._threads = ThreadPoolExecutor(workers, "batch", self._started)

    def _started(self) -> None:
        keeper = Keeper()
        self._keepers.append(keeper)
        adopt(keeper)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a thread call the function."""
        return self._threads.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads; with `cancel_futures`, what they work on is cut short."""
        if cancel_futures:
            self._close()
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        self._close()

    def _close(self) -> None:
        for keeper in list(self._keepers):
            keeper.close()


class Processes(ProcessPoolExecutor):
    """Processes with a child each; they cut short what they do when this process ends, too."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._heard, self._alive = context.Pipe(duplex=False)
        super().__init__(workers, context, _attend, (self._heard,))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; with `cancel_futures`, what they work on is cut short."""
        if cancel_futures:
            self._alive.close()
        super().shutdown(wait, cancel_futures=cancel_futures)


def _attend(heard: Connection) -> None:
    """Prepare a process: Ctrl-C is its parent's, and it hears when that has had enough."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keeper = Keeper()
    adopt(keeper)

    def listen() -> None:
        with contextlib.suppress(EOFError, OSError):
            heard.recv_bytes()
        keeper.close()

    threading.Thread(target=listen, daemon=True).start()


def _nothing() -> None:
    """Do nothing: executors of Python tell of all that they are given."""


@dataclass(frozen=True)
class Place:
    """Executors for a batch, one after the other if they break.

    workers  how many workers there are by now
    owned    whether executors are shut down in the end; else what is under way is cancelled
    seconds  that a chunk takes there
    look     is called now and then while nothing is told, to end what will never be told
    """

    make: Maker
    workers: Callable[[], int]
    owned: bool = True
    seconds: float = FAR_SECONDS
    look: Callable[[], None] = _nothing

    def end(self, executor: Executor, pending: Iterable[Future]) -> None:
        """Have nothing more done by an executor, and wait for that."""
        if self.owned:
            executor.shutdown(wait=True, cancel_futures=True)
        else:
            for future in pending:
                future.cancel()


def cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def place_of(executor: Executor | Maker | str | None, workers: int | None = None) -> Place:
    """Return the place that somebody names; UsageError if there is none.

    executor  an executor, which cannot be replaced if it breaks; what makes one; or a name, of
              `BY_NAME`, ``tcp://...`` for Dask's scheduler there, or ``module:function`` for a
              function that makes one
    workers   how many workers there are; as many as CPUs if None, and as the cluster has
    """
    number = workers or cpus()
    if isinstance(executor, str) and "://" in executor:
        if workers is not None:
            raise UsageError("a cluster has as many workers as it has; do not ask for a number")
        return _cluster(executor)
    if executor is None or executor == "threads":
        return Place(lambda: Threads(number), lambda: number, seconds=CHUNK_SECONDS)
    if executor == "processes":
        return Place(lambda: Processes(number), lambda: number, seconds=CHUNK_SECONDS)
    if isinstance(executor, Executor):
        return Place(_once(executor), lambda: number, owned=False)
    make = _found(executor) if isinstance(executor, str) else executor
    return Place(make, lambda: number)


def _cluster(address: str) -> Place:
    with not_forking:
        from .cluster import Cluster
    made: list[Cluster] = []

    def make() -> Executor:
        cluster = Cluster(address)
        if not made and not cluster.threads():
            told = f"{address}: there are no workers yet; the batch waits for them"
            warnings.warn(told, RuntimeWarning, stacklevel=2)
        made[:] = [cluster]
        return cluster

    return Place(make, lambda: max(1, made[0].threads()), look=lambda: made[0].look())


def _once(executor: Executor) -> Maker:
    given = [executor]

    def make() -> Executor:
        if not given:
            raise WorkerError("start", "the executor", "it is broken, and there is no other one")
        return given.pop()

    return make


def _found(name: str) -> Maker:
    module, colon, function = name.partition(":")
    if not colon:
        known = ", ".join(BY_NAME)
        raise UsageError(f"there is no executor {name!r}; there are {known} and MODULE:FUNCTION")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"--executor {name}: {error}") from None
    except Exception as error:  # of a module of somebody else, or a name that none can have
        raise UsageError(f"--executor {name}: {type(error).__name__}: {error}") from None

    def make() -> Executor:
        try:
            executor = found()
        except Exception as error:
            raise UsageError(f"--executor {name}: {type(error).__name__}: {error}") from None
        if not isinstance(executor, Executor):
            kind = type(executor).__name__
            raise UsageError(f"--executor {name} returns a {kind}, which is no Executor")
        return executor

    return make
