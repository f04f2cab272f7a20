"""Regions that surely run, or never: those of an `if` with a known condition, of an empty `for`."""

from __future__ import annotations

from tileir.ir import Op, Value

from .elements import constant_of, pattern, read


def known_results(op: Op) -> list[Value] | None:
    """Return what the results of an op with regions are, if that is known without running it.

    Of an `if`, the ops of the region that runs are moved before it. One that ends the loop or the
    kernel stays.
    """
    if op.name == "if":
        return _chosen(op)
    return list(op.operands["initValues"]) if op.name == "for" and _is_empty(op) else None


def _chosen(op: Op) -> list[Value] | None:
    condition = pattern(op.operands["condition"])
    if condition is None:
        return None
    region = op.regions[0 if condition else 1]
    if not region.blocks:
        return []
    *inside, end = region.block.ops
    if end.name != "yield":
        return None
    for each in inside:
        each.move_before(op)
    return list(end.operands["operands"])


def _is_empty(op: Op) -> bool:
    """Whether a loop has no trip: it starts at its end, or behind it."""
    low, high = op.operands["lowerBound"], op.operands["upperBound"]
    if low is high:
        return True
    first, last = pattern(low), pattern(high)
    number = constant_of(low)
    if number is None or first is None or last is None or number.type.element.bits < 8:
        return False
    signedness = "unsigned" if op.attributes["unsignedCmp"] else "signed"
    element = number.type.element
    return read(first, element, signedness) >= read(last, element, signedness)
