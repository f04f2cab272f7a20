"""Rounding to integers by LLVM's intrinsics, which are exact in every format."""

from __future__ import annotations

from .terms import Expr


def ceil(x: Expr) -> Expr:
    """Return the least integer not below x."""
    return x.call("llvm.ceil")


def floor(x: Expr) -> Expr:
    """Return the greatest integer not above x."""
    return x.call("llvm.floor")
