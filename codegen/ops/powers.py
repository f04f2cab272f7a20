"""Powers whose exponent is a constant, which a few products, a quotient or a root give.

An exponent is in the table if its formula (`scalar.math.short_powers`) errs by less than 2 units in
the last place, as powers of f32 have to. Three roundings that add up, as for x^5, are too many.
"""

from __future__ import annotations

from collections.abc import Mapping

from tileir.ir import Op

from .spec import DIVISION, SIMPLE

COSTS: Mapping[float, int] = {
    -2.0: DIVISION + SIMPLE,
    -1.0: DIVISION,
    -0.5: DIVISION + DIVISION,
    0.0: SIMPLE,
    0.5: DIVISION + SIMPLE,
    1.0: SIMPLE,
    2.0: SIMPLE,
    3.0: SIMPLE + SIMPLE,
    4.0: SIMPLE + SIMPLE,
}
"""Exponent -> what the power costs, in simple operations."""
_HANDED_ON = ("assume", "broadcast", "permute", "reshape")
"""Ops whose results have the elements of their first operand, and no others."""


def cost_of_short_power(op: Op) -> int | None:
    """Return what a power with such an exponent costs; None for other powers and other ops."""
    exponent = constant_exponent(op)
    return None if exponent is None else COSTS.get(exponent)


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
