"""Powers whose exponent is a constant, which a few products, a quotient or a root give.

An exponent is in the table if its steps (`scalar.math.short_powers`) err by less than 2 units in
the last place, as powers of f32 have to. Three roundings that add up, as for x^5, are too many.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from tileir.ir import Op

from .spec import DIVISION, SIMPLE


class Step(Enum):
    """What is made of what there is of a power, which begins with its base."""

    ONE = auto()
    INVERSE = auto()
    ROOT = auto()
    SQUARE = auto()
    TIMES_BASE = auto()


SHORT_POWERS: dict[float, tuple[Step, ...]] = {
    -2.0: (Step.INVERSE, Step.SQUARE),
    -1.0: (Step.INVERSE,),
    -0.5: (Step.ROOT, Step.INVERSE),
    0.0: (Step.ONE,),
    0.5: (Step.ROOT,),
    1.0: (),
    2.0: (Step.SQUARE,),
    3.0: (Step.SQUARE, Step.TIMES_BASE),
    4.0: (Step.SQUARE, Step.SQUARE),
}
"""Exponent -> the steps that give the power."""
COSTS: Mapping[Step, int] = {
    Step.ONE: SIMPLE,
    Step.INVERSE: DIVISION,
    Step.ROOT: DIVISION + SIMPLE,
    Step.SQUARE: SIMPLE,
    Step.TIMES_BASE: SIMPLE,
}
"""Step -> what it costs, in simple operations."""
_HANDED_ON = ("assume", "broadcast", "permute", "reshape")
"""Ops whose results have the elements of their first operand, and no others."""


def steps_of(op: Op) -> tuple[Step, ...] | None:
    """Return the steps that give a power with such an exponent; None for all other ops."""
    exponent = constant_exponent(op)
    return None if exponent is None else SHORT_POWERS.get(exponent)


def cost_of_short_power(op: Op) -> int | None:
    """Return what a power with such an exponent costs; None for other powers and other ops."""
    steps = steps_of(op)
    return None if steps is None else max(sum(COSTS[step] for step in steps), SIMPLE)


def constant_exponent(op: Op) -> float | None:
    """Return the number that a power has as the exponent of all elements; None for other ops."""
    if op.name not in ("fpowf", "fpowi"):
        return None
    owner = op.operands["exponent"].owner
    while isinstance(owner, Op) and owner.name in _HANDED_ON:
        owner = next(owner.operand_list()).owner
    if not isinstance(owner, Op) or owner.name != "constant":
        return None
    constant = owner.attributes["value"]
    number = constant.value() if constant.uniform else None
    # An i1 that is set is -1 as an exponent.
    return -int(number) if isinstance(number, bool) else number
