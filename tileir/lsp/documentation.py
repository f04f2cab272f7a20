"""What the tables say of ops, types and words, as Markdown for people who point at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tileir.formats.ops import BY_NAME
from tileir.formats.ops.assembly import Group, Item, Literal, items_of
from tileir.formats.ops.spec import Attribute, Op
from tileir.formats.types import TYPE
from tileir.formats.version import V13_1

_ARITY = {"one": "", "optional": ", optional", "many": ", any number"}

OPS = {name: op for op in BY_NAME.values() for name in (op.mnemonic, *op.aliases)}
"""Every op by its present and its former names."""

TYPES = {record.name: record for record in TYPE.arms.values()}


def syntax(op: Op) -> str:
    """Return how an op is written: ``%operand``, ``{attribute}``, ``(optional)?``."""
    values = {slot.name for slot in (*op.operands, *op.results)}

    def spelled(items: Iterable[Item]) -> str:
        text = ""
        for item in items:
            if isinstance(item, Literal):
                text += item.text
            elif isinstance(item, Group):
                text += f"({spelled(item.items)})?"
            elif item.form in ("type", "common", "first", "signature"):
                text += f"type({item.name})"
            else:
                text += f"%{item.name}" if item.name in values else f"{{{item.name}}}"
        return text

    results = ", ".join(f"%{slot.name}" for slot in op.results)
    format = "" if op.regions else spelled(items_of(op))
    return f"{f'{results} = ' if results else ''}{op.mnemonic}{format}"


def op_page(op: Op) -> str:
    """Return what the table says of an op."""
    return "\n".join(_op_lines(op))


def _op_lines(op: Op) -> Iterator[str]:
    yield f"```tileir\n{syntax(op)}\n```"
    yield f"{op.doc}\n"
    for slot in op.operands:
        kind = str(slot.type) or "any type"
        yield f"- `%{slot.name}`: {kind}{_ARITY[slot.arity]}. {slot.doc}"
    for each in op.attributes:
        yield f"- `{each.name}`: {each.doc}{_cases(each)}"
    for region in op.regions:
        yield f"- region `{region.name}`: {region.doc}"
    for slot in op.results:
        yield f"- gives `%{slot.name}`: {str(slot.type) or 'any type'}. {slot.doc}".rstrip()
    if op.since != V13_1:
        yield f"\nSince {op.since}."


def _cases(slot: Attribute) -> str:
    return f" One of `{'`, `'.join(slot.cases)}`." if slot.cases else ""


def attribute_page(op: Op, word: str) -> str | None:
    """Return what an attribute of an op is about, by its name or one of its cases."""
    for slot in op.attributes:
        if word == slot.name or word in slot.cases:
            return f"`{slot.name}` of `{op.mnemonic}`: {slot.doc}{_cases(slot)}"
    return None


def type_page(name: str) -> str | None:
    """Return what a type is, by its name in the text."""
    record = TYPES.get(name)
    if record is None:
        return None
    since = "" if record.since == V13_1 else f" Since {record.since}."
    return f"`{name}`: {record.doc}{since}"
