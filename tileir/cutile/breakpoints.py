"""`tileir.breakpoint()` in kernels of cuTile.

cuTile compiles the functions that a kernel calls, whatever module they are in: to it, this is a
function that prints a line. So it needs nothing of cuTile's inside, and on a GPU the line appears.
"""

from __future__ import annotations

from typing import Any

ct: Any
try:
    import cuda.tile as ct
except ImportError:  # then there is no kernel to call it from
    ct = None


def breakpoint() -> None:
    """Stop in a kernel of cuTile: on the CPU, pdb opens with the tiles by their names in source.

    In a notebook, or where input is no terminal, the tiles are printed and the kernel goes on. On a
    GPU, a line is printed. Outside of kernels, Python has its own `breakpoint`.
    """
    ct.printf("tileir.breakpoint()\n")
