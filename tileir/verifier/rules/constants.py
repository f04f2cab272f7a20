"""The integers that a value is known to hold: those of the constant that defines it."""

from __future__ import annotations

from collections.abc import Sequence

from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.types import Scalar

MOST = 256
"""Most elements of a constant that is examined; larger ones count as unknown."""

TRANSPARENT = {"broadcast": "source", "reshape": "source", "assume": "value"}
"""Ops whose result holds the numbers of an operand -> that operand."""


def known(value: Value) -> Sequence[int] | None:
    """Return the bit patterns of a value's integers, each at least once; None if unknown."""
    element = getattr(value.type, "element", None)
    if not isinstance(element, Scalar):  # an op on the way breaks a rule of its own
        return None
    for _ in range(8):
        op = value.owner
        if not isinstance(op, Op):
            return None
        if op.name == "constant":
            break
        if op.name not in TRANSPARENT:
            return None
        operand = op.operands.get(TRANSPARENT[op.name])  # absent in a malformed op
        if not isinstance(operand, Value):
            return None
        value = operand
    else:
        return None
    constant = op.attributes.get("value")
    if not isinstance(constant, Constant) or not isinstance(constant.type.element, Scalar):
        return None
    if not constant.type.element.is_integer:
        return None
    if constant.is_splat:
        return (constant.bits(),)
    size = constant.type.size
    return [constant.bits(index) for index in range(size)] if size <= MOST else None


def signed(pattern: int, bits: int) -> int:
    """Return a bit pattern of that width as a signed number."""
    return pattern - (1 << bits) if pattern >> (bits - 1) else pattern
