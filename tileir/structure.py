"""Whether a body has the shape that the op table promises: what code generation relies on.

From the rows alone: every operand and result is of a type its slot admits, groups that must agree
do, result types follow from operands where the row says how, enum attributes are legal cases,
regions have their blocks and blocks end with a terminator. `RULES` adds what rows cannot say, and
`check` what entries owe each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import (
    Constraint,
    Elements,
    Inference,
    Like,
    Pointee,
    Reduced,
    TileOf,
    ViewTile,
)
from tileir.formats.ops.spec import Region as Row

from .errors import Diagnostic, VerifyError
from .ir import Op, Value
from .oprules import RULES
from .types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)
from .wording import choice, in_words

if TYPE_CHECKING:
    from .bytecode import Function

KINDS = {
    Tile: "tile",
    Token: "token",
    TensorView: "tensor_view",
    PartitionView: "partition_view",
    StridedView: "strided_view",
    GatherScatterView: "gather_scatter_view",
    FunctionType: "func",
}


Slots = dict[str, list[Value]]
"""The values in each operand and result slot of an op."""

BODY = BY_NAME["entry"].regions[0]
"""The row of a kernel's own region."""

Around = tuple[Op | None, Row, "Around | None"]
"""The region that an op is in: the op that has it, its row, and what is around that op. The body of
a kernel is a region of no op."""


def check(functions: Iterable[Function]) -> None:
    """Raise one VerifyError that lists everything, if entries or bodies break a rule."""
    functions = list(functions)
    found = list(_entries(functions))
    found += [finding for function in functions for finding in findings(function)]
    if found:
        count = "one problem" if len(found) == 1 else f"{len(found)} problems"
        raise VerifyError(f"not valid Tile IR, {count}:", found)


def _entries(functions: list[Function]) -> Iterator[Diagnostic]:
    """Entries are launched by name: it is theirs alone, and it is public."""
    names = set()
    for function in functions:
        if function.name in names:
            text = "another entry has the same name"
            yield Diagnostic("error", "structure", text, function=function.name)
        names.add(function.name)
        if function.private:
            yield Diagnostic(
                "error", "structure", "an entry cannot be private", function=function.name
            )


def findings(function: Function) -> list[Diagnostic]:
    """What is wrong with a function's body, op by op."""
    name = function.name
    found = [
        Diagnostic.about(op, name, "structure", problem)
        for op in function.body.walk()
        for problem in problems(op)
    ]
    last = ending(function.body.block.ops, "the body", "a terminator")
    for at, text in last:
        offset, place = (at.offset, at.place) if at else (None, "")
        found.append(Diagnostic("error", "structure", text, offset, name, place))
    return found


def problems(op: Op, regions: bool = True) -> list[str]:
    """What is wrong with one op, its regions' terminators included if `regions`.

    Each check relies on the ones before it, so the first that finds something is the last.
    """
    slots = _slots(op)
    if slots is None:
        return [f"expected {len(op.spec.results)} results, found {len(op.results)}"]
    for checks in (_refused_types, _disagreements, _uninferred, _illegal_cases, _regions, _rule):
        found = list(checks(op, slots)) if regions or checks is not _regions else []
        if found:
            return found
    return []


def operand_problems(op: Op) -> list[str]:
    """What is wrong with the operands of an op that has no results yet."""
    slots = operand_slots(op)
    return list(_refused_types(op, slots)) or list(_disagreements(op, slots))


def operand_slots(op: Op) -> Slots:
    """The values of every operand slot."""
    slots: Slots = {}
    for name, value in op.operands.items():
        slots[name] = list(value) if isinstance(value, tuple) else [value] if value else []
    return slots


def _slots(op: Op) -> Slots | None:
    """The values of every operand and result slot; None if there are too few or many results."""
    slots = operand_slots(op)
    results = list(op.results)
    if len(op.spec.results) == 1 and op.spec.results[0].arity == "many":
        slots[op.spec.results[0].name] = results
        return slots
    newest = [slot for slot in op.spec.results if slot.since > op.spec.since]
    if not len(op.spec.results) - len(newest) <= len(results) <= len(op.spec.results):
        return None
    for slot, value in zip(op.spec.results, results, strict=False):
        slots[slot.name] = [value]
    return slots


def _refused_types(op: Op, slots: Slots) -> Iterator[str]:
    for slot in (*op.spec.operands, *op.spec.results):
        for type in {id(value.type): value.type for value in slots.get(slot.name, ())}.values():
            if not admits(slot.type, type):
                yield f"{slot.name} must be {slot.type}, found {type}"


def admits(constraint: Constraint, type: Type) -> bool:
    """Whether a value of that type may stand in a slot with that constraint."""
    if not constraint.kinds:
        return True
    if KINDS.get(type.__class__) not in constraint.kinds:
        return False
    if not isinstance(constraint, TileOf):
        return True
    name = "ptr" if isinstance(type.element, Pointer) else type.element.name
    return name in constraint.elements and constraint.rank in (None, type.rank)


def _disagreements(op: Op, slots: Slots) -> Iterator[str]:
    agreeing = (
        ("type", op.spec.same_type, lambda type: type),
        ("element type", op.spec.same_element, lambda type: type.element),
        ("shape", op.spec.same_shape, lambda type: type.shape),
    )
    for what, groups, part in agreeing:
        for group in groups:
            yield from _disagreement(what, group, slots, part)


