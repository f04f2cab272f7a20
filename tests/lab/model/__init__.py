"""Tile IR on NumPy arrays: what kernels do, op by op, to hold code generators against.

    from tests.lab.model import run
    outcome = run(bytecode, "kernel", (4, 1, 1), [array, 7])

It shares nothing with the code generators but the IR it walks. One tile block runs after the other,
every op in program order, every tile an array. What Tile IR leaves undefined is an `Undefined`.
"""

from .machine import Outcome, run
from .undefined import Undefined

__all__ = ["Outcome", "Undefined", "run"]
