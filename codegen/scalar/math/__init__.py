"""The math library: elementary functions as straight lines of instructions, for every target.

Nothing but arithmetic, fused multiply-adds, selections and integer operations, so that loops around
them become vector code and a GPU needs no library; f32 is computed in f32. Only remf has a loop.
Errors stay below 2 units in the last place in f32 and below 4 in f64. On GPUs, f32 has instructions
for some, and the bounds that PTX documents for those make it 3.1 for exp, 2.5 for exp2 and 2.2 for
rsqrt. Halves are computed in f32 and rounded once more. What NaN, infinities and zeros give is what
C says.
"""

from .rows import OPS

__all__ = ["OPS"]
