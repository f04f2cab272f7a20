"""How times are taken: the best of several runs, in CPU seconds of this process.

CPU time, because neighbours on the machine are no part of the answer; the best, because everything
that disturbs makes a run longer. As in `timeit` the cycle collector is off, unless a run is asked
for what a program with the collector on pays.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]


def best(
    run: Callable, repeat: int, *, collector: bool = False, setup: Callable = lambda: None
) -> float:
    """CPU seconds of the fastest of `repeat` calls of `run` on what `setup` makes anew."""
    times = []
    for _ in range(repeat):
        given = setup()
        gc.collect()
        if not collector:
            gc.disable()
        try:
            start = time.process_time()
            made = run(given)
            times.append(time.process_time() - start)
        finally:
            gc.enable()
        del made, given
    return min(times)


def fresh(program: str, *arguments: object, repeat: int = 1) -> dict[str, float]:
    """What a program prints as JSON from a new process: the least of `repeat` runs, by name."""
    found: dict[str, float] = {}
    for _ in range(repeat):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the measured program failed:\n{done.stderr}")
        for name, value in json.loads(done.stdout).items():
            found[name] = min(value, found.get(name, value))
    return found
