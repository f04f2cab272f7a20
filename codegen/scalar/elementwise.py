"""Element-wise ops: which there are, which are exact here, and one place to emit them.

A function per op takes the builder, the op (for its attributes and types) and one LLVM value per
operand, and returns the LLVM value of the result. It may be called inside any loop; nothing it
emits can trap, not even where Tile IR leaves the result undefined.
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
"""Mnemonic -> how one element is computed."""


def why_not(op: Op) -> str | None:
    """Why the op cannot be computed element by element, or None if it can."""
    return None if op.name in ELEMENTWISE else "it is not lowered yet"


def emit(builder: ir.IRBuilder, op: Op, arguments: list[ir.Value]) -> ir.Value:
    """The result of the op on one element; `arguments` in the order of the operand slots."""
    return ELEMENTWISE[op.name](builder, op, *arguments)
