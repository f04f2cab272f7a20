"""Powers with a constant exponent, by products, quotients and roots that are rounded correctly.

Rounding once gives an error of half a unit in the last place. To multiply what is rounded by what
is exact, to invert it or to square it turns the first error into at most 1, 1 and sqrt(2) units,
so that no result errs by more than 1.92. What is between overflows or becomes subnormal only where
the result does, too: that is why x^-2 squares the inverse, and does not invert the square.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tileir.codegen.ops.powers import constant_exponent
from tileir.ir import Op

from .terms import Expr


def short_power(op: Op) -> Callable[[Expr], Expr] | None:
    """Return the function of the base that a power is; None if it takes the general function."""
    exponent = constant_exponent(op)
    return None if exponent is None else SHORT_POWERS.get(exponent)


def _squared(x: Expr) -> Expr:
    return x * x


def _inverse(x: Expr) -> Expr:
    return 1.0 / x


def _root(x: Expr) -> Expr:
    """x^0.5, which differs from the square root at -0, where it is 0, and at minus infinity."""
    root = x.call("llvm.sqrt") + 0.0
    return x.equals(-math.inf).choose(x.like(math.inf), root)


SHORT_POWERS: dict[float, Callable[[Expr], Expr]] = {
    -2.0: lambda x: _squared(_inverse(x)),
    -1.0: _inverse,
    -0.5: lambda x: _inverse(_root(x)),
    0.0: lambda x: x.like(1.0),
    0.5: _root,
    1.0: lambda x: x,
    2.0: _squared,
    3.0: lambda x: _squared(x) * x,
    4.0: lambda x: _squared(_squared(x)),
}
"""Exponent -> function of the base; `codegen.ops.powers` has what each costs."""
