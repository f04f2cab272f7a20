"""The checks of one op by itself, which do not depend on the ops and regions around it.

The chapters enter their rules into the catalogue when they are imported, which happens here.
"""

from __future__ import annotations

from functools import cache

from tileir.ir import Op
from tileir.ir.dialect import TILE_IR, Dialect

from .catalogue import CHECKS, Check, Rule, of_dialect
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


def op_problem(op: Op, dialect: Dialect = TILE_IR) -> Problem | None:
    """Return the first problem of an op with its results: types, attributes, its own rules."""
    return type_problem(op, dialect) or own_problem(op, dialect)


def own_problem(op: Op, dialect: Dialect = TILE_IR) -> Problem | None:
    """Return what else is wrong with an op whose types agree with its row."""
    problem = case_problem(op, dialect)
    if problem:
        return problem
    name = op.spec.mnemonic
    for rule, check in CHECKS[name] if dialect is TILE_IR else _checks(dialect, name):
        text = check(op)
        if text:
            return rule, text, rule.hint
    return None


@cache
def _checks(dialect: Dialect, mnemonic: str) -> tuple[tuple[Rule, Check], ...]:
    """Return the rules of an op: those of Tile IR, and the dialect's own."""
    own = [(of_dialect(check), check) for check in dialect.op_rules.get(mnemonic, ())]
    return (*CHECKS.get(mnemonic, ()), *own)
