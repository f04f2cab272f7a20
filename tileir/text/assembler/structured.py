"""The readers of ops whose syntax no assembly format gives: those with regions, and calls."""

from __future__ import annotations

from collections.abc import Callable

from tileir.attributes import IntegerAttribute
from tileir.formats.attributes import ATTRIBUTE_LIST
from tileir.formats.ops.assembly import IMPLIED
from tileir.ir import Op, Region, Value
from tileir.ir.dialect import TILE_IR
from tileir.ir.slot_types import all_slots, infer
from tileir.messages.wording import counted
from tileir.types import Scalar, Type

from .grammar import Grammar, OpReader
from .lexer import VALUE, phrase, shown
from .parsed import ParsedOp
from .results import finished
from .scope import BodyScope
from .slots import truth

Made = tuple[Op, list[Value]]
Arguments = list[tuple[str, int, Type | None]]
"""Names of block arguments, their positions, and their types."""


def _name(body: BodyScope) -> tuple[str, int]:
    """Read a new name of a value, and return it with its position."""
    at = body.reader.at
    return body.reader.take(VALUE, "a name such as %i"), at


def _operand(body: BodyScope, parsed: ParsedOp, slot: str) -> None:
    parsed.positions[slot] = [body.reader.at]
    parsed.operands[slot] = body.value()


def add_region(body: BodyScope, op: Op, arguments: Arguments) -> None:
    """Read the next region of an op."""
    row = op.spec.regions[len(op.regions)]
    op.regions.append(Region([body.region(op, row, arguments, IMPLIED.get(op.name))]))


def _iteration_values(body: BodyScope, parsed: ParsedOp) -> list[tuple[str, int]]:
    """Read ``iter_values(%a = %x, %b = %y)``, and return the names; the values go to the op."""
    reader, names, values, positions = body.reader, [], [], []
    if reader.accept(phrase("iter_values")):
        reader.expect(phrase("("))
        while not reader.accept(phrase(")")):
            if names:
                reader.expect(phrase(","))
            names.append(_name(body))
            reader.expect(phrase("="))
            positions.append(reader.at)
            values.append(body.value())
    parsed.operands["initValues"], parsed.positions["initValues"] = tuple(values), positions
    return names


def _parenthesised(body: BodyScope) -> list[tuple[Type | None, int]]:
    """Read ``-> (T, T)``; return no types if there is no arrow."""
    if not body.reader.accept(phrase("->")):
        return []
    body.reader.expect(phrase("("))
    types = [] if body.reader.sees(phrase(")")) else body.types.read_list()
    body.reader.expect(phrase(")"))
    return types


def _carried(body: BodyScope, names: list, types: list, at: int) -> Arguments:
    """Return the block arguments of carried values."""
    if len(names) != len(types):
        stated, values = counted(len(types), "type"), counted(len(names), "value")
        raise body.reader.refused(f"{stated} stated of {values}", at)
    return [(*name, type) for name, (type, _) in zip(names, types, strict=True)]


def read_for(
    body: BodyScope, parsed: ParsedOp, more: Callable[[BodyScope, ParsedOp], object] | None = None
) -> Made:
    """``for %i in (%a to %b, step %c) : T iter_values(%x = %y) -> (T) {``

    A dialect may have `more` to read behind the type of the bounds.
    """
    arguments = read_loop_head(body, parsed, more)
    made = finished(body, parsed)
    add_region(body, made[0], arguments)
    return made


