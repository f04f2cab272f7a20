"""The math library: elementary functions as straight lines of instructions, for every target.

Nothing but arithmetic, fused multiply-adds, selections and integer operations, so that loops around
them become vector code and a GPU needs no library; f32 is computed in f32. Errors are below 2 units
in the last place in f32, below 4 in f64; `python -m tests.codegen.math` measures them. Halves
are computed in f32 and rounded once more. Results for NaN, infinities and zeros are those of C.
"""

from .rows import OPS, REASONS

__all__ = ["OPS", "REASONS"]
