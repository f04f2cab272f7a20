"""An emulator of PTX: all threads of several blocks as NumPy lanes, on the memory of the host.

It runs a kernel as a GPU would, and says what a GPU would not: races, accesses out of bounds,
memory and registers that were never written, threads that wait for ever. `load` takes what
`tileir.compile` returns, or PTX and launch plans from files, and needs neither a compiler nor
NVIDIA's tools; `launch` runs one kernel by its plan. Users have it as `tileir.emulator`.

Each room knows those above it:

ptx/      what the text says: statements, types, the table of instructions, basic blocks
threads/  lanes and their registers, warps, barriers, schedules, and what threads know of others
memory/   what addresses lead to: bounds, races, releases and acquires, copies under way
ops/      the chapters of the table: what each instruction does
running/  basic blocks become Python functions; arguments are packed, and batches of blocks run
"""

from __future__ import annotations

from tileir.errors import EmulationError

from .errors import EmulatedLaunchError, UnsupportedPtxError
from .ops.approximations import APPROXIMATIONS
from .running.launching import Result, launch, load_module
from .running.loading import EmulatedKernel, Program, load
from .running.module import Module
from .threads.schedules import BETWEEN_BLOCKS, SCHEDULES

__all__ = [
    "APPROXIMATIONS",
    "BETWEEN_BLOCKS",
    "SCHEDULES",
    "EmulatedKernel",
    "EmulatedLaunchError",
    "EmulationError",
    "Module",
    "Program",
    "Result",
    "UnsupportedPtxError",
    "launch",
    "load",
    "load_module",
]
