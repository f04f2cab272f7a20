"""Where `tileir run` runs a kernel. Each place gives the seconds that a launch took."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tileir.messages.texts import display
from tileir.tools.missing_packages import compiling

from .progress import progress_bar

if TYPE_CHECKING:
    import numpy as np

    from tileir.codegen.api import Compiled
    from tileir.codegen.emulator import EmulatedKernel
    from tileir.codegen.nvptx import CompiledEntry

HOST, GPU = "host", "gpu"
"""What --target takes besides the names of GPUs."""

Launch = Callable[[Any, Sequence[int], Sequence[object]], float]
"""Takes what the place's target compiles, the grid and the arguments."""


def on_host(threads: int | None) -> Launch:
    """The CPU, with so many threads."""

    def launch(kernel: Compiled, grid: Sequence[int], values: Sequence[object]) -> float:
        with progress_bar(display(kernel.symbol)) as progress:
            started = time.perf_counter()
            kernel.launch(grid, values, threads=threads, progress=progress, print_assertions=False)
            return time.perf_counter() - started

    return launch


def on_gpu(kernel: CompiledEntry, grid: Sequence[int], values: Sequence[object]) -> float:
    """The GPU; copying the arrays there and back does not count."""
    from tileir.codegen.device.copies import copied

    with copied(values) as arguments:
        kernel.load()
        started = time.perf_counter()
        kernel.launch(grid, arguments)
        return time.perf_counter() - started


_ALIGNMENT = 256
"""Memory of a GPU starts at multiples of it, and kernels may assume some of that."""


def on_emulator(
    kernel: EmulatedKernel, grid: Sequence[int], values: Sequence[object], **options: Any
) -> float:
    """The emulator, on arrays that are aligned as they are on a GPU."""
    given = [_aligned(value) if hasattr(value, "strides") else value for value in values]
    started = time.perf_counter()
    kernel.launch(grid, given, **options)
    seconds = time.perf_counter() - started
    for value, copy in zip(values, given, strict=True):
        if copy is not value:
            value[...] = copy
    return seconds


def _aligned(array: np.ndarray) -> np.ndarray:
    """A copy of the same layout."""
    import numpy as np

    room = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    copy = np.ndarray(array.shape, array.dtype, room, start, array.strides)
    copy[...] = array
    return copy


def gpu_here() -> str:
    """The target of this machine's GPU; DeviceError if there is none.

    Whoever asks is going to compile for it, so what compiling needs is asked for first.
    """
    with compiling():
        import tileir.codegen.nvptx  # noqa: F401
    from tileir.codegen.device.own import own_target

    return own_target()
