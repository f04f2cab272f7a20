"""Which folds round to so few bits that the depth of their order matters.

Adding one by one, the sum of ones in bf16 ends at 256 and in f16 at 2048: every partial sum is
rounded to the type of the operands, and NVIDIA's compiler does no better than the body says. Tile
IR leaves the order open, so every target folds such elements as a balanced tree. Then each element
takes part in log2(n) additions instead of n - 1, and of n addends the sum in a type of p bits is
within log2(n) * 2**-p of the sum of their magnitudes (terms of second order left out; p is 11 for
f16, 8 for bf16, 4 for f8E4M3FN, 3 for f8E5M2).
"""

from __future__ import annotations

from tileir.ir import Op, Value
from tileir.types import Scalar, Tile

_WIDE = ("f32", "f64")
"""Floats of so many bits that a fold of a whole tile may round one by one."""

_EXACT = ("absf", "constant", "if", "maxf", "minf", "negf", "select")
"""Ops that round no float, or whose regions are walked."""


def rounds_narrowly(op: Op) -> bool:
    """Whether the body of a reduce or scan computes with a float narrower than f32 and rounds."""
    if not any(map(_is_narrow, op.operands["operands"])):
        return False
    _, *body = op.walk()
    return any(inner.name not in _EXACT and any(map(_is_float, inner.results)) for inner in body)


def _is_float(value: Value) -> bool:
    kind = value.type
    return isinstance(kind, Tile) and isinstance(kind.element, Scalar) and kind.element.is_float


def _is_narrow(value: Value) -> bool:
    return _is_float(value) and value.type.element.name not in _WIDE
