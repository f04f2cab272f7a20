"""Powers with a constant exponent, by products, quotients and roots that are rounded correctly.

Rounding once gives an error of half a unit in the last place. To multiply what is rounded by what
is exact, to invert it or to square it turns the first error into at most 1, 1 and sqrt(2) units,
so that no result errs by more than 1.92. What is between overflows or becomes subnormal only where
the result does, too: that is why x^-2 squares the inverse, and does not invert the square.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tileir.codegen.ops.powers import Step, steps_of
from tileir.ir import Op

from .terms import Expr


def short_power(op: Op) -> Callable[[Expr], Expr] | None:
    """Return the function of the base that a power is; None if it takes the general function."""
    steps = steps_of(op)
    if steps is None:
        return None

    def power(base: Expr) -> Expr:
        made = base
        for step in steps:
            made = STEPS[step](made, base)
        return made

    return power


def _root(x: Expr, base: Expr) -> Expr:
    """x^0.5, which differs from the square root at -0, where it is 0, and at minus infinity."""
    root = x.call("llvm.sqrt") + 0.0
    return x.equals(-math.inf).choose(x.like(math.inf), root)


STEPS: dict[Step, Callable[[Expr, Expr], Expr]] = {
    Step.ONE: lambda x, base: x.like(1.0),
    Step.INVERSE: lambda x, base: 1.0 / x,
    Step.ROOT: _root,
    Step.SQUARE: lambda x, base: x * x,
    Step.TIMES_BASE: lambda x, base: x * base,
}
"""Step -> function of what there is of a power, and of its base."""
