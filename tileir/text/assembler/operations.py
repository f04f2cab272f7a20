"""Ops by the assembly format of their row.

A format becomes a list of steps, once for each op. A step takes a piece of the text and notes in
the parsed op what it says: values, attributes, or types that are stated of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tileir.formats.ops import BY_NAME
from tileir.formats.ops.assembly import Group, Item, Literal, Slot, items_of
from tileir.formats.ops.spec import Attribute, Operand, TileOf
from tileir.formats.ops.spec import Op as Spec
from tileir.ir import Value
from tileir.ir.slot_types import admits
from tileir.types import Type

from .lexer import NAMES, phrase
from .parsed import OpSyntax, ParsedOp, Step
from .scope import BodyScope
from .slots import attribute_step


def _implied(spec: Spec, stated: set[str]) -> tuple[tuple[str, str], ...]:
    found = []
    for slot in spec.operands:
        for group in spec.same_type:
            others = [name for name in group if name in stated]
            if slot.name in group and slot.name not in stated and others:
                found.append((slot.name, others[0]))
                break
    return tuple(found)


def _typed(items: tuple[Item, ...]) -> list[str]:
    """The slots of which a format states the types."""
    found = []
    for item in items:
        if isinstance(item, Group):
            found += _typed(item.items)
        elif isinstance(item, Slot) and item.form not in ("", "symbol", "extents"):
            found.append(item.name)
    return found


@cache
def syntax_of(mnemonic: str) -> OpSyntax:
    """How an op is read."""
    spec = BY_NAME[mnemonic]
    items = items_of(spec) if spec.format != "" else ()
    return OpSyntax(
        spec,
        steps=tuple(_steps(spec, items)),
        operands={s.name: () if s.arity == "many" else None for s in spec.operands},
        implied=_implied(spec, set(_typed(items))),
        extents=any(isinstance(i, Slot) and i.form == "extents" for i in items),
    )


def _steps(spec: Spec, items: tuple[Item, ...]) -> list[Step]:
    steps: list[Step] = []
    words: dict[str, None] = {}
    for place, item in enumerate(items):
        unit = isinstance(item, Group) and _is_word(spec, item)
        if unit:
            words[item.anchor.name] = None
            continue
        if words:
            steps.append(_words(tuple(words)))
            words = {}
        if isinstance(item, Group):
            rivals = [
                other.anchor.name for other in items[place + 1 :] if _rivals(spec, item, other)
            ]
            steps.append(_group(spec, item, rivals))
        elif isinstance(item, Slot):
            steps.append(_slot(spec, item))
        elif item.text.strip():
            steps.append(_literal(item.text))
    return steps


def _is_word(spec: Spec, group: Group) -> bool:
    """Whether the part is the name of a unit attribute and nothing else."""
    slot = slot_of(spec, group.anchor.name)
    rest = [item for item in group.items if isinstance(item, Literal) and item.text.strip()]
    return isinstance(slot, Attribute) and slot.node is None and not rest


def _words(names: tuple[str, ...]) -> Step:
    """Unit attributes in any order."""
    words = {name: phrase(name) for name in names}

    def read(body: BodyScope, draft: ParsedOp) -> None:
        found = True
        while found:
            found = False
            for name, word in words.items():
                at = body.reader.at
                if body.reader.accept(word):
                    if name in draft.attributes:
                        raise body.reader.refused(f"{name} is there twice", at)
                    draft.attributes[name], draft.places[name], found = True, [at], True

    return read


def _literal(text: str) -> Step:
    wanted = phrase(text.strip())
    return lambda body, draft: body.reader.expect(wanted)


def _rivals(spec: Spec, group: Group, other: Item) -> bool:
    """Whether two parts that can be left out begin alike, so that what follows decides."""
    return (
        isinstance(other, Group)
        and isinstance(slot_of(spec, group.anchor.name), Operand)
        and isinstance(group.items[0], Literal)
        and other.items[0] == group.items[0]
        and isinstance(other.items[1], Slot)
        and other.items[1].form == group.items[1].form == ""
    )


def slot_of(spec: Spec, name: str):
    """The slot of an op by its name."""
    return next(s for s in (*spec.operands, *spec.attributes, *spec.results) if s.name == name)


# Parts that can be left out -------------------------------------------------------------------


def _group(spec: Spec, group: Group, rivals: list[str]) -> Step:
    steps = _steps(spec, group.items)
    present = _presence(spec, group)
    first, *others = (slot_of(spec, name) for name in (group.anchor.name, *rivals))

    def read(body: BodyScope, draft: ParsedOp) -> None:
        if present(body, draft):
            for step in steps:
                step(body, draft)

    def read_rival(body: BodyScope, draft: ParsedOp) -> None:
        read(body, draft)
        _move(draft, first, others[0])

    return read_rival if others else read


def _move(draft: ParsedOp, first: Operand, other: Operand) -> None:
    """A value that cannot be what it was taken for is what can stand there besides."""
    value = draft.operands[first.name]
    if isinstance(value, Value) and value.type is not None and not admits(first.type, value.type):
        draft.operands[first.name], draft.operands[other.name] = None, value
        draft.places[other.name] = draft.places.pop(first.name)


def _presence(spec: Spec, group: Group) -> Callable[[BodyScope, ParsedOp], object]:
    """What tells whether the part is there: an operand that was read, or the next token."""
    anchor, name = slot_of(spec, group.anchor.name), group.anchor.name
    if group.anchor.form:
        return lambda body, draft: draft.operands[name]
    lead = group.items[0]
    if isinstance(lead, Literal) and lead.text.strip():
        begins = phrase(lead.text.strip())
        rival = isinstance(anchor, Operand) and anchor.arity != "many"
        if rival:
            return lambda body, draft: not draft.operands[name] and body.reader.sees(begins)
        return lambda body, draft: body.reader.sees(begins)
    if isinstance(anchor, Operand):
        begins = _value_of_its_own if spec.terminator else _value_ahead
        return lambda body, draft: begins(body)
    return lambda body, draft: _word_ahead(body)


def _value_ahead(body: BodyScope) -> bool:
    """Whether a value is next."""
    return body.reader.text.startswith("%", body.reader.at)


def _value_of_its_own(body: BodyScope) -> bool:
    """Whether a value is next, and not the start of another op."""
    return _value_ahead(body) and not NAMES.match(body.reader.text, body.reader.at)


def _word_ahead(body: BodyScope) -> bool:
    """Whether a bare word is next."""
    char = body.reader.text[body.reader.at : body.reader.at + 1]
    return char.isalpha()


# Slots ----------------------------------------------------------------------------------------


def _slot(spec: Spec, item: Slot) -> Step:
    slot, name = slot_of(spec, item.name), item.name
    if isinstance(slot, Attribute):
        return attribute_step(slot, item.form)
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
    def read(body: BodyScope, draft: ParsedOp) -> None:
        draft.places[name] = [body.reader.at]
        draft.operands[name] = body.value()

    return read


def _values(name: str, last: bool) -> Step:
    """Any number of values; behind an op that is the `last` one there can be names of results."""
    comma, begins = phrase(","), _value_of_its_own if last else _value_ahead

    def read(body: BodyScope, draft: ParsedOp) -> None:
        reader, found, places = body.reader, [], []
        if begins(body):
            while not found or reader.accept(comma):
                places.append(reader.at)
                found.append(body.value())
        draft.operands[name], draft.places[name] = tuple(found), places

    return read


def _type(name: str) -> Step:
    def read(body: BodyScope, draft: ParsedOp) -> None:
        at = body.reader.at
        draft.stated[name] = [(body.types.read(), at)]

    return read


def _types(name: str) -> Step:
    def read(body: BodyScope, draft: ParsedOp) -> None:
        draft.stated[name] = body.types.read_list()

    return read


def _common(slot: Operand, name: str) -> Step:
    """One type for all values, or one for each."""
    comma = phrase(",")

    def read(body: BodyScope, draft: ParsedOp) -> None:
        reader, count = body.reader, len(draft.operands[name])
        at = reader.at
        stated = [(body.types.read(), at)]
        back = reader.at
        while len(stated) < count and reader.accept(comma):
            at = reader.at
            stated.append((body.types.read(), at))
        if len(stated) > 1 and _other_kinds(slot.type, stated):
            reader.at, stated = back, stated[:1]
        draft.stated[name] = stated * count if len(stated) == 1 else stated

    return read


def _other_kinds(constraint: TileOf, stated: list[tuple[Type | None, int]]) -> bool:
    """Whether one of the types cannot be meant for a slot with the constraint."""
    return any(type is not None and not admits(constraint, type) for type, _ in stated)


def _first(name: str) -> Step:
    """One type for all results; how many there are, their names say, or the op that is asked."""

    def read(body: BodyScope, draft: ParsedOp) -> None:
        at = body.reader.at
        stated = (body.types.read(), at)
        count = draft.names
        if not count:
            (source,) = (value for value in draft.operands.values() if isinstance(value, Value))
            shape = getattr(source.type, "tile", None) or getattr(source.type, "shape", ())
            count = len(shape)
        draft.stated[name] = [stated] * count

    return read


def _extents(name: str) -> Step:
    """Sizes: numbers, and values for those that are not known before."""
    comma = phrase(",")

    def read(body: BodyScope, draft: ParsedOp) -> None:
        reader, values, places, sizes = body.reader, [], [], []
        while not reader.sees(phrase("]")):
            if sizes:
                reader.expect(comma)
            at = reader.at
            if reader.text.startswith("%", at):
                places.append(at)
                values.append(body.value())
                sizes.append((None, at))
            else:
                sizes.append((reader.integer("a size", 0, 1 << 63), at))
        draft.operands[name], draft.places[name] = tuple(values), places
        draft.stated[f"{name}:sizes"] = sizes

    return read


def _signature(body: BodyScope, draft: ParsedOp) -> None:
    """The types of a make_tensor_view: ``[base,] [values] -> result``, or the result alone."""
    stated = body.types.read_list()
    if body.reader.accept(phrase("->")):
        dynamic = [name for name in ("dynamicShape", "dynamicStrides") if draft.operands[name]]
        if len(stated) > bool(dynamic):
            draft.stated["base"] = stated[:1]
            stated = stated[1:]
        for name in dynamic:
            draft.stated[name] = stated[:1] * len(draft.operands[name])
        at = body.reader.at
        stated = [(body.types.read(), at)]
    draft.stated["result"] = stated[:1]
