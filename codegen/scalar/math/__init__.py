"""The math library: elementary functions as straight-line code for every target.

The code consists of arithmetic, fused multiply-adds, selects and integer operations, so that loops
around it are vectorised and a GPU needs no library; f32 is computed in f32. Only remf has a loop.
Errors are below 2 ulp in f32 and below 4 in f64. PTX has approximations of some functions in f32;
with its documented bounds, errors on GPUs are 3.1 ulp for exp, 2.5 for exp2 and 2.2 for rsqrt.
Halves are computed in f32 and rounded once more. Results for NaN, infinities and zeros follow C.
"""

from .rows import OPS

__all__ = ["OPS"]
