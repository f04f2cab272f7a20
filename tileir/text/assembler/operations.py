"""The reader of ops by the assembly format of their row.

A format becomes a list of steps, once for each row. A step reads a piece of the text, and adds
values, attributes or stated types to the parsed op.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tileir.formats.ops.assembly import Group, Item, Literal, Slot, items_of, unmentioned
from tileir.formats.ops.spec import Attribute, Constraint, Operand
from tileir.formats.ops.spec import Row as Spec
from tileir.ir import Value
from tileir.ir.dialect import Dialect
from tileir.ir.slot_types import admits
from tileir.messages.wording import did_you_mean
from tileir.types import Type

from .diagnostics import Refused
from .grammar import Grammar
from .lexer import NAMES, phrase, shown
from .parsed import OpSyntax, ParsedOp, Step
from .scope import BodyScope
from .slots import attribute_step


def _implied(spec: Spec, stated: set[str]) -> tuple[tuple[str, str], ...]:
    """Pair operands without a stated type with a slot of the same type that has one."""
    implied = []
    for slot in spec.operands:
        for group in spec.same_type:
            others = [name for name in group if name in stated]
            if slot.name in group and slot.name not in stated and others:
                implied.append((slot.name, others[0]))
                break
    return tuple(implied)


def _typed(items: tuple[Item, ...]) -> list[str]:
    """Return the slots of which a format states the types."""
    names = []
    for item in items:
        if isinstance(item, Group):
            names += _typed(item.items)
        elif isinstance(item, Slot) and item.form not in ("", "symbol", "extents"):
            names.append(item.name)
    return names


@cache
def syntax_of(grammar: Grammar, mnemonic: str) -> OpSyntax:
    """Return the syntax of an op."""
    spec = grammar.dialect.rows[mnemonic]
    items = items_of(spec) if spec.format != "" else ()
    steps = _steps(spec, items, grammar)
    added = () if mnemonic in grammar.readers else unmentioned(spec)
    if added:
        steps.append(_braces(spec, added, grammar))
    return OpSyntax(
        spec,
        steps=tuple(steps),
        operands={s.name: () if s.arity == "many" else None for s in spec.operands},
        implied=_implied(spec, set(_typed(items))),
        extents=any(isinstance(i, Slot) and i.form == "extents" for i in items),
    )


def _braces(spec: Spec, added: tuple[str, ...], grammar: Grammar) -> Step:
    """Return the step that reads ``{vector = 8, whole}``: slots that the format does not mention,
    if any are there."""
    slots = {name: slot_of(spec, name) for name in added}
    steps = {
        name: _slot(spec, Slot(name), grammar)
        for name, slot in slots.items()
        if isinstance(slot, Operand) or slot.node is not None
    }

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        reader, seen = body.reader, set()
        if not reader.accept(phrase("{")):
            return
        while not reader.accept(phrase("}")):
            if seen:
                reader.expect(phrase(","))
            at = reader.at
            name = reader.word("an attribute")
            if name not in slots:
                text = f"{spec.mnemonic} has no {shown(name)} here{did_you_mean(name, slots)}"
                raise Refused(text, at, len(name))
            if name in seen:
                raise Refused(f"{name} is there twice", at, len(name))
            seen.add(name)
            if name in steps:
                reader.expect(phrase("="))
                steps[name](body, parsed)
            else:
                parsed.attributes[name], parsed.positions[name] = True, [at]

    return read


def _steps(spec: Spec, items: tuple[Item, ...], grammar: Grammar) -> list[Step]:
    steps: list[Step] = []
    words: dict[str, None] = {}
    for index, item in enumerate(items):
        if isinstance(item, Group) and _is_word(spec, item):
            words[item.anchor.name] = None
            continue
        if words:
            steps.append(_words(tuple(words)))
            words = {}
        if isinstance(item, Group):
            rivals = [
                other.anchor.name
                for other in items[index + 1 :]
                if isinstance(other, Group) and _rivals(spec, item, other)
            ]
            steps.append(_group(spec, item, rivals, grammar))
        elif isinstance(item, Slot):
            steps.append(_slot(spec, item, grammar))
        elif item.text.strip():
            steps.append(_literal(item.text))
    return steps


def _is_word(spec: Spec, group: Group) -> bool:
    """Whether a group is the name of a unit attribute and nothing else."""
    slot = slot_of(spec, group.anchor.name)
    rest = [item for item in group.items if isinstance(item, Literal) and item.text.strip()]
    return isinstance(slot, Attribute) and slot.node is None and not rest


def _words(names: tuple[str, ...]) -> Step:
    """Return the step that reads unit attributes in any order."""
    words = {name: phrase(name) for name in names}

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        again = True
        while again:
            again = False
            for name, word in words.items():
                at = body.reader.at
                if body.reader.accept(word):
                    if name in parsed.attributes:
                        raise body.reader.refused(f"{name} is there twice", at)
                    parsed.attributes[name], parsed.positions[name], again = True, [at], True

    return read


def _literal(text: str) -> Step:
    wanted = phrase(text.strip())
    return lambda body, parsed: body.reader.expect(wanted)


def _rivals(spec: Spec, group: Group, other: Group) -> bool:
    """Whether two optional groups begin alike, so that the type of the operand decides."""
    return (
        isinstance(slot_of(spec, group.anchor.name), Operand)
        and isinstance(group.items[0], Literal)
        and other.items[0] == group.items[0]
        and _is_bare(other.items[1])
        and _is_bare(group.items[1])
    )


def _is_bare(item: Item) -> bool:
    return isinstance(item, Slot) and item.form == ""


def slot_of(spec: Spec, name: str) -> Any:
    """Return the slot of an op by its name: an Operand, an Attribute or a Result."""
    return next(s for s in (*spec.operands, *spec.attributes, *spec.results) if s.name == name)


# Optional groups -------------------------------------------------------------------------------


def _group(spec: Spec, group: Group, rivals: list[str], grammar: Grammar) -> Step:
    steps = _steps(spec, group.items, grammar)
    present = _presence(spec, group)
    first, *others = (slot_of(spec, name) for name in (group.anchor.name, *rivals))

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        if present(body, parsed):
            for step in steps:
                step(body, parsed)

    def read_rival(body: BodyScope, parsed: ParsedOp) -> None:
        read(body, parsed)
        _move(parsed, first, others[0], grammar.dialect)

    return read_rival if others else read


def _move(parsed: ParsedOp, first: Operand, other: Operand, dialect: Dialect) -> None:
    """Move a value to the other slot if its type does not fit the first."""
    value = parsed.operands[first.name]
    if not isinstance(value, Value) or value.type is None:
        return
    if not admits(first.type, value.type, dialect):
        parsed.operands[first.name], parsed.operands[other.name] = None, value
        parsed.positions[other.name] = parsed.positions.pop(first.name)


def _presence(spec: Spec, group: Group) -> Callable[[BodyScope, ParsedOp], object]:
    """Return the test for a group: an operand that was read, or the next token."""
    anchor, name = slot_of(spec, group.anchor.name), group.anchor.name
    if group.anchor.form:
        return lambda body, parsed: parsed.operands[name]
    lead = group.items[0]
    if isinstance(lead, Literal) and lead.text.strip():
        begins = phrase(lead.text.strip())
        rival = isinstance(anchor, Operand) and anchor.arity != "many"
        if rival:
            return lambda body, parsed: not parsed.operands[name] and body.reader.sees(begins)
        return lambda body, parsed: body.reader.sees(begins)
    if isinstance(anchor, Operand):
        begins = _value_of_this_op if spec.terminator else _value_ahead
        return lambda body, parsed: begins(body)
    return lambda body, parsed: _word_ahead(body)


def _value_ahead(body: BodyScope) -> bool:
    """Whether a value is next."""
    return body.reader.text.startswith("%", body.reader.at)


def _value_of_this_op(body: BodyScope) -> bool:
    """Whether a value is next, and not the start of another op."""
    return _value_ahead(body) and not NAMES.match(body.reader.text, body.reader.at)


def _word_ahead(body: BodyScope) -> bool:
    """Whether a bare word is next."""
    char = body.reader.text[body.reader.at : body.reader.at + 1]
    return char.isalpha()


# Slots ----------------------------------------------------------------------------------------


def _slot(spec: Spec, item: Slot, grammar: Grammar) -> Step:
    slot, name = slot_of(spec, item.name), item.name
    if isinstance(slot, Attribute):
        return attribute_step(slot, item.form, grammar)
    many = slot.arity == "many"
    if item.form == "":
        return _values(name, spec.terminator) if many else _value(name)
    if item.form == "common":
        return _common(slot, name)
    if item.form == "first":
        return _first(name)
    if item.form == "extents":
        return _extents(name)
    if item.form == "signature":
        return _signature
    return _types(name) if many else _type(name)


def _value(name: str) -> Step:
    def read(body: BodyScope, parsed: ParsedOp) -> None:
        parsed.positions[name] = [body.reader.at]
        parsed.operands[name] = body.value()

    return read


def _values(name: str, last: bool) -> Step:
    """Return the step that reads any number of values.

    After a terminator (`last`), the names of another op's results may follow.
    """
    comma, begins = phrase(","), _value_of_this_op if last else _value_ahead

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        reader, values, positions = body.reader, [], []
        if begins(body):
            while not values or reader.accept(comma):
                positions.append(reader.at)
                values.append(body.value())
        parsed.operands[name], parsed.positions[name] = tuple(values), positions

    return read


def _type(name: str) -> Step:
    def read(body: BodyScope, parsed: ParsedOp) -> None:
        at = body.reader.at
        parsed.stated[name] = [(body.types.read(), at)]

    return read


def _types(name: str) -> Step:
    def read(body: BodyScope, parsed: ParsedOp) -> None:
        parsed.stated[name] = body.types.read_list()

    return read


def _common(slot: Operand, name: str) -> Step:
    """Return the step that reads one type for all values, or one for each."""
    comma = phrase(",")

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        reader, count = body.reader, len(parsed.operands[name])
        at = reader.at
        stated = [(body.types.read(), at)]
        back = reader.at
        while len(stated) < count and reader.accept(comma):
            at = reader.at
            stated.append((body.types.read(), at))
        if len(stated) > 1 and _other_kinds(slot.type, stated, body.source.dialect):
            reader.at, stated = back, stated[:1]
        parsed.stated[name] = stated * count if len(stated) == 1 else stated

    return read


def _other_kinds(
    constraint: Constraint, stated: list[tuple[Type | None, int]], dialect: Dialect
) -> bool:
    """Whether one of the types does not fit a slot with the constraint."""
    return any(type is not None and not admits(constraint, type, dialect) for type, _ in stated)


def _first(name: str) -> Step:
    """Return the step that reads one type for all results.

    Their number is that of the names, else the rank of the operand.
    """

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        at = body.reader.at
        stated = (body.types.read(), at)
        count = parsed.names
        if not count:
            (source,) = (value for value in parsed.operands.values() if isinstance(value, Value))
            shape = getattr(source.type, "tile", None) or getattr(source.type, "shape", ())
            count = len(shape)
        parsed.stated[name] = [stated] * count

    return read


def _extents(name: str) -> Step:
    """Return the step that reads sizes: numbers, and values for dynamic ones."""
    comma = phrase(",")

    def read(body: BodyScope, parsed: ParsedOp) -> None:
        reader, values, positions, sizes = body.reader, [], [], []
        while not reader.sees(phrase("]")):
            if sizes:
                reader.expect(comma)
            at = reader.at
            if reader.text.startswith("%", at):
                positions.append(at)
                values.append(body.value())
                sizes.append((None, at))
            else:
                sizes.append((reader.integer("a size", 0, 1 << 63), at))
        parsed.operands[name], parsed.positions[name] = tuple(values), positions
        parsed.stated[f"{name}:sizes"] = sizes

    return read


def _signature(body: BodyScope, parsed: ParsedOp) -> None:
    """Read the types of a make_tensor_view: ``[base,] [values] -> result``, or only the result."""
    stated = body.types.read_list()
    if body.reader.accept(phrase("->")):
        dynamic = [name for name in ("dynamicShape", "dynamicStrides") if parsed.operands[name]]
        if len(stated) > bool(dynamic):
            parsed.stated["base"] = stated[:1]
            stated = stated[1:]
        for name in dynamic:
            parsed.stated[name] = stated[:1] * len(parsed.operands[name])
        at = body.reader.at
        stated = [(body.types.read(), at)]
    parsed.stated["result"] = stated[:1]
