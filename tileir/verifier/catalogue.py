"""The catalogue of rules, and the ops that each of them is about.

A rule is a function with an id; its docstring is the explanation that users read. It checks one op,
and returns what is wrong in NVIDIA's words, or None. The rules of an op are checked in order, and
only the first problem is reported, so a rule may rely on those before it.
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

    id           its name in diagnostics, and for ``tileir verify --explain``
    severity     "error" if NVIDIA's tools refuse the file, "warning" if users fail later
    explanation  one paragraph: what is required, why, and what to do
    hint         what to do, in one line; "" if the message says it
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
"""Mnemonic -> the rules of that op alone, in the order in which they are checked."""

SUSPICIONS: dict[str, list[tuple[Rule, Check]]] = {op.mnemonic: [] for op in OPS}
"""Mnemonic -> the rules whose violation is a warning; each is checked."""


def declare(
    id: str, explanation: str, hint: str = "", severity: str = ERROR, ops: tuple[str, ...] = ()
) -> Rule:
    """Enter a rule into the catalogue; for one without a check function, callers do the check."""
    if id in RULES:
        raise ValueError(f"two rules are called {id}")
    RULES[id] = Rule(id, severity, " ".join(inspect.cleandoc(explanation).split()), hint, ops)
    return RULES[id]


def rule(
    id: str, *ops: str, having: str = "", hint: str = "", severity: str = ERROR
) -> Callable[[Check], Check]:
    """Enter a function as a rule about the named ops, and those `having` a certain attribute."""

    def enter(check: Check) -> Check:
        names = [*ops, *(op.mnemonic for op in OPS if having and _has(op, having))]
        entered = declare(id, check.__doc__ or "", hint, severity, tuple(names))
        for name in names:
            table = CHECKS if severity == ERROR else SUSPICIONS
            table[BY_NAME[name].mnemonic].append((entered, check))
        return check

    return enter


def of_dialect(check: Callable) -> Rule:
    """Return the rule that a function of another dialect is; the catalogue has Tile IR's only."""
    explanation = " ".join(inspect.cleandoc(check.__doc__ or "").split())
    return Rule(check.__name__.strip("_").replace("_", "-"), ERROR, explanation)


def suspicion(id: str, *ops: str, having: str = "", hint: str = "") -> Callable[[Check], Check]:
    """Enter a function as a rule whose violation is a warning."""
    return rule(id, *ops, having=having, hint=hint, severity=WARNING)


def _has(op: Row, attribute: str) -> bool:
    return op.in_body and any(slot.name == attribute for slot in op.attributes)
