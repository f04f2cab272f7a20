"""An emulator of PTX: all threads of several blocks as NumPy lanes, on the memory of the host.

`launch(ptx, plan, grid, args)` runs a kernel as a GPU would, and says what a GPU would not: races,
accesses out of bounds, memory and registers that were never written, threads that wait for ever.
"""

from __future__ import annotations

from .approximations import APPROXIMATIONS
from .errors import EmulationError
from .launching import Result, launch, load
from .program import Module
from .schedules import BETWEEN_BLOCKS, SCHEDULES

__all__ = [
    "APPROXIMATIONS",
    "BETWEEN_BLOCKS",
    "SCHEDULES",
    "EmulationError",
    "Module",
    "Result",
    "launch",
    "load",
]
