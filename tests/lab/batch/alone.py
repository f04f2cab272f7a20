"""The same work with nothing around it: processes that go through a part of the modules each.

That is the most that a machine gives: two cores that share caches, memory or a clock are not twice
as fast as one, whatever feeds them. As a program, it is one of the processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from tests.corpus import ROOT
from tileir.batches.child import respond
from tileir.batches.jobs import Jobs, Work, hashes_of
from tileir.batches.protocol import Request
from tileir.batches.sources import sources

_BEFORE = 20
"""Modules that are done before the clock runs, so that all is imported."""


def run(paths: list[str], verb: str, processes: int, target: str | None) -> float:
    """Return the seconds for each module that so many processes take, without their starts."""
    started = []
    for number in range(processes):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.lab.batch.alone"],
            cwd=ROOT,
            env=os.environ | {"TILEIR_CACHE_DIR": "off"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        _tell(child, json.dumps([paths[number::processes], verb, target]))
    for child in started:
        _hear(child)
    clock = time.perf_counter()
    for child in started:
        _tell(child, "go")
    for child in started:
        _hear(child)
    clock = time.perf_counter() - clock
    for child in started:
        child.communicate()
    return clock / max(1, len(paths) - processes * _BEFORE)


def _tell(child: subprocess.Popen[str], line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n")
    child.stdin.flush()


def _hear(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    if not child.stdout.readline():
        raise EOFError("a process has ended before it was done")


def _main() -> None:
    paths, verb, target = json.loads(sys.stdin.readline())
    work = Work(verb, {})
    jobs = Jobs(work, target)
    modules = sources(paths)

    def do(most: int | None) -> None:
        for number, module in enumerate(modules, 1):
            parts = (module.read(),)
            respond(Request.packed(work, jobs.job(module.name, parts, hashes_of(parts))))
            if number == most:
                return

    do(_BEFORE)
    print("ready", flush=True)
    sys.stdin.readline()
    do(None)
    print("done", flush=True)


if __name__ == "__main__":
    _main()
