"""Kernels on the CPU, beside NumPy and PyTorch: the same arrays, threads and process.

What is compared takes turns, so that whatever disturbs one disturbs the other; of both the median
counts. The kernels are what cuTile makes of `kernels/source.py`. Their results are compared too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import tileir

from .timing import best

try:
    import torch
except ImportError:
    torch = None

KERNELS = Path(__file__).parent / "kernels"
COMPILED = ("vector_add", "matmul_f16")
"""Kernels whose compile time is told."""

_NO_TORCH = "torch is not installed"


@dataclass(frozen=True)
class Race:
    """Median seconds of a kernel and of what it is compared with, or a note why there are none."""

    what: str
    against: str
    ours: float | None = None
    theirs: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times as fast the kernel is."""
        return self.theirs / self.ours if self.ours else None


@dataclass(frozen=True)
class Runner:
    """Something to be measured: ours, theirs, and what ours leaves behind."""

    ours: Callable[[], object]
    theirs: Callable[[], object]
    result: np.ndarray
    tolerance: float


def measure(repeat: int) -> Iterator[Race]:
    """Every kernel, each against the other library."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if torch is not None:
        torch.set_num_threads(threads)
    launch = partial(_launch, threads)
    for what, against, prepare in _RACES:
        if against == "torch" and torch is None:
            yield Race(what, against, note=_NO_TORCH)
        else:
            yield Race(what, against, *_race(prepare(launch), repeat))


def compile_times(repeat: int) -> Iterator[tuple[str, float]]:
    """CPU seconds to compile a kernel, its text being read already."""
    for name in COMPILED:
        bytecode = _bytecode(name)
        run = partial(_compile, bytecode)
        yield name, best(lambda _, run=run: run(), repeat)


def _bytecode(name: str) -> tileir.Bytecode:
    return tileir.assemble((KERNELS / f"{name}.mlir").read_text(encoding="utf-8"))


def _compile(bytecode: tileir.Bytecode) -> object:
    return tileir.compile(bytecode, target="host", cache=False)


def _launch(
    threads: int, name: str, grid: int | tuple[int, ...], arrays: list[np.ndarray], *scalars: float
) -> Callable[[], None]:
    """A launch with what cuTile passes of arrays: address, extents, strides in elements."""
    kernel = _compile(_bytecode(name))[name]
    args: list = []
    for array in arrays:
        args += [array, *array.shape, *(step // array.itemsize for step in array.strides)]
    return lambda: kernel.launch(grid, [*args, *scalars], threads=threads)


def _race(runner: Runner, repeat: int) -> tuple[float, float]:
    """Median wall-clock seconds of both, after one run each whose results are compared."""
    runner.ours()
    expected = np.asarray(runner.theirs()).reshape(runner.result.shape)
    np.testing.assert_allclose(
        runner.result.astype(np.float32), expected.astype(np.float32),
        rtol=runner.tolerance, atol=runner.tolerance,
    )  # fmt: skip
    took: dict[Callable, list[float]] = {runner.ours: [], runner.theirs: []}
    for _ in range(repeat):
        for run, times in took.items():
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
    return tuple(float(np.median(times)) for times in took.values())


def _random(count: int, *shape: int, dtype: type = np.float32) -> list[np.ndarray]:
    choice = np.random.default_rng(1)
    return [choice.standard_normal(shape, np.float32).astype(dtype) for _ in range(count)]


def _vector_add(launch: Callable) -> Runner:
    size = 1 << 24
    x, y = _random(2, size)
    ours, theirs = np.zeros_like(x), np.zeros_like(x)
    run = launch("vector_add", size // 1024, [x, y, ours])
    return Runner(run, lambda: np.add(x, y, out=theirs), ours, 0)


def _softmax(launch: Callable) -> Runner:
    (x,) = _random(1, 4096, 4096)
    result = np.zeros_like(x)
    run = launch("softmax", 4096, [x, result])
    return Runner(run, partial(torch.softmax, torch.from_numpy(x), 1), result, 1e-6)


def _layer_norm(launch: Callable) -> Runner:
    (x,), (weight, bias) = _random(1, 4096, 4096), _random(2, 4096)
    result = np.zeros_like(x)
    run = launch("layer_norm", 4096, [x, weight, bias, result], 1e-5)
    given = [torch.from_numpy(array) for array in (x, weight, bias)]
    norm = partial(torch.nn.functional.layer_norm, given[0], (4096,), *given[1:], 1e-5)
    return Runner(run, norm, result, 1e-4)


def _matmul(launch: Callable) -> Runner:
    x, y = _random(2, 1024, 1024)
    result = np.zeros_like(x)
    return Runner(launch("matmul_f32", 64, [x, y, result]), lambda: x @ y, result, 1e-3)


def _matmul_of_halves(launch: Callable) -> Runner:
    x, y = _random(2, 1024, 1024, dtype=np.float16)
    result = np.zeros_like(x)
    given = torch.from_numpy(x), torch.from_numpy(y)
    run = launch("matmul_f16", 64, [x, y, result])
    return Runner(run, partial(torch.matmul, *given), result, 1e-2)


def _attention(launch: Callable) -> Runner:
    query, key, value = _random(3, 4, 1024, 64, dtype=np.float16)
    result = np.zeros_like(query)
    run = launch("attention", (8, 4), [query, key, value, result], 0.125)
    given = [torch.from_numpy(array)[None] for array in (query, key, value)]
    attend = partial(torch.nn.functional.scaled_dot_product_attention, *given)
    return Runner(run, attend, result, 1e-2)


_RACES: list[tuple[str, str, Callable[[Callable], Runner]]] = [
    ("vector add, 2^24 f32", "NumPy", _vector_add),
    ("row softmax, 4096 x 4096 f32", "torch", _softmax),
    ("layer norm, 4096 x 4096 f32", "torch", _layer_norm),
    ("matmul, 1024^3 f32", "NumPy", _matmul),
    ("matmul, 1024^3 f16", "torch", _matmul_of_halves),
    ("attention, 4 x 1024 x 64 f16", "torch", _attention),
]
