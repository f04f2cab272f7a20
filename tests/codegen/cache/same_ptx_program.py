"""A program that compiles kernels for GPUs and prints a hash of everything that came of each.

Its arguments are the number of threads, and files. It needs no package but those of the compiler,
so that other versions of Python can run it, too.
"""

from __future__ import annotations

import hashlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tileir

TARGETS = ("sm_80", "sm_90")


def made(job: tuple[str, str]) -> str:
    """The line for a file and a target."""
    file, target = job
    compiled = tileir.compile(Path(file).read_bytes(), target, cache=False, lineinfo=True)
    parts = (compiled.ptx, compiled.llvm_ir, json.dumps(compiled.plan))
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{Path(file).stem} {target} {digest}"


def main(threads: int, files: list[str]) -> None:
    """Compile all of them, in so many threads at once."""
    jobs = [(file, target) for file in files for target in TARGETS]
    with ThreadPoolExecutor(threads) as pool:
        print(*pool.map(made, jobs), sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
