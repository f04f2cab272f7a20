"""Measuring a race: all sides take turns, so that what disturbs one disturbs the others.

Times are CPU seconds of the process, all its threads together, because neighbours on the machine
are no part of the answer. Before a turn the process sleeps for a moment, as threads of torch spin
for a while when their work is done. Memory that is freed stays with the process, so that whoever
allocates does not pay for new pages again and again.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch

from . import limits
from .launching import Side
from .race import RACES, Race

PAUSE = 0.004
"""Seconds to sleep before a turn."""


@dataclass(frozen=True)
class Row:
    """A kernel on some threads. Times are seconds; `torch` and `numpy` are None without a rival.

    `formulation` is torch's faster one, `allocates` whether both sides allocate what they return.
    `wall` has our and torch's least seconds by the clock on the wall. `bandwidth` and `peak` are
    shares of what the machine gave in this run, None where they say nothing.
    """

    name: str
    compared: str
    threads: int
    ours: float
    torch: float
    best: tuple[float, float]
    wall: tuple[float, float]
    formulation: str
    allocates: bool
    numpy: float | None
    bandwidth: float | None
    peak: float | None
    compiling: float

    @property
    def ratio(self) -> float:
        """Our time over torch's."""
        return self.ours / self.torch


class Machine:
    """What the machine gives, measured when it is first asked for."""

    def __init__(self) -> None:
        self._known: dict[Any, float | None] = {}

    def copied(self, threads: int) -> float:
        """Return bytes a CPU second."""
        return self._get(threads, partial(limits.copied_per_second, threads))

    def peak(self, unit: str) -> float | None:
        """Return operations a CPU second."""
        return self._get(unit, partial(limits.peak, unit))

    def _get(self, key: Any, measure: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = measure()
        return self._known[key]


def keep_memory() -> None:
    """Tell the C library to keep what is freed, where it is one that can be told."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt:
            mallopt(-4, 0)  # M_MMAP_MAX
            mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD


def measure(name: str, threads: Iterable[int], repeat: int, machine: Machine) -> Iterator[Row]:
    """Check a race, then measure it on each number of threads."""
    race = RACES[name]()
    side = Side(race)
    check(name, race, side)
    for count in threads:
        yield _row(name, race, side, count, repeat, machine)


def check(name: str, race: Race, side: Side) -> None:
    """AssertionError unless our results, on one thread, are those of all that they are held to."""
    torch.set_num_threads(1)
    for tensor in race.results:
        tensor.fill_(7)
    side.into(1)
    compare(name, race, race.results)
    if race.anew:
        compare(name, race, side.anew(1))


def compare(name: str, race: Race, found: Iterable[torch.Tensor]) -> None:
    """AssertionError unless results are those of every formulation, or of the reference."""
    ours = [each.double() for each in found]
    ways = {**race.into, **race.anew} if race.against is None else {"reference": race.against}
    for way, run in ways.items():
        given = run()
        given = given if isinstance(given, tuple | list) else [given]
        for number, (mine, theirs) in enumerate(zip(ours, given, strict=True)):
            torch.testing.assert_close(
                mine,
                torch.as_tensor(theirs).double().reshape(mine.shape),
                rtol=race.tolerance,
                atol=race.tolerance,
                msg=lambda text, number=number, way=way: f"{name}, result {number}, {way}: {text}",
            )


def _row(name: str, race: Race, side: Side, threads: int, repeat: int, machine: Machine) -> Row:
    torch.set_num_threads(threads)
    runs: dict[tuple[str, bool], Callable[[], object]] = {}
    if race.into:
        runs["ours", False] = partial(side.into, threads)
    if race.anew:
        runs["ours", True] = partial(side.anew, threads)
    runs |= {(way, False): run for way, run in race.into.items()}
    runs |= {(way, True): run for way, run in race.anew.items()}
    taken = _turns(runs, repeat)
    cpu = {side: statistics.median(each for each, _ in times) for side, times in taken.items()}
    rival = min((way for way in cpu if way[0] != "ours"), key=lambda way: cpu[way])
    mine = "ours", rival[1]
    numpy = None
    if race.numpy and threads == 1:
        numpy = min(each for each, _ in _turns({"numpy": race.numpy}, max(1, repeat // 3))["numpy"])
    fastest = machine.peak(race.unit) if race.work else None
    return Row(
        name,
        race.compared,
        threads,
        cpu[mine],
        cpu[rival],
        tuple(min(each for each, _ in taken[way]) for way in (mine, rival)),
        tuple(min(each for _, each in taken[way]) for way in (mine, rival)),
        rival[0],
        rival[1],
        numpy,
        race.moved / cpu[mine] / machine.copied(threads) if race.moved else None,
        race.work / cpu[mine] / fastest if fastest else None,
        side.compiling,
    )


def _turns(runs: dict[Any, Callable[[], object]], repeat: int) -> dict[Any, list]:
    """Return CPU and wall seconds of each side in each round, after one without measuring."""
    taken: dict[Any, list] = {side: [] for side in runs}
    for number in range(repeat + 1):
        for side, run in runs.items():
            time.sleep(PAUSE)
            start = time.process_time(), time.perf_counter()
            made = run()
            took = time.process_time() - start[0], time.perf_counter() - start[1]
            del made
            if number:
                taken[side].append(took)
    return taken


def plain(row: Row) -> dict[str, Any]:
    """Return a row as JSON has it."""
    return asdict(row) | {"ratio": row.ratio}
