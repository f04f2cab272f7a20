"""Memory and CPU time of this process and of those below it, looked at twice a second."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

_EVERY = 0.5
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = os.sysconf("SC_CLK_TCK")


class Look(NamedTuple):
    """After so many seconds: resident bytes of this process, and of the largest one below it."""

    seconds: float
    parent: int
    child: int


class Watch:
    """Looks until it is left; `cpu` is the CPU time of the processes below that were seen."""

    def __init__(self) -> None:
        self.looks: list[Look] = []
        self._cpu: dict[int, float] = defaultdict(float)
        self._before = 0.0
        self.own = 0.0
        """Seconds of CPU time that looking itself took."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        self._started = time.monotonic()
        self._look()
        self._before = sum(self._cpu.values())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def cpu(self) -> float:
        """Seconds of CPU time of all processes below, as far as they were seen, since the start."""
        return sum(self._cpu.values()) - self._before

    def _run(self) -> None:
        while True:
            ended = self._ended.wait(_EVERY)
            started = time.thread_time()
            self._look()
            self.own += time.thread_time() - started
            if ended:
                return

    def _look(self) -> None:
        rows = _processes()
        below, sizes = [os.getpid()], [0]
        for pid in below:
            below += [each for each, row in rows.items() if row[0] == pid]
        for pid in below[1:]:
            _, cpu, size = rows[pid]
            self._cpu[pid] = max(self._cpu[pid], cpu)
            sizes.append(size)
        own = rows[os.getpid()][2]
        self.looks.append(Look(time.monotonic() - self._started, own, max(sizes)))


def _processes() -> dict[int, tuple[int, float, int]]:
    """Return parent, seconds of CPU time and resident bytes of each process of the system."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            row = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        cpu = (int(row[11]) + int(row[12])) / _TICK
        found[int(path.parent.name)] = int(row[1]), cpu, int(row[21]) * _PAGE
    return found
