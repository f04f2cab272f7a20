"""The last step of reading an op: it checks stated types, infers results, and asks the verifier."""

from __future__ import annotations

import re
from typing import Any, cast

from tileir.builder.result_types import follows
from tileir.formats.ops.assembly import EXTENTS
from tileir.formats.ops.spec import Op as Spec
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


def finished(body: BodyScope, parsed: ParsedOp) -> tuple[Op, list[Value]]:
    """Return the op that was read, and its results that the version lacks."""
    spec, before = parsed.spec, len(body.report)
    parsed.fill()
    unknown = _check_stated(body, parsed) or BROKEN in parsed.attributes.values()
    if "value" in parsed.attributes and isinstance(parsed.attributes["value"], tuple):
        unknown |= not _make_constant(body, parsed)
    op = Op(cast(Any, spec), parsed.operands, parsed.attributes, position=-1)
    types = _result_types(parsed, op, unknown)
    op.results = [Value(type, op, index, 0) for index, type in enumerate(types)]
    if None in types:
        unknown = True
    if not unknown and len(body.report) == before:
        _check_rules(body, parsed, op, types)
        if parsed.syntax.extents and len(body.report) == before:
            _check_extents(body, parsed, op)
        body.gate.op(op, parsed.positions, parsed.at)
    lost = []
    if not body.gate.open:
        for slot in spec.results:
            if isinstance(spec, Spec) and slot.since > body.gate.version >= spec.since:
                lost.append(op.results.pop())
    return op, lost


def _check_rules(body: BodyScope, parsed: ParsedOp, op: Op, types: list[Type | None]) -> None:
    """Check the rules of the op's row; once for all ops of the same types."""
    known, key = body.source.alike, signature(op)
    if key not in known:
        types += [value.type for value in op.operand_list()]
        wrong = type_problem(op, body.source.dialect)
        known[key] = wrong, types  # keeps the types, and with them the key
    problem = known[key][0] or own_problem(op, body.source.dialect)
    if problem:
        _, text, hint = problem
        span = _span(body, parsed, op, f"{text} {hint}")
        body.report.add(f"{op.name}: {text}" + (f" ({hint})" if hint else ""), *span)


def _check_stated(body: BodyScope, parsed: ParsedOp) -> bool:
    """Compare the stated types of operands with theirs; return whether a type is unknown."""
    operands, stated, unknown = parsed.operands, parsed.stated, False
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
            stated_types = f"{counted(len(types), 'type')} stated of {in_words(name)}"
            text = f"{stated_types}, which has {counted(len(values), 'value')}"
            body.report.add(text, types[0][1])
            continue
        for index, one in enumerate(values):
            type = types[index][0]
            if one.type is not type and one.type != type and type and one.type:
                _mismatch(body, parsed, name, index, one.type, type)
    for name, other in parsed.syntax.implied:
        value, types = operands[name], stated.get(other)
        if isinstance(value, Value) and types and value.type is not types[0][0]:
            type = types[0][0]
            if value.type != type and type and value.type:
                _mismatch(body, parsed, name, 0, value.type, type)
                parsed.stated[other] = [(None, types[0][1])]  # either of the two may be meant
    return unknown


def _mismatch(
    body: BodyScope, parsed: ParsedOp, name: str, index: int, actual: Type, stated: Type
) -> None:
    at = parsed.positions[name][index]
    match = VALUE.match(body.reader.text, at)
    value = shown(match[1]) if match else name
    text = f"{value} is {actual}, but {stated} is stated"
    body.report.add(text, at, len(match[1]) if match else 1)


def _make_constant(body: BodyScope, parsed: ParsedOp) -> bool:
    """Make the constant from the numbers that were read; False if that fails."""
    element, elements = parsed.attributes["value"]
    ((type, at),) = parsed.stated["result"]
    made = constant(body.source, element, elements, type, at)
    parsed.attributes["value"] = made
    return made is not None


def constant(
    source: Source, element: Scalar, elements: Elements, type: Type | None, at: int
) -> Constant | None:
    """Return the constant of elements and a stated type; None if that is wrong and reported."""
    if type is None:
        return None
    if not isinstance(type, Tile) or type.element != element:
        wrong = source.reader.refused(f"the numbers are of {element}, the type is {type}", at)
        source.report.add(wrong.message, at, wrong.length)
        return None
    return constant_of(source.reader, elements, type.bare)


def _result_types(parsed: ParsedOp, op: Op, unknown: bool) -> list[Type | None]:
    types: list[Type | None] = []
    slots = None
    for slot in parsed.spec.results:
        stated = parsed.stated.get(slot.name)
        if stated is not None:
            types += [type for type, _ in stated]
        elif unknown:
            types.append(None)
        else:
            slots = slots or operand_slots(op)
            types += follows(op, slot, slots) or ()
    return types


def _span(body: BodyScope, parsed: ParsedOp, op: Op, problem: str) -> tuple[int, int]:
    """Return position and length of the text of the slot that a problem mentions."""
    numbered = NUMBERED.match(problem)
    if numbered and numbered[1] == "operand":
        names = [_slot_of(op, int(numbered[2]))]
    elif numbered:
        names = [slot.name for slot in op.spec.results][: int(numbered[2]) + 1][-1:]
    else:
        names = [word for word in WORD.findall(problem) if word in op.attributes]
    for name in names:
        if parsed.positions.get(name):
            at = parsed.positions[name][0]
            break
        if parsed.stated.get(name):
            at = parsed.stated[name][0][1]
            break
    else:
        return parsed.at, len(parsed.spec.mnemonic)
    wrong = body.reader.refused("", at)
    return wrong.at, wrong.length


def _slot_of(op: Op, number: int) -> str:
    """Return the slot of an operand by its number."""
    for name, value in op.operands.items():
        number -= len(value) if isinstance(value, tuple) else value is not None
        if number < 0:
            return name
    return ""


def _check_extents(body: BodyScope, parsed: ParsedOp, op: Op) -> None:
    """Check that the sizes in the op's text are those of its result's type."""
    for name, field in EXTENTS.items():
        spelled = parsed.stated[f"{name}:sizes"]
        sizes = getattr(op.result.type, field)
        if len(spelled) != len(sizes):
            text = f"{counted(len(spelled), 'size')}, {op.result.type} has {len(sizes)}"
            body.report.add(text, spelled[0][1] if spelled else parsed.at)
            continue
        for (size, at), wanted in zip(spelled, sizes, strict=True):
            if size != wanted:
                known = "?" if wanted is None else wanted
                spelled_as = "a value" if size is None else size
                text = f"{spelled_as} is written here, {op.result.type} has {known}"
                wrong = body.reader.refused(text, at)
                body.report.add(text, at, wrong.length)
