"""A program whose first compilations are many at once; it says what they were, and what they left.

Threads start before any of the compiler's modules has been imported; NumPy has been, as its import
adds to the filters of warnings. Each module is one object, which several threads compile, each for
another target. Argument: the file to write, as JSON.
"""

from __future__ import annotations

import gc
import json
import locale
import os
import random
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import tileir

FIXTURES = Path(__file__).parents[2] / "fixtures" / "13.4"
KERNELS = ("vector_add", "softmax", "loop_sum", "mma_bf16")
TARGETS = ("sm_80", "sm_90", "host")


def made(module: tileir.Bytecode, target: str) -> str:
    """What is compared of a compilation: LLVM IR, PTX and plans."""
    compiled = tileir.compile(module, target, cache=False)
    return json.dumps([compiled.llvm_ir, compiled.ptx, compiled.plan], sort_keys=True)


def modules() -> dict[str, tileir.Bytecode]:
    """The modules, read and no more."""
    return {name: tileir.load(FIXTURES / f"{name}.tileirbc") for name in KERNELS}


def state() -> dict[str, Any]:
    """What the whole process shares, and a library should leave alone."""
    return {
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "collector": [gc.isenabled(), gc.get_threshold()],
        "signals": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "path": sys.path,
        "warnings": list(map(str, warnings.filters)),
        "locale": locale.setlocale(locale.LC_ALL),
        "random numbers": hash(random.getstate()),
        "errors of NumPy": np.geterr(),
        "threads": threading.active_count(),
        "streams": [id(sys.stdin), id(sys.stdout), id(sys.stderr)],
        "files": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0,
    }


def main(path: str) -> None:
    read, before = modules(), state()
    pairs = [(name, target) for target in TARGETS for name in KERNELS]
    results: dict[str, str] = {}
    together = threading.Barrier(len(pairs))

    def work(name: str, target: str) -> None:
        together.wait()
        results[f"{name} {target}"] = made(read[name], target)

    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = state()
    changed = [name for name in before if before[name] != after[name]]
    Path(path).write_text(json.dumps({"results": results, "changed": changed}))


if __name__ == "__main__":
    main(sys.argv[1])
