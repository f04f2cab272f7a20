"""Assembly formats: the syntax of an op's row, for the printer and the assembler alike.

A format is the text after the mnemonic. ``{slot}`` is the slot's value, ``{slot:form}`` something
else about it (`FORMS`), ``[...]`` a group that is left out if the first slot in it is absent or has
its default; everything else is literal. ``{{``, ``}}``, ``[[`` and ``]]`` are the characters
themselves. Blanks count when printing: NVIDIA's disassembler writes two in a row where a group is
left out.

Most rows need no format of their own: `default_format` makes it from their slots.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .spec import Row

FORMS = {
    "": "values of operands, or the attribute",
    "type": "the types, one for each value",
    "common": "the types, a single one if all are equal",
    "first": "the type of the first value only",
    "symbol": "a string as the name of a symbol",
    "extents": "static sizes from the result type, and a value for each dynamic one",
    "signature": "the types of a make_tensor_view that its other parts leave open",
}

SPELLED = {
    "dim": " dim = {dim}",
    "flush_to_zero": "[ {flush_to_zero}]",
    "overflow": "[ overflow<{overflow}>]",
    "permutation": " {permutation}",
    "rounding": "[ rounding<{rounding}>]",
    "rounding_mode": " [rounding<{rounding_mode}>]",
    "saturating": "[ {saturating}]",
    "signedness": " {signedness}",
}
"""Attributes that are spelled the same after the operands of every op without a format."""

EXTENTS = {"dynamicShape": "shape", "dynamicStrides": "strides"}
"""Slot with the values of dynamic sizes -> the field of the type that has the sizes."""

IMPLIED = {"entry": "return", "for": "continue", "if": "yield", "loop": "continue"}
"""Mnemonic -> the terminator that may be left out of its regions if it has no operands. The
disassembler leaves it out, except that of an entry."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot, in one of the `FORMS`."""

    name: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """An optional part; `anchor` is the slot that decides."""

    items: tuple[Item, ...]

    @property
    def anchor(self) -> Slot:
        return next(item for item in self.items if isinstance(item, Slot))


Item = Literal | Slot | Group


def enum_word(name: str) -> str:
    """Return the name of an enum in a generic attribute: ``multimem_reduction_kind``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


TOKEN = re.compile(r"(\[\[|\]\]|\{\{|\}\})|\{(\w+)(?::(\w+))?\}|([\[\]])|([^\[\]{}]+)")


@cache
def items_of(op: Row) -> tuple[Item, ...]:
    """Return the items of an op's format."""
    return _parse(op, format_of(op))


def unmentioned(op: Row) -> tuple[str, ...]:
    """Return the operands and attributes that the format of an op leaves out."""
    mentioned: set[str] = set()
    waiting = list(items_of(op))
    for item in waiting:
        if isinstance(item, Slot):
            mentioned.add(item.name)
        elif isinstance(item, Group):
            waiting += item.items
    slots = (*op.operands, *op.attributes)
    return tuple(slot.name for slot in slots if slot.name not in mentioned)


def format_of(op: Row) -> str:
    """Return the format, with the blank after the mnemonic; "" for ops with regions."""
    spelling = default_format(op) if op.format is None else op.format
    return spelling if spelling[:1] in ("", "[") else f" {spelling}"


def _parse(op: Row, spelling: str) -> tuple[Item, ...]:
    names = {slot.name for slot in (*op.operands, *op.attributes, *op.results)}
    stack: list[list[Item]] = [[]]
    end = 0
    for match in TOKEN.finditer(spelling):
        doubled, name, form, bracket, text = match.groups()
        if match.start() != end or (name and (name not in names or (form or "") not in FORMS)):
            raise ValueError(f"{op.mnemonic}: bad format at {spelling[end:]!r}")
        end = match.end()
        if name:
            stack[-1].append(Slot(name, form or ""))
        elif bracket == "[":
            stack.append([])
        elif bracket == "]":
            group = Group(tuple(stack.pop()))
            stack[-1].append(group)
        elif stack[-1] and isinstance(stack[-1][-1], Literal):
            stack[-1][-1] = Literal(stack[-1][-1].text + (text or doubled[0]))
        else:
            stack[-1].append(Literal(text or doubled[0]))
    if len(stack) != 1 or end != len(spelling):
        raise ValueError(f"{op.mnemonic}: the format {spelling!r} does not end well")
    return tuple(stack[0])


def default_format(op: Row) -> str:
    """Return operands, attributes, then one type if all must be equal, otherwise a signature."""
    operands = ", ".join(f"{{{slot.name}}}" for slot in op.operands)
    attributes = "".join(SPELLED[slot.name] for slot in op.attributes)
    results = ", ".join(f"{{{slot.name}:type}}" for slot in op.results)
    values = {slot.name for slot in (*op.operands, *op.results)}
    if not op.operands or any(values <= set(group) for group in op.same_type):
        return f"{operands}{attributes} : {results}".lstrip()
    types = ", ".join(f"{{{slot.name}:type}}" for slot in op.operands)
    return f"{operands}{attributes} : {types} -> {results}"
