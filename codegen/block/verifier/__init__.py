"""Rules of the block IR. A body that breaks one is a defect of the compiler.

A rule is a function of a body that yields what breaks it, as an op and a sentence about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tileir.ir import Body, Op

from .execution import execution_problems
from .flights import flight_problems
from .folds import fold_problems
from .layouts import layout_problems
from .loads_ahead import ahead_problems
from .offsets import offset_problems
from .products import product_problems
from .turns import turn_problems

RULES: tuple[Callable[[Body], Iterator[tuple[Op, str]]], ...] = (
    layout_problems,
    offset_problems,
    turn_problems,
    flight_problems,
    ahead_problems,
    product_problems,
    fold_problems,
)
"""The rules that hold behind every stage."""


def block_problem(body: Body, ordered: bool = False) -> str | None:
    """Return the first problem of a body, with the op that has it; None if there is none.

    With `ordered`, barriers have been placed: then accesses of shared memory are in order, too.
    """
    rules = (*RULES, execution_problems) if ordered else RULES
    found = next((each for rule in rules for each in rule(body)), None)
    if found is None:
        return None
    op, why = found
    place = f" at {op.location_text}" if op.location_text else ""
    return f"{op.name}{place}: {why}"
