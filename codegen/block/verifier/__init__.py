"""Rules of the block IR. A body that breaks one is a defect of the compiler.

A rule is a function of a body that yields what breaks it, as an op and a sentence about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.ir import Body, Op

from .flights import flight_problems
from .folds import fold_problems
from .layouts import layout_problems
from .loads_ahead import ahead_problems
from .mbarriers import mbarrier_problems
from .offsets import offset_problems
from .orders import order_problems
from .products import product_problems
from .roles import role_problems
from .turns import turn_problems

RULES: tuple[Callable[[Body], Iterator[tuple[Op, str]]], ...] = (
    layout_problems,
    offset_problems,
    turn_problems,
    flight_problems,
    ahead_problems,
    mbarrier_problems,
    role_problems,
    order_problems,
    product_problems,
    fold_problems,
)
"""The rules that hold behind every stage; those of `execution` do once memory is allocated."""


def located(op: Op, why: str) -> str:
    """Return what is wrong with an op as a sentence that says where it is."""
    place = f" at {op.location_text}" if op.location_text else ""
    return f"{op.name}{place}: {why}"
