"""Rules of the verifier and of ``advise``, in the words that ``--explain`` prints."""

from __future__ import annotations

from tileir.codegen.advise.rule import SURE
from tileir.codegen.advise.rules import RULES as ADVISE_RULES
from tileir.verifier import document
from tileir.verifier.catalogue import ERROR, RULES

from .markdown import op_link, prose, table


def verify_rules(severity: str) -> str:
    """Return a section for each rule of a severity: ``error`` or ``warning``."""
    assert document.PATH  # importing it declares all rules
    chosen = [each for each in RULES.values() if (each.severity == ERROR) == (severity == ERROR)]
    return "\n".join(map(_verify_rule, sorted(chosen, key=lambda each: each.id)))


def _verify_rule(rule) -> str:
    about = ", ".join(map(op_link, rule.ops))
    hint = f"\nWhat to do: {prose(rule.hint)}" if rule.hint else ""
    text = f"(rule-{rule.id})=\n### {rule.id}\n\n{prose(rule.explanation)}{hint}"
    return f"{text}\nAbout: {about or 'any op, or the module'}.\n"


def advise_rules() -> str:
    """Return how sure findings are, and a section for each rule of ``advise``."""
    parts = [table(("sure", "what that means"), SURE.items())]
    for rule in ADVISE_RULES.values():
        parts.append(f"(advise-{rule.id})=\n## {rule.id}\n\n{rule.title.capitalize()}.\n")
        parts.append(prose(rule.explanation))
        parts.append(f"What to do: {prose(rule.fix)}\nHow sure: {rule.sure}.\n")
    return "\n".join(parts)
