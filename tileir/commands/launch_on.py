"""The processors on which `tileir run` runs a kernel: functions that launch it and time it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tileir.messages.texts import display
from tileir.tools.missing_packages import compiling

from .progress import progress_bar

if TYPE_CHECKING:
    from tileir.codegen.api import Compiled
    from tileir.codegen.nvptx import CompiledEntry

HOST, GPU = "host", "gpu"
"""Values of --target besides the names of GPUs."""

Launch = Callable[[Any, Sequence[int], Sequence[object]], float]
"""A function (compiled entry, grid, arguments) -> the seconds that the launch took."""


def on_host(threads: int | None) -> Launch:
    """Return a function that launches on the CPU, with so many threads."""

    def launch(kernel: Compiled, grid: Sequence[int], values: Sequence[object]) -> float:
        with progress_bar(display(kernel.symbol)) as progress:
            started = time.perf_counter()
            kernel.launch(grid, values, threads=threads, progress=progress, print_assertions=False)
            return time.perf_counter() - started

    return launch


def on_gpu(kernel: CompiledEntry, grid: Sequence[int], values: Sequence[object]) -> float:
    """Launch on the GPU; the time does not include copying the arrays there and back."""
    from tileir.codegen.device.copies import copied

    with copied(values) as arguments:
        kernel.load()
        started = time.perf_counter()
        kernel.launch(grid, arguments)
        return time.perf_counter() - started


def gpu_here() -> str:
    """Return the target of this machine's GPU; DeviceError if there is none."""
    with compiling():
        from tileir.codegen.device.own import own_target

    return own_target()
