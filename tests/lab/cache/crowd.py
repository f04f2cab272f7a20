"""Many processes that share one folder of the cache, some of which are killed while they write."""

from __future__ import annotations

import os
import queue
import random
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.corpus import ROOT
from tileir.codegen.cache.store import SUFFIX, Cache

from .jobs import jobs


@dataclass(slots=True)
class Found:
    """What came of it.

    counts   how many compilations, kills, restarts, damages and entries there were
    wrong    jobs that gave something else than without the cache
    lost     entries that were told as written and are not there
    failed   what processes that nobody killed have written to standard error
    """

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all is as it should be."""
        return not (self.wrong or self.lost or self.failed)


class Crowd:
    """Starts workers on a folder, kills some and starts others in their place."""

    def __init__(self, folder: Path, limit: str, choice: int, seed: int) -> None:
        self._folder, self._choice = folder, choice
        self._limit = limit
        self._draw = random.Random(seed)
        self._lines: queue.Queue[tuple[int, str | None]] = queue.Queue()
        self._workers: dict[int, subprocess.Popen[str]] = {}
        self._left: dict[int, int] = {}
        self._killed: set[int] = set()
        self._kept: set[str] = set()
        self._damaged: set[str] = set()
        self._found = Found()

    def run(self, processes: int, compilations: int, kills: int, damages: int) -> Found:
        """Let processes compile so often each, and return what came of it."""
        found, known = self._found, list(jobs())[: self._choice]
        expected = [job.digest(cache=False) for job in known]
        for _ in range(processes):
            self._start(compilations)
        total = processes * compilations
        events = sorted(self._draw.sample(range(total), min(kills + damages, total)))
        happens = {at: number < kills for number, at in enumerate(self._shuffled(events))}
        while self._workers:
            number, line = self._lines.get()
            if line is None:
                self._end(number)
                continue
            word, *rest = line.split()
            if word == "kept":
                self._kept.add(rest[0])
                continue
            job = int(rest[0])
            if rest[1] != expected[job]:
                found.wrong.append(f"{known[job]}: {rest[1]}, not {expected[job]}")
            self._left[number] -= 1
            if (kill := happens.get(found.counts["compilations"])) is not None:
                self._kill() if kill else self._damage()
            found.counts["compilations"] += 1
        self._look()
        return found

    def _shuffled(self, events: list[int]) -> list[int]:
        return self._draw.sample(events, len(events))

    def _start(self, count: int) -> None:
        number, seed = len(self._left), self._draw.randrange(1 << 30)
        size = {"TILEIR_CACHE_SIZE": self._limit}
        worker = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.lab.cache.worker",
                *map(str, (seed, count, self._choice)),
            ],
            cwd=ROOT,
            env={**os.environ, "TILEIR_CACHE_DIR": str(self._folder), **size},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._workers[number], self._left[number] = worker, count
        threading.Thread(target=self._read, args=(number, worker), daemon=True).start()

    def _read(self, number: int, worker: subprocess.Popen[str]) -> None:
        for line in worker.stdout or ():
            if line.endswith("\n"):  # else the rest of it died with the process
                self._lines.put((number, line))
        self._lines.put((number, None))

    def _kill(self) -> None:
        alive = [number for number in self._workers if number not in self._killed]
        if alive:
            number = self._draw.choice(alive)
            threading.Event().wait(self._draw.random() / 20)  # at any point of a compilation
            self._killed.add(number)
            self._workers[number].kill()
            self._found.counts["kills"] += 1

    def _end(self, number: int) -> None:
        worker = self._workers.pop(number)
        said = worker.communicate()[1]
        if number in self._killed:
            if self._left[number] > 0:
                self._start(self._left[number])
        elif worker.returncode or said.strip():
            self._found.failed.append(f"exit code {worker.returncode}: {said.strip()}")

    def _damage(self) -> None:
        """Change or cut off a file, as a bad disk might."""
        files = sorted(self._folder.glob(f"*{SUFFIX}"))
        if not files:
            return
        file = self._draw.choice(files)
        try:
            data = bytearray(file.read_bytes())
            if self._draw.random() < 0.5:
                data[self._draw.randrange(len(data))] ^= 1 << self._draw.randrange(8)
            else:
                del data[self._draw.randrange(len(data)) :]
            file.write_bytes(data)
        except OSError:  # it has been evicted
            return
        self._damaged.add(file.stem)
        self._found.counts["damages"] += 1

    def _look(self) -> None:
        """Look for what was told as written; a folder that is full may have lost anything."""
        cache = Cache(self._folder, 1 << 40)
        entries = cache.entries()
        self._found.counts["entries"] = sum(bool(entry.name) for entry in entries)
        self._found.counts["unfinished"] = sum(not entry.name for entry in entries)
        self._found.counts["bytes"] = sum(entry.size for entry in entries)
        self._found.counts["told as written"] = len(self._kept)
        if not self._limit:
            missing = (name for name in self._kept if cache.peek(name) is None)
            self._found.lost += sorted(set(missing) - self._damaged)
