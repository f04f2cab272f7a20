"""What the cache saves: compilations in a new process, by CPU time without imports.

As a program, its arguments are a target and files; it prints the seconds that they took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import tileir
from tests.corpus import ROOT
from tileir.codegen.cache.key import own_hash

_WARM_UP = "entry @k() { return }"


def rounds(target: str, files: list[Path], count: int) -> Iterator[float]:
    """CPU seconds of compiling all of the files, each time in a new process, on one folder."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            command = [sys.executable, "-m", "tests.lab.cache.saving", target, *map(str, files)]
            environment = {**os.environ, "TILEIR_CACHE_DIR": str(Path(folder, "cache"))}
            done = subprocess.run(
                command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
            )
            yield float(done.stdout)


def main(target: str, *files: str) -> None:
    """Compile files, after a small kernel for which everything is imported."""
    data = [Path(file).read_bytes() for file in files]
    made = tileir.compile(tileir.assemble(_WARM_UP), target, cache=False)
    _ = made.ptx, own_hash()  # whose files are looked at once in a process
    started = time.process_time()
    for each in data:
        made = tileir.compile(each, target)
        _ = made.ptx, made.plan
    print(time.process_time() - started)


if __name__ == "__main__":
    main(*sys.argv[1:])
