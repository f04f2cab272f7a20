"""The check for malformed ops: edited in Python, they may lack what every decoded op has.

All other rules rely on well-formed ops, so this is checked first.
"""

from __future__ import annotations

from functools import cache
from types import UnionType

from tileir.formats.leaves import EnumValue
from tileir.formats.ops import BY_NAME
from tileir.ir import Op, Value

from .catalogue import declare
from .constraints import Problem

MALFORMED = declare(
    "malformed-op",
    "An op has, in every operand slot of its row, a value, or None where it is optional, or a "
    "tuple of values; a list of values as results; and every attribute, cases of enums by their "
    "names. Ops of a file always do; one that was edited in Python may not.",
)


@cache
def _slots(mnemonic: str) -> tuple[dict[str, str], frozenset[str], tuple[str, ...]]:
    """Return operand slots with their arity, and the names of all attributes and of enums."""
    row = BY_NAME[mnemonic]
    enums = tuple(slot.name for slot in row.attributes if isinstance(slot.node, EnumValue))
    names = frozenset(slot.name for slot in row.attributes)
    return {slot.name: slot.arity for slot in row.operands}, names, enums


def malformed(op: object) -> Problem | None:
    """Return what makes an object no well-formed op."""
    text = _problem(op)
    return (MALFORMED, text, "") if text else None


def _problem(op: object) -> str:
    if not isinstance(op, Op):
        return f"a {type(op).__name__} is no op"
    slots, names, enums = _slots(op.spec.mnemonic)
    operands, attributes = op.operands, op.attributes
    if not isinstance(operands, dict) or operands.keys() != slots.keys():
        return f"operands are a dictionary with {', '.join(slots) or 'nothing'}"
    for name, arity in slots.items():
        value = operands[name]
        if value.__class__ is Value or (value is None and arity == "optional"):
            if arity == "many":
                return f"operand {name} is a tuple of values"
        elif arity != "many" or not _values(value, tuple):
            return f"operand {name} is {'a tuple of values' if arity == 'many' else 'a value'}"
    if not isinstance(attributes, dict) or not names <= attributes.keys():
        return f"attributes are a dictionary with {', '.join(sorted(names))}"
    for name in enums:
        if not isinstance(attributes[name], str | None):
            return f"attribute {name} is the name of a case"
    return "" if _values(op.results, list | tuple) else "results are a list of values"


def _values(given: object, kind: type[tuple] | UnionType) -> bool:
    return (
        isinstance(given, list | tuple)
        and isinstance(given, kind)
        and all(isinstance(value, Value) for value in given)
    )
