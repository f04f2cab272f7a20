"""From what was read of an op to the op: types that are stated, results, the rules of its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.constants import Constant
from tileir.inference import follows
from tileir.ir import Op, Value
from tileir.structure import operand_slots, problems
from tileir.types import Tile, Type
from tileir.wording import counted, in_words

from .dense import constant_of
from .lexer import VALUE, shown

if TYPE_CHECKING:
    from .body import BodyReader
    from .operations import Draft

EXTENTS = {"dynamicShape": "shape", "dynamicStrides": "strides"}
"""Slots for values of sizes that a type leaves open -> where the type has those sizes."""


def finished(body: BodyReader, draft: Draft) -> tuple[Op, list[Value]]:
    """The op of a draft, and the results that its row has but the version does not."""
    spec, before = draft.spec, len(body.report)
    draft.fill()
    unknown = _check_stated(body, draft)
    if "value" in draft.attributes and isinstance(draft.attributes["value"], tuple):
        unknown |= not _make_constant(body, draft)
    op = Op(spec, draft.operands, draft.attributes, position=-1)
    types = _result_types(draft, op, unknown)
    op.results = [Value(type, op, index, 0) for index, type in enumerate(types)]
    if None in types:
        unknown = True
    if not unknown and len(body.report) == before:
        _check_rules(body, draft, op, types)
        if draft.plan.extents and len(body.report) == before:
            _check_extents(body, draft, op)
        body.gate.op(op, draft.places, draft.at)
    lost = []
    if not body.gate.open:
        for slot in spec.results:
            if slot.since > body.gate.version >= spec.since:
                lost.append(op.results.pop())
    return op, lost


def _check_rules(body: BodyReader, draft: Draft, op: Op, types: list[Type | None]) -> None:
    """Ask for what the op's row says. Ops that look alike to it are asked about once."""
    attributes = draft.attributes
    seen = [op.name, *[attributes[name] for name in draft.plan.checked]]
    for value in draft.operands.values():
        if isinstance(value, tuple):
            seen.append(len(value))
            types += [one.type for one in value]
        else:
            types.append(None if value is None else value.type)
    key = (*seen, *map(id, types))
    if key in body.source.alike:
        return
    found = problems(op, regions=False)
    for text in found[:1]:
        body.report.add(f"{op.name}: {text}", *_place(body, draft, text))
    if not found:
        body.source.alike[key] = types


def _check_stated(body: BodyReader, draft: Draft) -> bool:
    """Compare types that are stated of operands with theirs; returns whether one is unknown."""
    operands, stated, unknown = draft.operands, draft.stated, False
    for name, value in operands.items():
        if value is None:
            continue
        values = (value,) if isinstance(value, Value) else value
        for one in values:
            if one.type is None:
                unknown = True
        types = stated.get(name)
        if types is None:
            continue
        if len(types) != len(values):
            given = f"{counted(len(types), 'type')} stated of {in_words(name)}"
            text = f"{given}, which has {counted(len(values), 'value')}"
            body.report.add(text, types[0][1])
            continue
        for place, one in enumerate(values):
            type = types[place][0]
            if one.type is not type and one.type != type and type and one.type:
                _mismatch(body, draft, name, place, one.type, type)
    for name, other in draft.plan.implied:
        value, types = operands[name], stated.get(other)
        if isinstance(value, Value) and types and value.type is not types[0][0]:
            type = types[0][0]
            if value.type != type and type and value.type:
                _mismatch(body, draft, name, 0, value.type, type)
                draft.stated[other] = [(None, types[0][1])]  # nobody knows what was meant
    return unknown


def _mismatch(
    body: BodyReader, draft: Draft, name: str, place: int, found: Type, stated: Type
) -> None:
    at = draft.places[name][place]
    match = VALUE.match(body.reader.text, at)
    value = shown(match[1]) if match else name
    text = f"{value} is {found}, but {stated} is stated"
    body.report.add(text, at, len(match[1]) if match else 1)


def _make_constant(body: BodyReader, draft: Draft) -> bool:
    """Make the constant of the numbers that were read; False if that goes wrong."""
    element, elements = draft.attributes["value"]
    ((type, at),) = draft.stated["result"]
    made = constant(body, element, elements, type, at)
    draft.attributes["value"] = made
    return made is not None


def constant(body, element, elements, type: Type | None, at: int) -> Constant | None:
    """A constant from elements and the stated type; None if that is wrong and reported."""
    if type is None:
        return None
    if not isinstance(type, Tile) or type.element != element:
        wrong = body.reader.refused(f"the numbers are of {element}, the type is {type}", at)
        body.report.add(wrong.message, at, wrong.length)
        return None
    return constant_of(body.reader, elements, type)


def _result_types(draft: Draft, op: Op, unknown: bool) -> list[Type | None]:
    types: list[Type | None] = []
    slots = None
    for slot in draft.spec.results:
        stated = draft.stated.get(slot.name)
        if stated is not None:
            types += [type for type, _ in stated]
        elif unknown:
            types.append(None)
        else:
            slots = slots or operand_slots(op)
            types += follows(op, slot, slots) or ()
    return types


def _place(body: BodyReader, draft: Draft, problem: str) -> tuple[int, int]:
    """Where the slot is that a problem is about, and how long what stands there is."""
    name = problem.split(None, 1)[0].rstrip(",:")
    if name in draft.places:
        at = draft.places[name][0] if draft.places[name] else draft.at
    elif draft.stated.get(name):
        at = draft.stated[name][0][1]
    else:
        return draft.at, len(draft.spec.mnemonic)
    wrong = body.reader.refused("", at)
    return wrong.at, wrong.length


def _check_extents(body: BodyReader, draft: Draft, op: Op) -> None:
    """Sizes that the op spells out again must be those of its result's type."""
    for name, field in EXTENTS.items():
        spelled = draft.stated[f"{name}:sizes"]
        sizes = getattr(op.result.type, field)
        if len(spelled) != len(sizes):
            text = f"{counted(len(spelled), 'size')}, {op.result.type} has {len(sizes)}"
            body.report.add(text, spelled[0][1] if spelled else draft.at)
            continue
        for (size, at), wanted in zip(spelled, sizes, strict=True):
            if size != wanted:
                known = "?" if wanted is None else wanted
                spelled_as = "a value" if size is None else size
                text = f"{spelled_as} is written here, {op.result.type} has {known}"
                wrong = body.reader.refused(text, at)
                body.report.add(text, at, wrong.length)
