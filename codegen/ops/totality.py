"""Rules of totality: when an op has a result whatever its operands are, named in the op's row.

A row without a rule is that of an op that always has one. A broken promise, a division by zero or a
slice that is out of range is undefined behaviour, and on some targets ends the program: such an op
must not run where the program would not have run it.
"""

from __future__ import annotations

from collections.abc import Callable

from tileir.ir import Op

from .divisibility import Known

Rule = Callable[[Op, Known], bool]
"""Tells whether an op is defined for all values that its operands can have, as far as is known."""


def never(op: Op, table: Known) -> bool:
    """Nothing that is known of the operands excludes undefined behaviour."""
    return False


def without_promise(op: Op, table: Known) -> bool:
    """Results wrap unless the op promises that they do not."""
    return op.attributes["overflow"] == "none"


def positive_divisor(op: Op, table: Known) -> bool:
    """A positive divisor is neither zero nor -1, however it is read."""
    return table[op.operands["rhs"]].lower >= 1


def narrow_shift(op: Op, table: Known) -> bool:
    """The amount is below the width, and nothing is promised."""
    amount, promise = table[op.operands["rhs"]], op.attributes.get("overflow", "none")
    return amount.lower >= 0 and amount.upper < op.result.type.element.bits and promise == "none"


def saturating(op: Op, table: Known) -> bool:
    """A saturating conversion has an integer for every number, and for NaN."""
    return bool(op.attributes["saturating"])
