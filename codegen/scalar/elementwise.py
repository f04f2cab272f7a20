"""The table of element-wise ops, and one function to emit any of them.

A function per op takes the builder, the op (for its attributes and types) and one LLVM value per
operand, and returns the LLVM value of the result. It may be called inside any loop; the
code it emits never traps, not even where Tile IR leaves the result undefined.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.ir import Op

from . import arithmetic, floats, integers, math
from .conversions import casts

Emit = Callable[..., ir.Value]

_CHAPTERS = (integers, floats, arithmetic, casts, math)

ELEMENTWISE: dict[str, Emit] = {name: emit for each in _CHAPTERS for name, emit in each.OPS.items()}
"""Mnemonic -> emitter of one element."""


def why_not(op: Op) -> str | None:
    """Return why the op cannot be computed element by element, or None if it can."""
    return None if op.name in ELEMENTWISE else "it is not lowered yet"


def emit(builder: ir.IRBuilder, op: Op, arguments: list[ir.Value]) -> ir.Value:
    """Emit the op on one element; `arguments` are in the order of the operand slots."""
    return ELEMENTWISE[op.name](builder, op, *arguments)
