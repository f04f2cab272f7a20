"""The processors on which `tileir run` runs a kernel: functions that launch it and time it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tileir.errors import KernelError
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import display

from .progress import progress_bar

if TYPE_CHECKING:
    import numpy as np

    from tileir.bytecode import Bytecode
    from tileir.codegen.api import Compiled
    from tileir.codegen.emulator import EmulatedKernel
    from tileir.codegen.nvptx import CompiledEntry

GPU = "gpu"
"""The value of --target for the GPU of this machine."""

OnCounts = Callable[[Any], object]
"""Takes `Counts`, or the `EmulatedCounts` of an emulator."""

Launch = Callable[[Any, Sequence[int], Sequence[Any]], float]
"""A function (compiled entry, grid, arguments) -> the seconds that the launch took."""


def on_host(threads: int | None, on_counts: OnCounts | None) -> Launch:
    """Return a function that launches on the CPU, with so many threads.

    `on_counts` takes what a kernel that counts has counted.
    """

    def launch(kernel: Compiled, grid: Sequence[int], values: Sequence[Any]) -> float:
        with progress_bar(display(kernel.symbol)) as progress:
            started = time.perf_counter()
            kernel.launch(
                grid,
                values,
                threads=threads,
                progress=progress,
                on_counts=on_counts,
                print_assertions=False,
            )
            return time.perf_counter() - started

    return launch


def stopping(
    launch: partial[float], breaks: Sequence[str], bytecode: Bytecode, checks: Sequence[str]
) -> Callable[[Sequence[Any]], float]:
    """Return a launch on the CPU that shows the kernel's variables where it goes wrong.

    `launch` is what `on_host` returned, with the kernel and the grid.
    """
    from tileir.codegen.analysis.source_names import kernel_name
    from tileir.codegen.arguments.extents import of_array
    from tileir.codegen.host.debugging.break_on import BreakOn
    from tileir.codegen.host.debugging.frames import stop_after

    kernel, grid = launch.args

    def stops(values: Sequence[Any]) -> float:
        arrays = {f"arg{n}": value for n, value in enumerate(values) if hasattr(value, "strides")}
        memory = [(low, high - low) for low, high in map(of_array, arrays.values())]
        try:
            with BreakOn(breaks, bytecode, kernel.symbol, checks).launch(
                kernel, grid, values, memory
            ):
                return launch(values)
        except KernelError as problem:
            if problem.variables:
                stop_after(problem, kernel_name(bytecode.function(kernel.symbol)), arrays)
            raise

    return stops


def on_gpu(kernel: CompiledEntry, grid: Sequence[int], values: Sequence[Any]) -> float:
    """Launch on the GPU; the time does not include copying the arrays there and back."""
    from tileir.codegen.device.copies import copied

    with copied(values) as arguments:
        kernel.load()
        started = time.perf_counter()
        kernel.launch(grid, arguments)
        return time.perf_counter() - started


_ALIGNMENT = 256
"""Memory of a GPU starts at multiples of it, and kernels may assume some of that."""


def on_emulator(
    kernel: EmulatedKernel,
    grid: Sequence[int],
    values: Sequence[Any],
    on_counts: OnCounts | None = None,
    **options: Any,
) -> float:
    """Launch on the emulator and return the seconds; arrays get the alignment of GPU memory.

    They are copied for that; what the kernel has written to the copies is copied back, untimed.
    `on_counts` takes what was counted.
    """
    given = [aligned(value) if hasattr(value, "strides") else value for value in values]
    started = time.perf_counter()
    result = kernel.launch(grid, given, count=on_counts is not None, **options)
    seconds = time.perf_counter() - started
    if on_counts is not None:
        on_counts(result.counts)
    for value, copy in zip(values, given, strict=True):
        if copy is not value:
            value[...] = copy
    return seconds


def aligned(array: np.ndarray) -> np.ndarray:
    """Return a copy of an array with the same strides, at a multiple of `_ALIGNMENT` bytes."""
    import numpy as np

    room = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    copy = np.ndarray(array.shape, array.dtype, room, start, array.strides)
    copy[...] = array
    return copy


def gpu_here() -> str:
    """Return the target of this machine's GPU; DeviceError if there is none.

    Callers compile for it next, so a missing package that compiling needs is reported first.
    """
    with compiling():
        import tileir.codegen.llvm
        import tileir.codegen.nvptx  # noqa: F401
    from tileir.codegen.device.own_target import own_target

    return own_target()
