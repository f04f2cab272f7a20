"""What the variables of a kernel were when a launch went wrong, found out by running it again.

Machine code keeps nothing for a debugger. So the memory of a launch is kept as it was before, and
the block that failed runs once more, compiled to show each variable, after those before it. A
kernel whose blocks race may do something else then; its values are those of the second run.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tileir.codegen.arguments.grid import check_grid
from tileir.codegen.host.running.compilation import HostKernel
from tileir.errors import KernelError

Memory = tuple[int, int]
"""An address, and a number of bytes that a kernel may write to."""

Values = dict[str, np.ndarray]
"""Variable -> the tile that was assigned to it last."""


class Replay:
    """The memory of a launch as it is now, before the launch."""

    def __init__(self, memory: Iterable[Memory]) -> None:
        self._memory = [(address, size) for address, size in memory if size]
        self._before = self._copies()

    def values(
        self,
        problem: KernelError,
        kernel: HostKernel,
        traced: Callable[[], HostKernel],
        grid: int | Sequence[int],
        args: Sequence[Any],
        allocations: Iterable[Any] = (),
    ) -> Values:
        """Return the variables of the failed block; the memory stays as the launch has left it.

        `kernel` has run, `traced` compiles it with the same checks and a trace of its variables.
        """
        found: Values = {}
        if problem.block is None:
            return found
        shower, after = traced(), self._copies()
        self._restore(self._before)
        width, height, _ = check_grid(kernel.symbol, grid)
        x, y, z = problem.block
        number = x + width * (y + height * z)

        def note(name: str, tile: np.ndarray, block: object) -> None:
            found.pop(name, None)  # what is assigned last comes last
            found[name] = tile

        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(KernelError):
                kernel.run_blocks(range(number), grid, args, allocations)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(KernelError):
                shower.run_blocks(range(number, number + 1), grid, args, allocations, note)
        finally:
            self._restore(after)
        return found

    def _copies(self) -> list[bytes]:
        return [ctypes.string_at(address, size) for address, size in self._memory]

    def _restore(self, contents: list[bytes]) -> None:
        for (address, size), content in zip(self._memory, contents, strict=True):
            ctypes.memmove(address, content, size)
