"""Square roots, of which LLVM's instruction is the correctly rounded one."""

from __future__ import annotations

from .terms import Term


def sqrt(x: Term) -> Term:
    """The square root, to nearest even, which also serves `approx`."""
    return x.call("llvm.sqrt")


def rsqrt(x: Term) -> Term:
    """One over the square root; infinite, with its sign, at zero."""
    return 1.0 / sqrt(x)
