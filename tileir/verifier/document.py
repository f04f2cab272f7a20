"""The text of RULES.md, which lists the rules for users; a test keeps the file up to date."""

from __future__ import annotations

from pathlib import Path

from . import module  # noqa: F401 - all rules are declared once it is imported
from .catalogue import RULES, Rule

PATH = Path(__file__).with_name("RULES.md")

HEAD = """\
# The rules that `tileir verify` knows

Errors are what NVIDIA's tools refuse; warnings (errors with `--strict`) what they accept and users
stumble over later. Made from the code by `python -m pytest --update tests/tileir/verifier`; change
the code instead.

| rule | severity | about | what |
|---|---|---|---|
"""

MANY = 4
"""Most ops of a rule that are listed by name; of further ones only the number is given."""


def document() -> str:
    """Return the text of RULES.md."""
    rows = sorted(RULES.values(), key=lambda rule: (rule.severity, rule.id))
    return HEAD + "".join(map(_row, rows))


def _row(rule: Rule) -> str:
    about = ", ".join(f"`{op}`" for op in rule.ops[:MANY])
    if len(rule.ops) > MANY:
        about += f" and {len(rule.ops) - MANY} more"
    text = rule.explanation.replace("|", "\\|")
    return f"| `{rule.id}` | {rule.severity} | {about or 'any'} | {text} |\n"
