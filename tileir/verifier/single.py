"""One op by itself: all that can be said without knowing where it stands.

The chapters enter their rules into the catalogue when they are imported, which happens here.
"""

from __future__ import annotations

from tileir.ir import Op

from .catalogue import CHECKS
from .constraints import Found, case_problem, type_problem
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


def op_problem(op: Op) -> Found:
    """The first thing wrong with an op that has its results: types, attributes, its own rules."""
    return type_problem(op) or own_problem(op)


def own_problem(op: Op) -> Found:
    """What is wrong with an op whose types are those that its row admits."""
    found = case_problem(op)
    if found:
        return found
    for rule, check in CHECKS[op.spec.mnemonic]:
        text = check(op)
        if text:
            return rule, text, rule.hint
    return None
