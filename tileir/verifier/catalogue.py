"""The catalogue of rules, and which ops each of them is about.

A rule is a function with an id; its docstring is the explanation that users read. It looks at one
op and says what is wrong in NVIDIA's words, or returns None. What an earlier rule of the same op
has found, a later one need not fear: only the first is reported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Op as Row
from tileir.ir import Op

Check = Callable[[Op], str | None]

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    id           what diagnostics name it by, and ``tileir verify --explain``
    severity     "error" where NVIDIA's tools refuse the file, "warning" where users fail later
    explanation  one paragraph: what is asked for, why, what to do
    hint         what to do, in one line; "" where the message says it
    ops          mnemonics of the ops it is about; () for any op, or the module
    """

    id: str
    severity: str
    explanation: str
    hint: str = ""
    ops: tuple[str, ...] = ()


RULES: dict[str, Rule] = {}
"""Rule id -> rule, in the order of definition."""

CHECKS: dict[str, list[tuple[Rule, Check]]] = {op.mnemonic: [] for op in OPS}
"""Mnemonic -> errors that are particular to the op, in the order they are asked for."""

SUSPICIONS: dict[str, list[tuple[Rule, Check]]] = {op.mnemonic: [] for op in OPS}
"""Mnemonic -> warnings about the op, each of which may be given."""


def declare(
    id: str, explanation: str, hint: str = "", severity: str = ERROR, ops: tuple[str, ...] = ()
) -> Rule:
    """Enter a rule that is not about one op alone; its author asks for it where it belongs."""
    if id in RULES:
        raise ValueError(f"two rules are called {id}")
    RULES[id] = Rule(id, severity, " ".join(inspect.cleandoc(explanation).split()), hint, ops)
    return RULES[id]


def rule(
    id: str, *ops: str, having: str = "", hint: str = "", severity: str = ERROR
) -> Callable[[Check], Check]:
    """Enter a function as a rule about the ops named, or all `having` an attribute of that name."""

    def enter(check: Check) -> Check:
        names = [*ops, *(op.mnemonic for op in OPS if having and _has(op, having))]
        entered = declare(id, check.__doc__ or "", hint, severity, tuple(names))
        for name in names:
            table = CHECKS if severity == ERROR else SUSPICIONS
            table[BY_NAME[name].mnemonic].append((entered, check))
        return check

    return enter


def suspicion(id: str, *ops: str, having: str = "", hint: str = "") -> Callable[[Check], Check]:
    """Enter a function as a rule whose breach is a warning."""
    return rule(id, *ops, having=having, hint=hint, severity=WARNING)


def _has(op: Row, attribute: str) -> bool:
    return op.in_body and any(slot.name == attribute for slot in op.attributes)
