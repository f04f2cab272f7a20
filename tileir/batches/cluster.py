"""Workers of a Dask cluster as an executor: Slurm, Kubernetes and SSH come with what starts Dask.

Dask says which worker computes a chunk, and gives the chunk of one that is lost to another. What
is seen to here: that all workers have our versions, that a scheduler which is gone counts as an
executor that is broken (Dask would connect again by itself, and has forgotten all chunks then), and
that no child of a batch is left on workers when it ends.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from functools import partial
from typing import Any
from weakref import WeakSet

from tileir.command_line.exit_codes import UsageError
from tileir.errors import WorkerError
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import needing

from .versions import Versions, here
from .worker import Keeper, SchedulerLost, adopt

_COUNTED = 2.0
"""Seconds for which a number of workers is good."""


class Cluster(Executor):
    """The workers of the scheduler at an address; the connection ends with `shutdown`.

    A connection that was lost is not used again, even if Dask makes another: what was under way is
    forgotten there. All of it ends with SchedulerLost, and so does what is submitted later.

    WorkerError if nothing answers there for as long as Dask's settings say, and for workers that
    have other versions.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._client = _connected(address)
        self._connection = self._client.scheduler_comm
        self._executor = self._client.get_executor(pure=False)
        self._pending: set[Future[Any]] = set()
        self._batch = uuid.uuid4().hex
        self._number, self._counted = 0, float("-inf")
        self._closed = False
        try:
            self._compare()
        except OSError as error:  # it is gone again
            self.shutdown()
            raise _no_answer(address, error) from None
        except BaseException:
            self.shutdown()
            raise

    @property
    def lost(self) -> bool:
        """Whether the connection to the scheduler is lost, or was."""
        client = self._client
        return client.status != "running" or client.scheduler_comm is not self._connection

    def threads(self) -> int:
        """Return how many chunks are computed at once: threads of all workers together."""
        if time.monotonic() - self._counted > _COUNTED and not self.lost:
            with contextlib.suppress(Exception):  # a scheduler that is gone: `submit` says so
                self._number = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return self._number

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a worker call the function; SchedulerLost if the scheduler is gone."""
        if self._closed or self.lost:
            raise SchedulerLost(self._address)
        try:
            asked = self._executor.submit(_borrowed, self._batch, fn, *args, **kwargs)
        except Exception:
            if self.lost:  # just now
                raise SchedulerLost(self._address) from None
            raise
        told: Future[Any] = Future()
        self._pending.add(told)
        asked.add_done_callback(partial(self._tell, told))
        return told

    def look(self) -> None:
        """End what is under way if the scheduler is gone.

        Dask cancels it then, but for what it was fetching from a worker, of which it tells nothing.
        """
        if self.lost:
            self._end_all()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the connection, and what is under way; what is done by then has been told."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(Exception):  # nobody is there to be told
            if not self.lost:
                self._executor.shutdown(wait=not cancel_futures)
                self._client.run(_give_back, self._batch, on_error="ignore")
        with contextlib.suppress(Exception):
            self._client.close()
        self._end_all()

    def _tell(self, told: Future[Any], asked: Future[Any]) -> None:
        """Tell what came of a call; nobody here cancels one, so it was lost if it is cancelled.

        Dask cancels what is under way when the scheduler is gone, after it has noted that; and
        where somebody else's client has it cancelled, or has all workers restarted.
        """
        error: BaseException | None
        if asked.cancelled():
            error = SchedulerLost(self._address) if self.lost else CancelledError("by Dask")
        else:
            error = asked.exception()
        self._pending.discard(told)
        with contextlib.suppress(InvalidStateError):  # it was ended meanwhile
            if error is None:
                told.set_result(asked.result())
            else:
                told.set_exception(error)

    def _end_all(self) -> None:
        for told in list(self._pending):
            self._pending.discard(told)
            with contextlib.suppress(InvalidStateError):  # it was told meanwhile
                told.set_exception(SchedulerLost(self._address))

    def _compare(self) -> None:
        """Raise WorkerError for workers that have other versions, or none."""
        ours = here()
        differing = []
        for worker, theirs in self._client.run(here, on_error="return").items():
            if isinstance(theirs, OSError):  # it was lost just now, or is busy
                continue
            if not isinstance(theirs, Versions):
                differing.append((worker, f"it cannot tell its versions: {theirs}"))
            elif difference := ours.difference(theirs):
                differing.append((worker, f"it has {difference}"))
        if not differing:
            return
        worker, difference = min(differing)
        others = len(differing) - 1
        told = f"; {others:,} more {'differs' if others == 1 else 'differ'}, too" if others else ""
        raise WorkerError("start", worker, difference + told)


def _connected(address: str) -> Any:
    """Return a client of the scheduler at an address; WorkerError if nothing answers there."""
    with needing(("dask", "distributed"), "--cluster"), not_forking:
        from distributed import Client
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import get_backend
    try:
        get_backend(parse_address(address)[0])  # a client of no such scheme hangs when it ends
        return Client(address, set_as_default=False, name="tileir-batch")
    except ValueError as error:
        raise UsageError(f"--cluster {address}: {error}") from None
    except OSError as error:
        raise _no_answer(address, error) from None


def _no_answer(address: str, error: OSError) -> WorkerError:
    return WorkerError("start", address, f"no scheduler answers: {error}")


class _Lent(Keeper):
    """The child of a thread of a worker, and the batch that it works for."""

    batch = ""


class _Own(threading.local):
    keeper: _Lent | None = None


_own = _Own()
_lent: WeakSet[_Lent] = WeakSet()
"""Those of this worker; they end with the threads that have them, too."""


def _borrowed(batch: str, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function on a worker, with a child that others of the cluster may go on with."""
    keeper = _own.keeper
    if keeper is None or keeper.closed:
        keeper = _own.keeper = _Lent()
        _lent.add(keeper)
        adopt(keeper)
    keeper.batch = batch
    return fn(*args, **kwargs)


def _give_back(batch: str) -> None:
    """End the children of a worker that work for a batch, or have worked for it last."""
    for keeper in list(_lent):
        if keeper.batch == batch:
            keeper.close()
