"""An emulator of PTX: it runs the threads of several blocks as NumPy arrays, on host memory.

It runs a kernel as a GPU would, and reports what a GPU would not: races, accesses out of bounds,
reads of memory and registers that were never written, threads that wait for ever. `load` takes what
`tileir.compile` returns, or PTX and launch plans from files, and needs neither a compiler nor
NVIDIA's tools; `launch` runs one kernel by its plan. Users import it as `tileir.emulator`.

Each folder imports only those above it:

ptx/      the PTX text: statements, types, the table of instructions, basic blocks
threads/  lanes and their registers, warps, barriers, schedules, vector clocks
memory/   state spaces: bounds, races, releases and acquires, mbarriers, what is under way
ops/      the rows of the table: a function for each family of instructions
counting/ what instructions ask of memory: sectors, bank conflicts
running/  launches: basic blocks become Python functions, and batches of blocks run them
"""

from __future__ import annotations

from tileir.errors import EmulationError

from .errors import EmulatedLaunchError, UnsupportedPtxError
from .memory.tensor_map import TensorMap
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
    "TensorMap",
    "UnsupportedPtxError",
    "launch",
    "load",
    "load_module",
]