def _disagreement(what: str, group: tuple[str, ...], slots: Slots, part: Callable) -> Iterator[str]:
    """Lists agree pair by pair with other lists; alone in a group, all their values agree."""
    columns = [slots[name] for name in group if slots.get(name)]
    if len(group) == 1:
        rows = [columns[0]] if columns else []
    elif len({len(column) for column in columns}) > 1:
        yield f"{' and '.join(group)} must be equally many"
        return
    else:
        rows = list(zip(*columns, strict=True))
    for row in rows:
        if len({part(value.type) for value in row}) > 1:
            found = ", ".join(str(value.type) for value in row)
            yield f"{', '.join(group)} must have the same {what}, found {found}"


def _uninferred(op: Op, slots: Slots) -> Iterator[str]:
    for slot in (*op.spec.operands, *op.spec.results):
        if slot.inference is None or not slots.get(slot.name):
            continue
        wanted = infer(op, slot.inference, slots)
        found = [value.type for value in slots[slot.name]]
        if wanted is None:
            yield why_not(op, slot.inference, slots)
        elif wanted != found:
            spelled = [", ".join(map(str, types)) for types in (wanted, found)]
            yield f"{slot.name} must be {spelled[0]}, found {spelled[1]}"


def infer(op: Op, rule: Inference, slots: Slots) -> list[Type] | None:
    """The types that follow by `rule`; None if nothing can."""
    sources = [value.type for value in slots.get(rule.slot, ())]
    match rule:
        case Like(element=""):
            return sources
        case Like(element=element):
            return [Tile(Scalar(element), type.shape) for type in sources]
        case ViewTile():
            return [Tile(type.view.element, type.tile) for type in sources]
        case Pointee():
            return [Tile(type.element.pointee, type.shape) for type in sources]
        case Reduced():
            dim = op.attributes[rule.dim]
            if any(dim >= type.rank for type in sources):
                return None
            return [Tile(t.element, t.shape[:dim] + t.shape[dim + 1 :]) for t in sources]
        case Elements(times=times):
            return [Tile(type.element) for type in sources for _ in range(times)]
    return None


def why_not(op: Op, rule: Inference, slots: Slots) -> str:
    """Why no types follow by a rule."""
    if not isinstance(rule, Reduced):
        return f"nothing follows from {rule.slot}"
    dim = op.attributes[rule.dim]
    type = next(value.type for value in slots[rule.slot] if dim >= value.type.rank)
    return f"{rule.dim} must be a dimension of {type}, found {dim}"


def _illegal_cases(op: Op, slots: Slots) -> Iterator[str]:
    for slot in op.spec.attributes:
        value = op.attributes.get(slot.name)
        if slot.allowed and value is not None and value not in slot.allowed:
            yield f"{slot.name} must be {choice(slot.allowed)}, found '{value}'"


def _regions(op: Op, slots: Slots) -> Iterator[str]:
    for row, region in zip(op.spec.regions, op.regions, strict=True):
        if not region.blocks and row.may_be_empty and not op.results:
            continue
        if len(region.blocks) != 1:
            yield f"{row.name} must have one block, found {len(region.blocks)}"
            continue
        wanted = " or ".join(row.terminators)
        yield from (text for _, text in ending(region.block.ops, row.name, wanted))


def ending(ops: list[Op], block: str, wanted: str) -> Iterator[tuple[Op | None, str]]:
    """A block ends with a terminator, and has none before: the op that is wrong, and why."""
    if not ops or not ops[-1].spec.terminator:
        yield None, f"{block} does not end with {wanted}"
    for op in ops[:-1]:
        if op.spec.terminator:
            yield op, f"{op.name} is not the last op of {block}"


def handed_over(op: Op, around: Around | None) -> list[str]:
    """What is wrong with the values a terminator hands to the op it goes to."""
    if not op.spec.terminator:
        return []
    found = [value.type for value in op.operand_list()]
    while around is not None:
        parent, row, around = around
        rules = dict(row.gives)
        if op.name in rules:
            slots = operand_slots(parent)
            for slot in parent.spec.results[:1]:
                slots[slot.name] = parent.results
            wanted = infer(parent, rules[op.name], slots)
            if found != wanted:
                spelled = [", ".join(map(str, types)) or "nothing" for types in (wanted, found)]
                return [f"{parent.name} is to get {spelled[0]}, found {spelled[1]}"]
            return []
        if op.name not in row.terminators:
            return [f"it cannot leave the {region_name(parent, row)}"]
    return ["a kernel returns nothing"] if found else []


def region_name(op: Op | None, row: Row) -> str:
    """A region in words: ``region of for``, or ``body`` for that of a kernel."""
    return f"{in_words(row.name)} of {op.name}" if op else "body"


def taken(op: Op) -> Iterator[str]:
    """What is wrong with the arguments of an op's regions."""
    slots = operand_slots(op)
    for row, region in zip(op.spec.regions, op.regions, strict=True):
        wanted = [type for rule in row.takes for type in infer(op, rule, slots)]
        for block in region.blocks:
            found = [value.type for value in block.arguments]
            if found != wanted:
                spelled = [", ".join(map(str, types)) or "nothing" for types in (wanted, found)]
                yield f"{row.name} takes {spelled[0]}, found {spelled[1]}"


def _rule(op: Op, slots: Slots) -> Iterator[str]:
    text = RULES[op.name](op) if op.name in RULES else None
    if text:
        yield text
