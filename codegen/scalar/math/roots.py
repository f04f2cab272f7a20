"""The reciprocal square root; LLVM's square root is correctly rounded."""

from __future__ import annotations

from . import accelerated
from .terms import Expr


def rsqrt(x: Expr) -> Expr:
    """1/sqrt(x); infinite at zero, with its sign. PTX's instruction is within 2.2 ulp."""
    if accelerated.has_approximations(x):
        return accelerated.rsqrt(x)
    return 1.0 / x.call("llvm.sqrt")
