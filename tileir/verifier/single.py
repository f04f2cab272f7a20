"""The checks of one op by itself, which do not depend on the ops and regions around it.

The chapters enter their rules into the catalogue when they are imported, which happens here.
"""

from __future__ import annotations

from tileir.ir import Op

from .catalogue import CHECKS
from .constraints import Problem, case_problem, type_problem
from .rules import (  # noqa: F401 - imported for what they enter
    atomics,
    bitwise,
    conversions,
    core,
    floating_point,
    hints,
    integer,
    memory,
    miscellaneous,
    suspicions,
    views,
)


def op_problem(op: Op) -> Problem | None:
    """Return the first problem of an op with its results: types, attributes, its own rules."""
    return type_problem(op) or own_problem(op)


def own_problem(op: Op) -> Problem | None:
    """Return what else is wrong with an op whose types agree with its row."""
    problem = case_problem(op)
    if problem:
        return problem
    for rule, check in CHECKS[op.spec.mnemonic]:
        text = check(op)
        if text:
            return rule, text, rule.hint
    return None
