"""Rounding to integers, by LLVM's instructions; exact in every format."""

from __future__ import annotations

from .terms import Expr


def ceil(x: Expr) -> Expr:
    """The least integer that is not smaller."""
    return x.call("llvm.ceil")


def floor(x: Expr) -> Expr:
    """The greatest integer that is not larger."""
    return x.call("llvm.floor")
