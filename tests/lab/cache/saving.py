"""What the cache saves: compilations in a new process, by CPU time and by the clock, no imports.

As a program, its arguments are a target and files; it prints the seconds that they took, and how
many modules were really compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import tileir
from tests.corpus import ROOT
from tileir.codegen import fresh
from tileir.codegen.cache.key import own_hash

_WARM_UP = "entry @k() { return }"


class Round(NamedTuple):
    """What one process took: seconds of CPU time, seconds by the clock, and modules compiled."""

    cpu: float
    clock: float
    compiled: int


def rounds(target: str, files: list[Path], count: int) -> Iterator[Round]:
    """Compile all of the files, each time in a new process, on one folder."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            yield _round(target, files, {"TILEIR_CACHE_DIR": str(Path(folder, "cache"))})


def machines(target: str, files: list[Path], count: int, url: str, key: str) -> Iterator[Round]:
    """Compile all of the files, each time with an empty cache, on one store.

    Without a URL the store is a folder of this machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        shared = {
            "TILEIR_CACHE_SHARED": url or Path(folder, "store").as_uri(),
            "TILEIR_CACHE_KEY_FILE": key,
        }
        for number in range(count):
            own = {"TILEIR_CACHE_DIR": str(Path(folder, f"machine {number}"))}
            yield _round(target, files, shared | own)


def _round(target: str, files: list[Path], environment: dict[str, str]) -> Round:
    """Compile files in a process with some more variables."""
    command = [sys.executable, "-m", "tests.lab.cache.saving", target, *map(str, files)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    cpu, clock, compiled = done.stdout.split()
    return Round(float(cpu), float(clock), int(compiled))


def main(target: str, *files: str) -> None:
    """Compile files, after a small kernel for which everything is imported."""
    data = [Path(file).read_bytes() for file in files]
    for cache in (True, False):
        made = tileir.compile(tileir.assemble(_WARM_UP), target, cache=cache)
        _ = made.ptx, own_hash()  # whose files are looked at once in a process
    compiled = 0
    original = fresh.check_rules

    def check(*arguments: object) -> None:
        nonlocal compiled
        compiled += 1
        original(*arguments)  # type: ignore[arg-type]

    fresh.check_rules = check  # type: ignore[assignment]
    started = time.process_time(), time.perf_counter()
    for each in data:
        made = tileir.compile(each, target)
        _ = made.ptx, made.plan
    print(time.process_time() - started[0], time.perf_counter() - started[1], compiled)


if __name__ == "__main__":
    main(*sys.argv[1:])
