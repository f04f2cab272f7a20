"""Canonicalise a body: one walk, in which every op sees operands that are canonical already.

A value is defined before its uses, and each use comes later in pre-order. So what a result is
replaced by is looked up when its uses are reached, and nothing is looked at twice but an op that a
rule has edited.
"""

from __future__ import annotations

from collections import Counter

from tileir.ir import Body, Op, Value
from tileir.ir.constants import Constant

from .branches import known_results
from .rule import EDITED, Outcome, new_constant
from .rules import BY_OP

MOST_EDITS = 16
"""How often rules may edit one op in a row; no chain of rules is as long."""
REGIONS = "known-regions"
"""The name under which what `branches` does is counted."""


def canonicalise(body: Body) -> Counter[str]:
    """Bring the ops of a body into canonical form, in place; return how often each rule applied.

    What an op is replaced by does not use it, so it is erased. Other ops that nothing uses any more
    stay, for dead code elimination.
    """
    walk = _Canonicalising()
    for op in list(body.walk()):
        walk.visit(op)
    walk.erase()
    return walk.applied


class _Canonicalising:
    """One walk over a body: values that others have replaced, and ops that are to be erased."""

    def __init__(self) -> None:
        self.applied: Counter[str] = Counter()
        self._replaced: dict[Value, Value] = {}
        self._gone: list[Op] = []
        self._unreached: set[Op] = set()

    def visit(self, op: Op) -> None:
        if op in self._unreached:
            return
        self._use_others(op)
        if op.name in ("if", "for"):
            self._visit_regions(op)
            return
        for _ in range(MOST_EDITS):
            outcome = self._applied(op)
            if outcome is EDITED:
                continue
            if isinstance(outcome, Constant):
                made = new_constant(op, outcome)
                made.insert_before(op)
                outcome = made.result
            if isinstance(outcome, Value):
                self._replaced[op.result] = outcome
                self._gone.append(op)
            return

    def erase(self) -> None:
        """Erase what has been replaced; the last ones first, which use those before them."""
        for op in reversed(self._gone):
            op.erase()

    def _applied(self, op: Op) -> Outcome:
        for rule in BY_OP.get(op.name, ()):
            outcome = rule.apply(op)
            if outcome is not None:
                self.applied[rule.name] += 1
                return outcome
        return None

    def _visit_regions(self, op: Op) -> None:
        known = known_results(op)
        if known is None:
            return
        self.applied[REGIONS] += 1
        self._replaced.update(zip(op.results, known, strict=True))
        self._gone.append(op)
        self._unreached.update(op.walk())
        op.regions = []  # which use values that may be replaced later

    def _use_others(self, op: Op) -> None:
        """Replace operands; a slot is set once, as it may have thousands of values."""
        if not self._replaced:
            return
        for slot, operand in list(op.operands.items()):
            if isinstance(operand, tuple):
                if not self._replaced.keys().isdisjoint(operand):
                    op.operands[slot] = tuple(map(self._latest, operand))
            elif operand in self._replaced:
                op.operands[slot] = self._latest(operand)

    def _latest(self, value: Value) -> Value:
        """Return what a value has been replaced by, in the end."""
        passed = []
        while value in self._replaced:
            passed.append(value)
            value = self._replaced[value]
        for each in passed:
            self._replaced[each] = value
        return value
