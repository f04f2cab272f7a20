"""A grid on threads.

Each thread takes runs of consecutive blocks from a common counter. A run grows until it takes about
ten milliseconds, which keeps the cost of a call small, the threads equally busy, and Ctrl-C prompt:
the calling thread looks for it between runs.
"""

from __future__ import annotations

import ctypes
import operator
import os
import threading
import time
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from tileir.errors import LaunchError

from .arguments import Parameters
from .storage import ALIGNMENT

MAX_EXTENT = (1 << 24) - 1
MAX_WORKSPACE = 4 << 30
"""Bytes of workspace that all threads of a launch may have together."""

RUN_SECONDS = 0.01
MAX_GROWTH = 16
"""How much longer a run may be than the one before."""

SMALL_SECONDS = 0.0002
"""Less work than this is not worth starting threads for."""

_NO_CONTEXT = (ctypes.c_int64 * 4)()

Blocks = Callable[[int, int, int, int, int, int, int], None]


def run_grid(
    symbol: str, blocks: Blocks, workspace: int, parameters: Parameters,
    grid: int | Sequence[int], args: Sequence[Any], threads: int | None,
) -> None:  # fmt: skip
    """Check everything, then run."""
    extents = check_grid(symbol, grid)
    wanted = check_threads(symbol, threads)
    packed, keep = parameters.pack(symbol, args)
    total = prod(extents)
    if not total:
        return
    buffer = (ctypes.c_char * len(packed)).from_buffer(packed)
    work = _Work(symbol, blocks, buffer, extents, workspace, total)
    work.keep = keep
    work.run(min(wanted, total, max(1, MAX_WORKSPACE // max(workspace, 1))))


def check_grid(symbol: str, grid: int | Sequence[int]) -> tuple[int, int, int]:
    """Three extents; LaunchError for what is not a grid."""
    try:
        extents = [operator.index(grid)] if _is_number(grid) else [operator.index(n) for n in grid]
    except TypeError:
        raise LaunchError(f"{symbol}: the grid must be integers, got {grid!r}") from None
    if not 1 <= len(extents) <= 3:
        raise LaunchError(f"{symbol}: the grid must have 1 to 3 extents, got {len(extents)}")
    for extent in extents:
        if not 0 <= extent <= MAX_EXTENT:
            raise LaunchError(f"{symbol}: grid extent {extent} is not within 0 to {MAX_EXTENT}")
    x, y, z = extents + [1] * (3 - len(extents))
    return x, y, z


def check_threads(symbol: str, threads: int | None) -> int:
    """How many threads to use at most."""
    if threads is None:
        return _cpus()
    if isinstance(threads, bool) or not _is_number(threads) or threads < 1:
        raise LaunchError(f"{symbol}: threads must be an integer from 1, got {threads!r}")
    return operator.index(threads)


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | np.integer)


class _Work:
    """The blocks of one launch that are still to be run.

    It owns the arguments and, in `keep`, what they point to: a second Ctrl-C may end `run` while
    helpers are still busy.
    """

    def __init__(
        self, symbol: str, blocks: Blocks, arguments: ctypes.Array, grid: tuple[int, int, int],
        workspace: int, total: int,
    ) -> None:  # fmt: skip
        if workspace > MAX_WORKSPACE:
            raise LaunchError(f"{symbol}: a thread would need {workspace} bytes of workspace")
        self._symbol = symbol
        self._blocks = blocks
        self._arguments = arguments
        self._grid = grid
        self._workspace = workspace
        self._total = total
        self._next = 0
        self._lock = threading.Lock()
        self.keep: list[Any] = []
        self._problems: list[BaseException] = []

    def run(self, threads: int) -> None:
        """Run all blocks on the calling thread and, if it pays, on others beside it."""
        memory = self._allocate()
        if threads > 1:
            started = time.perf_counter()
            self._call(memory, *self._take(1, 1))
            elapsed = time.perf_counter() - started
            if elapsed * (self._total - 1) < SMALL_SECONDS:
                threads = 1
        helpers = [
            threading.Thread(target=self._help, args=(threads,), daemon=True)
            for _ in range(threads - 1)
        ]
        started_helpers = []
        try:
            for helper in helpers:
                helper.start()
                started_helpers.append(helper)
            self._drain(memory, threads)
        finally:
            self._stop()
            for helper in started_helpers:
                helper.join()
        for problem in self._problems:
            raise problem

    def _help(self, threads: int) -> None:
        try:
            self._drain(self._allocate(), threads)
        except BaseException as problem:
            self._stop()
            self._problems.append(problem)

    def _drain(self, memory: np.ndarray, threads: int) -> None:
        count = 1
        while (taken := self._take(count, threads))[0] < taken[1]:
            started = time.perf_counter()
            self._call(memory, *taken)
            elapsed = time.perf_counter() - started
            each = elapsed / (taken[1] - taken[0])
            count = min(max(1, int(RUN_SECONDS / max(each, 1e-9))), count * MAX_GROWTH)

    def _call(self, memory: np.ndarray, first: int, last: int) -> None:
        address = memory.ctypes.data
        address += -address % ALIGNMENT
        self._blocks(
            ctypes.addressof(self._arguments), first, last, *self._grid, address,
            ctypes.addressof(_NO_CONTEXT),
        )  # fmt: skip

    def _take(self, count: int, threads: int) -> tuple[int, int]:
        """The next run. Several threads leave enough for each other."""
        with self._lock:
            first = self._next
            fair = count if threads == 1 else (self._total - first) // (2 * threads)
            self._next = min(self._total, first + max(1, min(count, fair)))
            return first, self._next

    def _stop(self) -> None:
        with self._lock:
            self._next = self._total

    def _allocate(self) -> np.ndarray:
        try:
            return np.empty(self._workspace + ALIGNMENT, np.uint8)
        except MemoryError:
            need = self._workspace
            raise LaunchError(f"{self._symbol}: no memory for {need} bytes of workspace") from None
