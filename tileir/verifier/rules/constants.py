"""Which numbers a value is known to hold: those of the constant that defines it."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.types import Scalar

MOST = 256
"""Elements of a constant that are looked at; of a larger one nothing is said."""

TRANSPARENT = {"broadcast": "source", "reshape": "source", "assume": "value"}
"""Ops whose result holds the numbers of an operand -> that operand."""


def known(value: Value) -> Sequence[int] | None:
    """The bit patterns of the integers that a value holds, each at least once; None if unknown."""
    for _ in range(8):
        op = value.owner
        if not isinstance(op, Op):
            return None
        if op.name == "constant":
            break
        if op.name not in TRANSPARENT:
            return None
        value = op.operands[TRANSPARENT[op.name]]
    else:
        return None
    constant = op.attributes["value"]
    if not isinstance(constant, Constant) or not isinstance(constant.type.element, Scalar):
        return None
    if not constant.type.element.is_integer:
        return None
    if constant.is_splat:
        return (constant.bits(),)
    size = constant.type.size
    return [constant.bits(at) for at in range(size)] if size <= MOST else None


def signed(pattern: int, bits: int) -> int:
    """A bit pattern of that width, read as signed."""
    return pattern - (1 << bits) if pattern >> (bits - 1) else pattern
