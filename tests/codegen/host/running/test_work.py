"""Running blocks: order, threads, interruption, reports, forks."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.host.by_hand import COUNTING, ENDLESS, MARK, REPORTING, WAITING, kernel
from tileir.codegen.host.running import reports, work
from tileir.codegen.host.running.context import LaunchContext
from tileir.errors import LaunchError

from .interrupt import interrupt_when

ROOT = Path(__file__).parents[4]


def ones(size: int) -> np.ndarray:
    return np.zeros(size, np.int32)


@pytest.mark.parametrize("may_run_long", [True, False])
@pytest.mark.parametrize("threads", [1, 2, 7, None])
@pytest.mark.parametrize("size", [1, 2, 100_000])
def test_every_block_runs(size: int, threads: int | None, may_run_long: bool) -> None:
    found, before = ones(size + 1), threading.active_count()
    kernel(MARK, may_run_long=may_run_long).launch(size, [found], threads=threads)
    assert found[:-1].all()
    assert found[-1] == 0
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_block_may_wait_for_the_one_before(threads: int) -> None:
    found = ones(2_001)
    found[0] = 1
    kernel(WAITING).launch(2_000, [found[1:]], threads=threads)
    assert found.tolist() == list(range(1, 2_002))


@pytest.mark.skipif(os.name == "nt", reason="a program cannot send itself Ctrl-C alone")
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_endless_loop_can_be_interrupted(threads: int) -> None:
    found, before = ones(4), threading.active_count()
    endless = kernel(ENDLESS)
    sender = interrupt_when(lambda: found.sum() == threads)
    with pytest.raises(KeyboardInterrupt):
        endless.launch(4, [found], threads=threads)
    sender.join()
    assert threading.active_count() == before
    assert found.tolist() == [1] * threads + [0] * (4 - threads)


def test_what_waits_without_being_interruptible_still_looks_up() -> None:
    """An exception from the progress callback stands for Ctrl-C."""
    begun = []

    def stop(count: int, total: int) -> None:
        begun.append((count, total))
        if count == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel(ENDLESS).launch(4, [ones(4)], threads=2, progress=stop)
    assert begun[-1] == (2, 4)


def test_progress_ends_with_all_blocks() -> None:
    seen: list[tuple[int, int]] = []
    found = ones(5_001)
    found[0] = 1
    kernel(WAITING).launch(
        5_000, [found[1:]], threads=2, progress=lambda *counts: seen.append(counts)
    )
    assert seen[-1] == (5_000, 5_000)
    assert seen == sorted(seen)


def record(monkeypatch: pytest.MonkeyPatch, handler) -> None:
    monkeypatch.setitem(reports.HANDLERS, "test", lambda site: lambda r: handler(site["name"], r))


SITES = ({"kind": "test", "name": "even"}, {"kind": "test", "name": "odd"})


@pytest.mark.parametrize("threads", [1, 3])
def test_reports_reach_the_handler_of_their_site(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    record(monkeypatch, lambda name, report: seen.append((name, report)))
    found = ones(50)
    kernel(REPORTING, SITES).launch(50, [found], threads=threads)
    start = found.ctypes.data
    expected = [
        (("even", "odd")[n % 2], reports.Report(n, start + 4 * n, (n, 7, -1))) for n in range(50)
    ]
    assert sorted(seen, key=lambda pair: pair[1].index) == expected
    assert found.all()


@pytest.mark.parametrize("may_run_long", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_of_a_handler_ends_the_launch(
    threads: int, may_run_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def handler(name: str, report: reports.Report) -> None:
        seen.append(report.index)
        if report.index >= 3:
            raise ZeroDivisionError(f"block {report.index}")

    record(monkeypatch, handler)
    reporting = kernel(REPORTING, SITES, may_run_long)
    with pytest.raises(ZeroDivisionError, match=r"block \d+"):
        reporting.launch(1_000_000, [ones(1_000_000)], threads=threads)
    assert len([index for index in seen if index >= 3]) == 1
    if threads == 1:
        assert seen == [0, 1, 2, 3]
    with pytest.raises(ZeroDivisionError):
        reporting.launch(1_000_000, [ones(1_000_000)], threads=threads)


def test_nothing_of_a_launch_stays_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the collector of cycles, which may be long in coming."""

    class Array(np.ndarray):
        """An array that can be watched."""

    record(monkeypatch, lambda name, report: None)
    reporting = kernel(REPORTING, SITES)
    array = ones(8).view(Array)
    watched = weakref.ref(array)
    gc.disable()
    try:
        reporting.launch(8, [array], threads=2)
        del array
        assert watched() is None
    finally:
        gc.enable()


def test_a_problem_on_another_thread_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self) -> np.ndarray:
        raise LaunchError("no memory")

    monkeypatch.setattr(work.Work, "_allocate", failing)
    with pytest.raises(LaunchError, match="no memory"):
        kernel(MARK).launch(1000, [ones(1000)], threads=2)


@pytest.mark.parametrize("possible", [0, 1])
def test_threads_that_cannot_be_started(possible: int, monkeypatch: pytest.MonkeyPatch) -> None:
    original, started = threading.Thread.start, []

    def start(self) -> None:
        if len(started) == possible:
            raise RuntimeError("can't start new thread")
        started.append(self)
        original(self)

    monkeypatch.setattr(threading.Thread, "start", start)
    found = ones(5_001)
    found[0] = 1
    launch = kernel(WAITING).launch
    if possible:
        launch(5_000, [found[1:]], threads=4)
        assert found[-1] == 5_001
    else:
        with pytest.raises(LaunchError, match="by_hand: no thread can be started"):
            launch(5_000, [found[1:]], threads=4)


def test_extents_of_arguments_and_allocations() -> None:
    found, other = ones(3), np.zeros((4, 5), np.float64)
    access = {"kind": "access", "shape": [], "bytes": 4, "parameters": [], "any": True}
    access |= {"op": "", "kernel": "", "location": "", "claims": []}
    counting = kernel(COUNTING, (access,))  # only kernels that check accesses are given extents
    counting.launch(3, [found], allocations=[other[:, :2], other[0]], threads=1)
    assert found.tolist() == [12, 3 * 40 + 16, 40]
    counting.launch(2, [found.ctypes.data], allocations=[other])
    assert found.tolist() == [0, 160, 40]


def test_the_layout_of_the_context() -> None:
    """Lowered code relies on these numbers."""
    places = {name: getattr(LaunchContext, name).offset for name, _ in LaunchContext._fields_}
    assert places == {
        "stop": 0, "reserved": 4, "report": 8, "extents": 16, "count": 24, "exclusion": 32,
        "counts": 40,
    }  # fmt: skip
    assert ctypes.sizeof(LaunchContext) == 48


def test_one_kernel_on_several_threads_at_once() -> None:
    marking, arrays = kernel(MARK), [ones(500) for _ in range(8)]

    def many(array: np.ndarray) -> None:
        for _ in range(20):
            array[:] = 0
            marking.launch(500, [array], threads=2)

    workers = [threading.Thread(target=many, args=(array,)) for array in arrays]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(array.all() for array in arrays)


FORKING = """\
import multiprocessing, sys
import numpy as np
from tests.codegen.host.by_hand import MARK, kernel

def launched(size):
    found = np.zeros(size, np.int32)
    marking.launch(size, [found], threads=2)
    return int(found.sum())

marking = kernel(MARK)
print(launched(5000))
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(*pool.map(launched, [1, 10, 5000]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_kernels_run_after_a_fork() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split() == ["5000", "1", "10", "5000"], done.stderr