def read_loop_head(
    body: BodyScope, parsed: ParsedOp, more: Callable[[BodyScope, ParsedOp], object] | None = None
) -> Arguments:
    """Read the head of a for, and return the arguments of its region."""
    reader = body.reader
    parsed.attributes["unsignedCmp"] = reader.accept(phrase("unsigned"))
    index = _name(body)
    reader.expect(phrase("in ("))
    _operand(body, parsed, "lowerBound")
    reader.expect(phrase("to"))
    _operand(body, parsed, "upperBound")
    reader.expect(phrase(", step"))
    _operand(body, parsed, "step")
    reader.expect(phrase(") :"))
    at = reader.at
    bound = (body.types.read(), at)
    if more is not None:
        more(body, parsed)
    names = _iteration_values(body, parsed)
    at = reader.at
    types = _parenthesised(body)
    for slot in ("lowerBound", "upperBound", "step"):
        parsed.stated[slot] = [bound]
    carried = _carried(body, names, types, at)
    parsed.stated["initValues"] = parsed.stated[parsed.spec.results[0].name] = types
    return [(*index, bound[0]), *carried]


def read_loop(body: BodyScope, parsed: ParsedOp) -> Made:
    """``loop iter_values(%x = %y) : T -> T {``"""
    reader = body.reader
    names = _iteration_values(body, parsed)
    at = reader.at
    types: list[tuple[Type | None, int]] = []
    results = types
    if names:
        reader.expect(phrase(":"))
        types = body.types.read_list()
        if reader.accept(phrase("->")):
            results = body.types.read_list()
    elif reader.accept(phrase(":")):
        results = body.types.read_list()
    carried = _carried(body, names, types, at)
    parsed.stated["initValues"], parsed.stated["resultValues"] = types, results
    made = finished(body, parsed)
    add_region(body, made[0], carried)
    return made


def read_if(body: BodyScope, parsed: ParsedOp) -> Made:
    """``if %c -> (T, T) { ... } else { ... }``"""
    reader = body.reader
    _operand(body, parsed, "condition")
    parsed.stated["results"] = _parenthesised(body)
    made = finished(body, parsed)
    op = made[0]
    add_region(body, op, [])
    if reader.accept(phrase("else")):
        add_region(body, op, [])
    else:
        op.regions.append(Region())
        if op.results:
            body.report.add("an if with results has an else", parsed.at, len("if"))
    return made


def _read_combining(body: BodyScope, parsed: ParsedOp) -> Made:
    """``reduce %x dim=1 identities=[0 : i32] : T -> T (%a: T, %b: T) {``, scan with ``reverse``"""
    reader, values, positions = body.reader, [], []
    while not values or reader.accept(phrase(",")):
        positions.append(reader.at)
        values.append(body.value())
    parsed.operands["operands"], parsed.positions["operands"] = tuple(values), positions
    for slot in parsed.spec.attributes:
        reader.expect(phrase(slot.name))
        reader.expect(phrase("="))
        parsed.positions[slot.name] = [reader.at]
        if slot.node is ATTRIBUTE_LIST:
            parsed.attributes[slot.name] = _identities(body)
        elif slot.name == "dim":
            parsed.attributes[slot.name] = reader.integer("a dimension", 0, 1 << 64)
        else:
            parsed.attributes[slot.name] = truth(reader)
    reader.expect(phrase(":"))
    parsed.stated["operands"] = body.types.read_list()
    reader.expect(phrase("->"))
    parsed.stated["results"] = body.types.read_list()
    made = finished(body, parsed)
    add_region(body, made[0], read_arguments(body, made[0]))
    return made


def _identities(body: BodyScope) -> tuple:
    """Read numbers in brackets; ``true`` and ``false`` are of type i1."""
    reader, numbers = body.reader, []
    reader.expect(phrase("["))
    while not reader.accept(phrase("]")):
        if numbers:
            reader.expect(phrase(","))
        at = reader.at
        number = body.attributes.number()
        if isinstance(number, bool):
            number = IntegerAttribute(Scalar("i1"), int(number))
        body.attributes.check_writable(number, at)
        numbers.append(number)
    return tuple(numbers)


