"""Kernels for GPUs, run without one: PTX and launch plan on an emulator that looks for mistakes.

    compiled = tileir.compile(bytecode, "sm_90")
    program = tileir.emulator.load(compiled)
    program["vector_add"].launch(grid, args)

`load` also takes PTX and the plan of a file or of a string, and then needs no compiler. A launch
takes what `compiled[symbol].launch` takes on the host, and raises `EmulationError` for races,
accesses out of bounds or not aligned, what was never written, and threads that wait for ever, with
PTX line, block, threads and address. `launch(ptx, plan, grid, args)` is the same in one call, which
takes addresses too and does not check what is passed.

`launch(..., count=True)` returns a result with `counts`: executed instructions by class, and for
each access of the PTX what it takes in global and shared memory, beside the least that it could.

SCHEDULES, BETWEEN_BLOCKS  orders in which threads may run, to launch under one after the other
APPROXIMATIONS             how far off approximate instructions may be
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tileir.formats.forks import not_forking

from .messages.missing_packages import ARRAYS, needing

if TYPE_CHECKING:
    from tileir.codegen.emulator import (
        APPROXIMATIONS,
        BETWEEN_BLOCKS,
        SCHEDULES,
        EmulatedKernel,
        EmulationError,
        Program,
        Result,
        launch,
        load,
    )

__all__ = [
    "APPROXIMATIONS",
    "BETWEEN_BLOCKS",
    "SCHEDULES",
    "EmulatedKernel",
    "EmulationError",
    "Program",
    "Result",
    "launch",
    "load",
]


if not TYPE_CHECKING:  # for a checker, a module with this function has every name

    def __getattr__(name: str) -> Any:
        """What `__all__` lists, imported when first asked for; AttributeError for other names."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with needing(ARRAYS, "the emulator"), not_forking:
            from tileir.codegen import emulator

        found = getattr(emulator, name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
