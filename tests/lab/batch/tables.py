"""The tables: which batches each measures, and what is printed of them."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from math import nan
from pathlib import Path
from typing import NamedTuple

from tileir.codegen.cache.key import PTX
from tileir.codegen.cache.shared import store_of
from tileir.codegen.cache.slot import Slot

from .alone import run as alone
from .children import COUNTING, NOTHING
from .kept import Kept, spread
from .once import Took, run

SPEEDUP, BESIDES, WARM = 1.85, 0.002, 0.1
"""What is asked for: of two workers on two cores; seconds a job besides its work; of the first."""
GROWTH, SLACK = 1.1, 16 << 20
"""How much more memory the second half may take than the first one: a factor, and bytes."""

_CORES = len(os.sched_getaffinity(0))

Line = tuple[str, bool]
"""A line to print, and whether it says what it should."""


def scaling(kept: Kept, paths: list[str], verb: str, target: str | None) -> Iterator[Line]:
    """One worker and two: speed-up, what a job costs besides its work, memory."""
    yield from _head(verb, target)
    clocks = []
    for workers in (1, 2):
        name = f"scaling {verb} {target} {len(paths)} {workers}"
        took = kept.took(name, partial(run, paths, verb, workers, target=target))
        clocks.append(took.clock)
        besides = took.besides(workers)
        yield _row(f"threads {workers}", took, besides), True
        if workers == 1:
            yield f"besides its work a job takes {besides * 1e3:.3f} ms", besides < BESIDES
        yield from _memory(took)
    factor = clocks[0] / clocks[1]
    yield f"speed-up of 2 workers: {factor:.2f}", factor >= SPEEDUP
    yield f"  that the CPU time of the batch leaves: {took.possible(2):.2f}", True


def ceiling(paths: list[str], verb: str, target: str | None) -> Iterator[Line]:
    """One process and two that do the same with no batch around it."""
    yield f"{verb} {target or ''} with nothing around it, {len(paths):,} modules".rstrip(), True
    clocks = [alone(paths, verb, processes, target) for processes in (1, 2)]
    told = f"{clocks[0] * 1e3:.3f} and {clocks[1] * 1e3:.3f} ms a module"
    factor = clocks[0] / clocks[1]
    yield f"1 and 2 processes: {told}, {factor:.2f} times as fast on this machine", True


def _head(verb: str, target: str | None) -> Iterator[Line]:
    yield f"{verb} {target or ''}".rstrip(), True
    head = f"{'workers':>17}{'jobs':>9}{'failed':>8}{'clock s':>10}{'work s':>10}"
    yield f"{head}{'besides ms':>12}{'own CPU ms':>12}{'below CPU ms':>14}", True


def _row(name: str, took: Took, besides: float) -> str:
    own, below = (each / max(1, took.jobs) * 1e3 for each in (took.own, took.below))
    row = f"{name:>17}{took.jobs:>9,}{took.failed:>8,}{took.clock:>10.2f}{took.work:>10.2f}"
    return f"{row}{besides * 1e3:>12.3f}{own:>12.3f}{below:>14.3f}"


def _memory(took: Took) -> Iterator[Line]:
    """Say whether memory is flat: its peak in the second half of the looks and in the first."""
    half = len(took.looks) // 2
    start = half // 5  # children have imported everything by then
    for name, at in (("the batch", 1), ("the largest child", 2)):
        first = max((look[at] for look in took.looks[start:half]), default=0)
        second = max((look[at] for look in took.looks[half:]), default=0)
        flat = second <= GROWTH * first + SLACK
        sizes = f"{first / 2**20:.1f} MiB in the first half, {second / 2**20:.1f} in the second"
        yield f"  memory of {name}: {sizes}: {'flat' if flat else 'it grows'}", flat


class Fit(NamedTuple):
    """A line through points: seconds at 0, seconds for each, how much of the variance it says."""

    start: float
    each: float
    r2: float


def fit(points: list[tuple[float, float]]) -> Fit:
    """Return the line through points with the least squares."""
    number = len(points)
    x, y = (sum(column) / number for column in zip(*points, strict=True))
    square = sum((each[0] - x) ** 2 for each in points)
    slope = sum((each[0] - x) * (each[1] - y) for each in points) / square
    start = y - slope * x
    off = sum((each[1] - start - slope * each[0]) ** 2 for each in points)
    all_off = sum((each[1] - y) ** 2 for each in points)
    return Fit(start, slope, 1 - off / all_off if all_off else 1.0)


def growth(kept: Kept, paths: list[str], verb: str, target: str | None) -> Iterator[Line]:
    """Fit seconds to the number of modules; then do it all again with the manifest."""
    yield f"{verb}{f' {target}' if target else ''}, 2 workers", True
    yield f"{'jobs':>9}{'clock s':>10}{'peak MiB':>10}{'again s':>10}{'ms each':>9}", True
    points, parts = [], 8
    for part in range(1, 5):
        some = spread(paths, max(1, len(paths) * 2**part // (2 * parts)))
        name = f"growth {verb} {target} {len(some)}"
        manifest = str(kept.folder / f"{name}.jsonl")
        measure = partial(run, some, verb, 2, target=target, manifest=manifest)
        took, again = kept.took(name, measure), kept.took(f"{name} again", measure)
        points.append((took.jobs, took.clock))
        peak = max(look[1] for look in took.looks) / 2**20
        each = again.clock / max(1, again.skipped) * 1e3
        row = f"{took.jobs:>9,}{took.clock:>10.2f}{peak:>10.1f}{again.clock:>10.2f}{each:>9.3f}"
        yield row, again.jobs == 0 and again.skipped == took.jobs
    line = fit([(float(x), y) for x, y in points])
    said = f"{line.start:.2f} s + {line.each * 1e3:.3f} ms for each job, R² {line.r2:.5f}"
    yield f"linear fit: {said}", line.r2 > 0.99


def on_dask(
    kept: Kept, paths: list[str], verb: str, target: str | None, most: tuple[int, ...]
) -> Iterator[Line]:
    """Threads, and LocalClusters of some sizes: with the work, and with no work at all."""
    yield from _head(verb, target)
    for function, told in ((None, ""), (NOTHING, "no work")):
        for dask, workers in ((False, 1), (False, 2), *((True, number) for number in most)):
            given = {} if function is None else {"function": function}
            row = f"{told} {'Dask' if dask else 'threads'} {workers}"
            measure = partial(run, paths, verb, workers, target=target, dask=dask, **given)
            took = kept.took(f"dask {verb} {target} {len(paths)} {row.strip()}", measure)
            besides = took.besides(min(workers, _CORES)) if told or workers <= _CORES else nan
            yield _row(row, took, besides), True
    yield f"client and scheduler: {took.own / max(1, took.jobs) * 1e3:.3f} ms of CPU a job", True


def store() -> Iterator[Line]:
    """What entries of the shared store take, by their size: a folder of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        made = store_of(Path(folder, "store").as_uri(), "")
        for size in (4 << 10, 64 << 10):
            slots = [Slot.of(made, PTX, {"number": each, "size": size}) for each in range(200)]
            started = time.perf_counter()
            kept = sum(slot.put(b"x" * size) for slot in slots)
            put = time.perf_counter() - started
            started = time.perf_counter()
            found = sum(slot.get() == b"x" * size for slot in slots)
            got = time.perf_counter() - started
            told = f"put {put / 200 * 1e3:.2f} ms, get {got / 200 * 1e3:.2f} ms"
            yield f"shared store, {size >> 10} KiB: {told}", kept == found == 200


def warm(paths: list[str], target: str) -> Iterator[Line]:
    """Two batches with a new cache each and one shared store: the second compiles nothing."""
    yield f"compile {target}, 2 workers", True
    yield f"{'machine':>8}{'jobs':>9}{'compiled':>10}{'clock s':>10}", True
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(2):
            environment = {
                "TILEIR_CACHE_SHARED": Path(folder, "store").as_uri(),
                "TILEIR_CACHE_DIR": str(Path(folder, f"machine {number}")),
            }
            took = run(
                paths, "compile", 2, target=target, function=COUNTING, environment=environment
            )
            rounds.append(took)
            row = f"{number + 1:>8}{took.jobs:>9,}{took.compiled:>10,}{took.clock:>10.2f}"
            yield row, took.compiled == 0 or number == 0
    part = rounds[1].clock / rounds[0].clock
    yield f"the second takes {part:.3f} of the first", part <= WARM
