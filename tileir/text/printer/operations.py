"""The text of ops, by the assembly format of their row.

A format becomes a list of functions, once for each row: each gives a piece of the text, from the op
and from the names and types of the function that it is in. Slots that a format does not mention, as
dialects add them to rows, stand in braces behind the op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from tileir.formats.nodes import Each
from tileir.formats.ops.assembly import (
    EXTENTS,
    Group,
    Item,
    Literal,
    Slot,
    items_of,
    unmentioned,
)
from tileir.formats.ops.spec import Attribute, Kind, Operand, Result
from tileir.formats.ops.spec import Row as Spec
from tileir.ir import Op, Value
from tileir.ir.dialect import Dialect

from . import values
from .text import KernelText

Piece = Callable[[Op, KernelText], str]


class Syntax(dict[str, tuple[Piece, ...]]):
    """Mnemonic of a dialect -> the functions for the text behind the mnemonic."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self.dialect = dialect

    def __missing__(self, mnemonic: str) -> tuple[Piece, ...]:
        spec = self.dialect.rows[mnemonic]
        pieces = [_piece(spec, item) for item in items_of(spec)]
        added = unmentioned(spec)
        if added:
            pieces.append(_braces(spec, added))
        self[mnemonic] = tuple(pieces)
        return self[mnemonic]


@cache
def pieces_of(dialect: Dialect) -> Syntax:
    """Return the syntax of a dialect."""
    return Syntax(dialect)


def _braces(spec: Spec, added: Sequence[str]) -> Piece:
    """Return the function for `` {vector = 8, whole}``, of the slots that are there."""
    parts = []
    for name in added:
        slot = _slot(spec, name)
        unit = isinstance(slot, Attribute) and slot.node is None
        label = "" if unit else f"{name} = "
        parts.append((_presence(spec, Slot(name)), label, _piece(spec, Slot(name))))

    def piece(op: Op, text: KernelText) -> str:
        inside = [label + piece(op, text) for present, label, piece in parts if present(op)]
        return f" {{{', '.join(inside)}}}" if inside else ""

    return piece


def _piece(spec: Spec, item: Item) -> Piece:
    if isinstance(item, Literal):
        return lambda op, text: item.text
    if isinstance(item, Group):
        return _group(spec, item)
    slot = _slot(spec, item.name)
    if isinstance(slot, Operand | Result):
        return _FORMS[item.form](item.name, _reader(spec, slot))
    if item.form == "symbol":
        return lambda op, text: values.symbol(op.attributes[item.name])
    if isinstance(slot.node, Kind):
        return lambda op, text: text.spelling.attribute(op, slot, op.attributes[item.name])
    spell = values.speller(slot)
    if slot.node in values.NESTED:
        return _reserved(item.name, spell)
    return lambda op, text: spell(op.attributes[item.name])


def _reserved(name: str, spell: Callable[[object], str]) -> Piece:
    def piece(op: Op, text: KernelText) -> str:
        text.reserve(op.attributes[name])
        return spell(op.attributes[name])

    return piece


def _slot(spec: Spec, name: str):
    slots = (*spec.operands, *spec.attributes, *spec.results)
    return next(slot for slot in slots if slot.name == name)


def _group(spec: Spec, group: Group) -> Piece:
    pieces = tuple(_piece(spec, item) for item in group.items)
    present = _presence(spec, group.anchor)

    def piece(op: Op, text: KernelText) -> str:
        return "".join([piece(op, text) for piece in pieces]) if present(op) else ""

    return piece


def _presence(spec: Spec, anchor: Slot) -> Callable[[Op], object]:
    slot, name = _slot(spec, anchor.name), anchor.name
    if isinstance(slot, Operand):
        return lambda op: op.operands[name]
    default = slot.default if isinstance(slot, Attribute) else None
    if isinstance(default, Each):
        return lambda op: any(value != default.value for value in op.attributes[name])
    return lambda op: op.attributes[name] not in (None, default)


Reader = Callable[[Op], tuple[Value, ...]]


def _reader(spec: Spec, slot: Operand | Result) -> Reader:
    """Return a function that gives the values in a slot of an op."""
    if isinstance(slot, Result):
        index = spec.results.index(slot)
        if slot.arity == "many":
            return lambda op: tuple(op.results)
        return lambda op: tuple(op.results[index : index + 1])
    name = slot.name
    if slot.arity == "many":
        return lambda op: op.operands[name]
    return lambda op: (op.operands[name],)


def _names(name: str, read: Reader) -> Piece:
    def piece(op: Op, text: KernelText) -> str:
        known = text.names.value
        return ", ".join([known[value] for value in read(op)])

    return piece


def _types(name: str, read: Reader) -> Piece:
    def piece(op: Op, text: KernelText) -> str:
        return ", ".join([text.type(value) for value in read(op)]) or "token"

    return piece


def _common_type(name: str, read: Reader) -> Piece:
    def piece(op: Op, text: KernelText) -> str:
        types = [text.type(value) for value in read(op)]
        return types[0] if len(set(types)) == 1 else ", ".join(types)

    return piece


def _first_type(name: str, read: Reader) -> Piece:
    return lambda op, text: "".join([text.type(value) for value in read(op)[:1]])


def _extents(name: str, read: Reader) -> Piece:
    static = EXTENTS[name]

    def piece(op: Op, text: KernelText) -> str:
        known, dynamic = text.names.value, iter(read(op))
        sizes = getattr(op.result.type, static)
        if sizes.count(None) != len(op.operands[name]):
            raise LookupError(f"{name} and the dynamic sizes are not equally many")
        return ", ".join([known[next(dynamic)] if s is None else str(s) for s in sizes])

    return piece


def _signature(name: str, read: Reader) -> Piece:
    def piece(op: Op, text: KernelText) -> str:
        base, result = op.operands["base"], text.type(op.result)
        dynamic = (*op.operands["dynamicShape"], *op.operands["dynamicStrides"])
        stated = [base] if base.type.element.attribute else []
        types = ", ".join([text.type(value) for value in (*stated, *dynamic[:1])])
        return f"{types} -> {result}" if types else result

    return piece


_FORMS = {
    "": _names,
    "type": _types,
    "common": _common_type,
    "first": _first_type,
    "extents": _extents,
    "signature": _signature,
}
