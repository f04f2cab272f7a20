"""The process that `launching` measures: ``launching_worker.py WAY ROUNDS LAUNCHES``, or ``first``.

It prints CPU times as JSON: of one launch in microseconds, or of each step of the first launch in
milliseconds, imports left out.
"""

import json
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import tileir
import tileir.codegen.api  # what is imported here is no part of a launch
import tileir.codegen.host

SIZE = 1024
VECTOR_ADD = Path(__file__).parents[3] / "fixtures" / "13.4" / "vector_add.tileirbc"


def vectors() -> list[np.ndarray]:
    return [np.ones(SIZE, np.float32) for _ in range(3)]


def plain() -> list[Any]:
    """Addresses, extents and strides of vectors, as the kernel in the file takes them."""
    return [part for vector in vectors() for part in (vector, SIZE, 1)]


def microseconds(launch: Callable[[], None], rounds: int, launches: int) -> float:
    """The least CPU time of a launch."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(launches):
            launch()
        times.append((time.process_time() - start) / launches)
    return min(times) * 1e6


def first() -> dict[str, float]:
    data, arguments = VECTOR_ADD.read_bytes(), plain()
    times = [time.process_time()]
    bytecode = tileir.Bytecode.parse(data)
    times.append(time.process_time())
    kernel = tileir.compile(bytecode)["vector_add"]
    times.append(time.process_time())
    kernel.launch(1, arguments)
    times.append(time.process_time())
    steps = ("parse", "load", "launch")
    took = [(b - a) * 1e3 for a, b in pairwise(times)]
    return {**dict(zip(steps, took, strict=True)), "in all": sum(took)}


def kernel_alone(rounds: int, launches: int) -> dict[str, float]:
    kernel = tileir.compile(tileir.load(VECTOR_ADD))["vector_add"]
    grid, arguments = (1, 1, 1), plain()
    return {
        "whole": microseconds(lambda: kernel.launch(grid, arguments, threads=1), rounds, launches)
    }


def under_cutile(way: str, rounds: int, launches: int) -> dict[str, float]:
    import tileir.cutile
    from tileir.cutile import cutile_internals
    from tileir.cutile.driver import Driver

    tileir.cutile.install(threads=1)
    import cuda.tile as ct

    @ct.kernel
    def add(x, y, z, size: ct.Constant[int]):
        block = ct.bid(0)
        ct.store(z, (block,), ct.load(x, (block,), (size,)) + ct.load(y, (block,), (size,)))

    given: list[Any] = vectors()
    if way != "numpy":
        import torch

        given = [torch.from_numpy(each) for each in given]
        given = [each.cuda() for each in given] if way == "torch" else given
    arguments, grid = (*given, SIZE), (1, 1, 1)

    def launch() -> None:
        ct.launch(0, grid, add, arguments)

    launch()
    whole = microseconds(launch, rounds, launches)
    driver = sys.modules["cuda.tile._load_libcuda"].driver
    stream, _, _, offered = cutile_internals._prepared((0, grid, add, arguments), driver)
    original = ct.launch.__wrapped__
    Driver._launch = lambda *given: 0  # type: ignore[method-assign]
    empty = microseconds(lambda: original(stream, grid, add, offered), rounds, launches)
    return {"whole": whole, "empty": empty}


def main(way: str, *counts: str) -> None:
    if way == "first":
        found = first()
    elif way == "kernel":
        found = kernel_alone(*map(int, counts))
    else:
        found = under_cutile(way, *map(int, counts))
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
