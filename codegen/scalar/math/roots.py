"""One over the square root; LLVM's instruction for the root is the correctly rounded one."""

from __future__ import annotations

from . import accelerated
from .terms import Expr


def rsqrt(x: Expr) -> Expr:
    """One over the square root; infinite, with its sign, at zero. PTX's is within 2.2 ulp."""
    if accelerated.has_approximations(x):
        return accelerated.rsqrt(x)
    return 1.0 / x.call("llvm.sqrt")
