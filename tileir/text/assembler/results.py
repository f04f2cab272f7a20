"""From what was read of an op to the op: types that are stated, results, the rules of its row."""

from __future__ import annotations

import re

from tileir.builder.result_types import follows
from tileir.formats.ops.assembly import EXTENTS
from tileir.ir import Op, Value
from tileir.ir.constants import Constant
from tileir.ir.slot_types import operand_slots
from tileir.messages.wording import counted, in_words
from tileir.types import Scalar, Tile, Type
from tileir.verifier.constraints import signature, type_problem
from tileir.verifier.single import own_problem

from .lexer import VALUE, shown
from .literals.aliases import BROKEN
from .literals.dense import Elements, constant_of
from .parsed import ParsedOp
from .scope import BodyScope
from .source import Source

NUMBERED = re.compile(r"(operand|result) #(\d+) ")
WORD = re.compile(r"\w+")


def finished(body: BodyScope, draft: ParsedOp) -> tuple[Op, list[Value]]:
    """The op that was read, and the results that its row has but the version does not."""
    spec, before = draft.spec, len(body.report)
    draft.fill()
    unknown = _check_stated(body, draft) or BROKEN in draft.attributes.values()
    if "value" in draft.attributes and isinstance(draft.attributes["value"], tuple):
        unknown |= not _make_constant(body, draft)
    op = Op(spec, draft.operands, draft.attributes, position=-1)
    types = _result_types(draft, op, unknown)
    op.results = [Value(type, op, index, 0) for index, type in enumerate(types)]
    if None in types:
        unknown = True
    if not unknown and len(body.report) == before:
        _check_rules(body, draft, op, types)
        if draft.syntax.extents and len(body.report) == before:
            _check_extents(body, draft, op)
        body.gate.op(op, draft.places, draft.at)
    lost = []
    if not body.gate.open:
        for slot in spec.results:
            if slot.since > body.gate.version >= spec.since:
                lost.append(op.results.pop())
    return op, lost


def _check_rules(body: BodyScope, draft: ParsedOp, op: Op, types: list[Type | None]) -> None:
    """Ask for what the op's row says. Ops of the same types are asked about them once."""
    known, key = body.source.alike, signature(op)
    if key not in known:
        types += [value.type for value in op.operand_list()]
        known[key] = type_problem(op), types  # keeps the types, and with them the key
    found = known[key][0] or own_problem(op)
    if found:
        _, text, hint = found
        place = _place(body, draft, op, f"{text} {hint}")
        body.report.add(f"{op.name}: {text}" + (f" ({hint})" if hint else ""), *place)


def _check_stated(body: BodyScope, draft: ParsedOp) -> bool:
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
    for name, other in draft.syntax.implied:
        value, types = operands[name], stated.get(other)
        if isinstance(value, Value) and types and value.type is not types[0][0]:
            type = types[0][0]
            if value.type != type and type and value.type:
                _mismatch(body, draft, name, 0, value.type, type)
                draft.stated[other] = [(None, types[0][1])]  # nobody knows what was meant
    return unknown


def _mismatch(
    body: BodyScope, draft: ParsedOp, name: str, place: int, found: Type, stated: Type
) -> None:
    at = draft.places[name][place]
    match = VALUE.match(body.reader.text, at)
    value = shown(match[1]) if match else name
    text = f"{value} is {found}, but {stated} is stated"
    body.report.add(text, at, len(match[1]) if match else 1)


def _make_constant(body: BodyScope, draft: ParsedOp) -> bool:
    """Make the constant of the numbers that were read; False if that goes wrong."""
    element, elements = draft.attributes["value"]
    ((type, at),) = draft.stated["result"]
    made = constant(body.source, element, elements, type, at)
    draft.attributes["value"] = made
    return made is not None


def constant(
    source: Source, element: Scalar, elements: Elements, type: Type | None, at: int
) -> Constant | None:
    """A constant from elements and the stated type; None if that is wrong and reported."""
    if type is None:
        return None
    if not isinstance(type, Tile) or type.element != element:
        wrong = source.reader.refused(f"the numbers are of {element}, the type is {type}", at)
        source.report.add(wrong.message, at, wrong.length)
        return None
    return constant_of(source.reader, elements, type)


def _result_types(draft: ParsedOp, op: Op, unknown: bool) -> list[Type | None]:
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


def _place(body: BodyScope, draft: ParsedOp, op: Op, problem: str) -> tuple[int, int]:
    """Where the slot is that a problem is about, and how long what stands there is."""
    numbered = NUMBERED.match(problem)
    if numbered and numbered[1] == "operand":
        names = [_slot_of(op, int(numbered[2]))]
    elif numbered:
        names = [slot.name for slot in op.spec.results][: int(numbered[2]) + 1][-1:]
    else:
        names = [word for word in WORD.findall(problem) if word in op.attributes]
    for name in names:
        if draft.places.get(name):
            at = draft.places[name][0]
            break
        if draft.stated.get(name):
            at = draft.stated[name][0][1]
            break
    else:
        return draft.at, len(draft.spec.mnemonic)
    wrong = body.reader.refused("", at)
    return wrong.at, wrong.length


def _slot_of(op: Op, number: int) -> str:
    """The slot of the operand of that number."""
    for name, value in op.operands.items():
        number -= len(value) if isinstance(value, tuple) else value is not None
        if number < 0:
            return name
    return ""


def _check_extents(body: BodyScope, draft: ParsedOp, op: Op) -> None:
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
