"""Attribute slots of ops: the syntax of a value follows from its type in the file."""

from __future__ import annotations

from collections.abc import Callable

from tileir.formats.attributes import (
    ATTRIBUTE,
    BOOL_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.leaves import EnumValue, VarInt
from tileir.formats.ops.spec import Attribute, Kind

from .grammar import Grammar
from .lexer import Reader, phrase
from .literals.dense import typed_elements
from .literals.types import case_of
from .parsed import ParsedOp, Step
from .scope import BodyScope

LOWEST, BEYOND = INT_LIST.subcon.refused
"""The exclusive bounds of the integers in a list, which have 32 bits."""


def attribute_step(slot: Attribute, form: str, grammar: Grammar) -> Step:
    """Return the step that reads an attribute slot of an op."""
    kind = slot.node
    read_value = grammar.attributes[kind] if isinstance(kind, Kind) else _reader(slot, form)
    name = slot.name

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        parsed.positions[name] = [body.reader.at]
        parsed.attributes[name] = read_value(body)

    return _elements if slot.node is CONSTANT_INDEX else read


def _elements(body: BodyScope, parsed: ParsedOp) -> None:
    """Read ``<f32: 1.0>``; with the type of the result, it becomes a constant later."""
    parsed.positions["value"] = [body.reader.at]
    parsed.attributes["value"] = typed_elements(body.reader, body.types)


def _reader(slot: Attribute, form: str) -> Callable[[BodyScope], object]:
    """Return the function that reads the value of an attribute slot."""
    node = slot.node
    if isinstance(node, EnumValue):
        return lambda body: case_of(body.reader, node.enum, slot.allowed)
    if node is STRING_INDEX:
        return lambda body: body.reader.symbol() if form == "symbol" else body.reader.string()
    if isinstance(node, VarInt):
        return lambda body: body.reader.integer("a number", 0, 1 << 64)
    if node is INT_LIST:
        return lambda body: _integers(body.reader)
    if node is BOOL_LIST:
        return lambda body: _truths(body.reader)
    if node is DICTIONARY:
        return lambda body: body.attributes.hints()
    if node is ATTRIBUTE:
        return lambda body: body.attributes.predicate()
    if node is CONSTANT_INDEX:
        return lambda body: None
    raise AssertionError(node)


def _integers(reader: Reader) -> tuple[int, ...]:
    reader.expect(phrase("["))
    return reader.integers("an integer", LOWEST + 1, BEYOND)


def _truths(reader: Reader) -> tuple[bool, ...]:
    values: list[bool] = []
    reader.expect(phrase("["))
    while not reader.accept(phrase("]")):
        if values:
            reader.expect(phrase(","))
        values.append(truth(reader))
    return tuple(values)


def truth(reader: Reader) -> bool:
    """Read ``true`` or ``false``."""
    if reader.accept(phrase("true")):
        return True
    if not reader.accept(phrase("false")):
        raise reader.expected("'true' or 'false'")
    return False
