"""Runs the blocks of one launch on threads.

Each thread takes runs of consecutive blocks from a common counter and executes a run in order, so
that all blocks with lower numbers have finished or are running: a block may wait for a lower one.
Runs grow until one takes about ten milliseconds, which keeps the cost of calls small and the
threads equally busy.

The launching thread only waits, as Ctrl-C must reach it at any time; it runs short work that cannot
loop for ever itself, and all of it, run by run, where there is to be one thread. Threads live as
long as the launch, so a fork loses none and none are left when the program ends.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir.errors import LaunchError

from .context import ALIGNMENT, LaunchContext

RUN_SECONDS = 0.01
MAX_GROWTH = 16
"""The factor by which a run may be longer than the one before."""

SMALL_SECONDS = 0.0002
"""Less work than this is not worth starting threads for."""

SMALL_WORKSPACE = 4096
"""Up to so many bytes of workspace are allocated faster by ctypes, although it clears them."""

POLL_SECONDS = 0.05
"""How often the waiting thread wakes up, for platforms where Ctrl-C does not interrupt a wait."""

BLOCKS = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
"""The signature of the machine code: arguments, first block, last block, the grid's extents,
workspace, context."""

Blocks = Callable[[int, int, int, int, int, int, int, int], None]
Progress = Callable[[int, int], None]


@dataclass(eq=False, slots=True)
class Work:
    """The blocks of a launch that are still to be run, and all that they access.

    It owns the arguments and, in `keep`, the memory they point to: a second Ctrl-C may end `run`
    while other threads are still busy. `run` raises the first exception in `problems`.
    """

    symbol: str
    blocks: Blocks
    arguments: ctypes.Array
    context: LaunchContext
    grid: tuple[int, int, int]
    workspace: int
    total: int
    keep: list[Any]
    problems: list[BaseException]
    _next: int = 0
    _active: int = 0
    _lock: threading.Lock = field(init=False)
    _idle: threading.Event = field(init=False)
    _threads: list[threading.Thread] = field(init=False)

    def run(
        self,
        most: Callable[[], int],
        may_run_long: bool,
        progress: Progress | None = None,
        alone: bool = False,
    ) -> None:
        """Run all blocks; raise the first problem on any thread.

        Work that is to be done by one thread `alone`, and has no long blocks, this one does itself.

        `most` says how many threads there may be; it is called if this one does not end the work
        at once. `progress` is called with the numbers of begun and of all blocks, now and then and
        at the end.
        """
        if not may_run_long:
            self._run_here(float("inf") if alone and progress is None else SMALL_SECONDS)
        if self._has_blocks_left():
            self._run_on_threads(most(), progress)
        if self.problems:
            raise self.problems.pop(0)
        if progress is not None:
            progress(self.total, self.total)

    def start_at(self, block: int) -> None:
        """Leave out the blocks before one."""
        self._next = block

    def _run_on_threads(self, threads: int, progress: Progress | None) -> None:
        self._lock, self._idle, self._threads = threading.Lock(), threading.Event(), []
        try:
            self._start(1, threads)
            if threads > 1:
                self._idle.wait(SMALL_SECONDS)
                self._start(threads - 1, threads)
            self._wait(progress)
        finally:
            self.context.stop = 1
            self._wait()
            for thread in self._threads:
                if thread.is_alive():
                    thread.join()

    def _start(self, count: int, threads: int) -> None:
        """Start threads while there is work for them."""
        for _ in range(count if self._has_blocks_left() else 0):
            thread = threading.Thread(target=self._run_thread, args=(threads,), daemon=True)
            self._threads.append(thread)  # first: Ctrl-C may come while it starts
            try:
                thread.start()
            except RuntimeError:  # the system has no more of them
                self._threads.remove(thread)
                if not self._threads:
                    raise LaunchError(f"{self.symbol}: no thread can be started") from None
                return

    def _has_blocks_left(self) -> bool:
        return self._next < self.total and not self.context.stop

    def _wait(self, progress: Progress | None = None) -> None:
        """Wait until no block is running and none is left.

        Threads are not joined: an interrupted join marks a running thread as ended.
        """
        while self._active or self._has_blocks_left():
            self._idle.wait(POLL_SECONDS)
            if progress is not None:
                progress(self._next, self.total)

    def _run_thread(self, threads: int) -> None:
        with self._lock:
            if not self._has_blocks_left():  # all work may be done before this thread begins
                return
            self._active += 1
        try:
            self._run_blocks(threads)
        except BaseException as problem:
            self.problems.append(problem)
            self.context.stop = 1
        finally:
            with self._lock:
                self._active -= 1
                if not self._active and not self._has_blocks_left():
                    self._idle.set()

    def _run_here(self, seconds: float) -> None:
        """Run blocks until none is left, or for about so many seconds; no thread runs yet."""
        _memory, address = self._allocate()
        now = time.perf_counter()
        until = now + seconds
        first, count = self._next, 1
        while now < until and self._has_blocks_left():
            self._next = last = min(first + count, self.total)
            self._call(first, last, address)
            if last == self.total:
                return
            began, now = now, time.perf_counter()
            count = _longer(count, (now - began) / (last - first), min(until - now, RUN_SECONDS))
            first = last

    def _run_blocks(self, threads: int) -> None:
        """Run blocks until none is left, on one of so many threads."""
        _memory, address = self._allocate()
        now, count = time.perf_counter(), 1
        while True:
            first, last = self._take(count, threads)
            if first == last:
                return
            self._call(first, last, address)
            began, now = now, time.perf_counter()
            count = _longer(count, (now - began) / (last - first), RUN_SECONDS)

    def _call(self, first: int, last: int, workspace: int) -> None:
        arguments, context = ctypes.addressof(self.arguments), ctypes.addressof(self.context)
        self.blocks(arguments, first, last, *self.grid, workspace, context)

    def _take(self, count: int, threads: int) -> tuple[int, int]:
        """Take the next run, empty at the end. Runs shrink near it, to keep all threads busy."""
        with self._lock:
            first = self._next
            if self.context.stop:
                return first, first
            fair = count if threads == 1 else (self.total - first) // (2 * threads)
            self._next = min(self.total, first + max(1, min(count, fair)))
            return first, self._next

    def _allocate(self) -> tuple[object, int]:
        """Return the owner of a thread's workspace, and its address."""
        size = self.workspace + ALIGNMENT
        if size <= SMALL_WORKSPACE:
            owner = (ctypes.c_char * size)()
            address = ctypes.addressof(owner)
        else:
            try:
                owner = np.empty(size, np.uint8)
            except MemoryError:
                need = self.workspace
                problem = f"{self.symbol}: no memory for {need} bytes of workspace"
                raise LaunchError(problem) from None
            address = owner.ctypes.data
        return owner, address + -address % ALIGNMENT


def _longer(count: int, seconds: float, longest: float) -> int:
    """Return the blocks of the run after one of `count` blocks that took so many seconds each."""
    return min(max(1, int(longest / max(seconds, 1e-9))), count * MAX_GROWTH)