def stated_arguments(body: BodyScope) -> tuple[Arguments, list[int]]:
    """Read ``(%a: T, %b: T)``; the second result are the positions of the types."""
    reader, arguments, positions = body.reader, [], []
    reader.expect(phrase("("))
    while not reader.accept(phrase(")")):
        if arguments:
            reader.expect(phrase(","))
        name = _name(body)
        reader.expect(phrase(":"))
        positions.append(reader.at)
        arguments.append((*name, body.types.read()))
        body.source.locations.optional()
    return arguments, positions


def read_arguments(body: BodyScope, op: Op) -> Arguments:
    """Read ``(%a: T, %b: T)``, and check it against the row's rules for block arguments."""
    reader, start = body.reader, body.reader.at
    arguments, positions = stated_arguments(body)
    slots = all_slots(op)
    rules = op.spec.regions[0].takes
    if any(value.type is None for values in slots.values() for value in values):
        return arguments
    wanted: list[Type] = []
    for rule in rules:
        following = infer(op, rule, slots)
        if following is None:  # of operands of a wrong kind, which has been reported
            return arguments
        wanted += following
    if len(wanted) != len(arguments):
        count = counted(len(arguments), "argument")
        raise reader.refused(f"{count}, {op.name} takes {len(wanted)}", start)
    for (name, _, type), at, right in zip(arguments, positions, wanted, strict=True):
        if type is not None and type != right:
            text = f"{shown(name)} of {op.name} is to be {right}, but {type} is stated"
            wrong = reader.refused(text, at)
            body.report.add(text, wrong.at, wrong.length)
    return arguments


def read_call(body: BodyScope, parsed: ParsedOp) -> Made:
    """``preview$call @f<[4, "a"]>(%x) {arg_attrs = [{}]} : (T) -> T``"""
    reader, expressions = body.reader, body.types.expressions
    attributes, values, positions = parsed.attributes, [], []
    parsed.positions["callee"] = [reader.at]
    attributes["callee"], attributes["const_args"] = reader.symbol(), ()
    if reader.accept(phrase("<")):
        parsed.positions["const_args"] = [reader.at]
        attributes["const_args"] = expressions.arguments()
        reader.expect(phrase(">"))
    reader.expect(phrase("("))
    while not reader.accept(phrase(")")):
        if values:
            reader.expect(phrase(","))
        positions.append(reader.at)
        values.append(body.value())
    parsed.operands["operands"], parsed.positions["operands"] = tuple(values), positions
    if reader.text.startswith("{", reader.at):
        _call_attributes(body, parsed)
    reader.expect(phrase(": ("))
    parsed.stated["operands"] = [] if reader.sees(phrase(")")) else body.types.read_list()
    reader.expect(phrase(")"))
    if reader.text.startswith("(", past_arrow(body)):
        parsed.stated["results"] = _parenthesised(body)
    else:
        reader.expect(phrase("->"))
        at = reader.at
        parsed.stated["results"] = [(body.types.read(), at)]
    return finished(body, parsed)


def past_arrow(body: BodyScope) -> int:
    """Return the position behind an arrow that comes next, and the blanks behind it."""
    match = phrase("->").match(body.reader.text, body.reader.at)
    return match.end() if match else body.reader.at


def _call_attributes(body: BodyScope, parsed: ParsedOp) -> None:
    """Read the dictionary of a call, of which lists of attributes are known."""
    at = body.reader.at
    for name, value in body.attributes.dictionary().items():
        if name not in ("arg_attrs", "res_attrs") or not isinstance(value, tuple):
            raise body.reader.refused(f"a call has no attribute {shown(name)}", at)
        body.attributes.check_writable(value, at)
        parsed.attributes[name] = value


READERS: dict[str, OpReader] = {
    "for": read_for,
    "if": read_if,
    "loop": read_loop,
    "preview$call": read_call,
    "reduce": _read_combining,
    "scan": _read_combining,
}
"""Mnemonic -> the function that reads everything after it."""

TILE_IR_GRAMMAR = Grammar(TILE_IR, READERS)
