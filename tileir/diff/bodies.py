"""The rows of two bodies whose ops have been matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tileir.formats.ops.assembly import IMPLIED
from tileir.ir import Op, Value

from .content import Contents
from .matching import Matching
from .positions import Positions
from .rows import Change, FunctionPair, Row
from .sequences import align, between


def rows_of(
    matching: Matching, pair: FunctionPair, contents: Contents, positions: Positions | None
) -> Iterator[Row]:
    """Yield the differences of two bodies: the ops of the second in order, deleted ones between.

    With `positions`, source locations count.
    """
    before, after = matching.ops()
    first = list(before)
    place = {op: index for index, op in enumerate(first)}
    passed = 0

    def deleted(until: int) -> Iterator[Row]:
        """Yield what was deleted of the first body before a position."""
        for op in first[passed:until]:
            if op not in matching.op and not _goes_with_its_op(op, matching):
                yield Row("deleted", "op", op, None, function=pair)

    for op in after:
        other = matching.op.get(op)
        if other is None:
            if not _goes_with_its_op(op, matching):
                yield Row("inserted", "op", None, op, function=pair)
            continue
        moved = op in matching.moved
        if not moved and place[other] >= passed:
            yield from deleted(place[other])
            passed = place[other] + 1
        changes = [*_changes(matching, other, op, contents)]
        if positions is not None:
            changes += positions.changes(other.location, op.location)
        if moved or changes:
            yield Row("moved" if moved else "changed", "op", other, op, changes, pair)
    yield from deleted(len(first))


def _goes_with_its_op(op: Op, matching: Matching) -> bool:
    """Whether an op without partner is the end of a region that the text leaves out."""
    around = op.parent_op
    if around is None or IMPLIED.get(around.name) != op.name or op.operands["operands"]:
        return False
    return around not in matching.op


def _changes(matching: Matching, before: Op, after: Op, contents: Contents) -> Iterator[Change]:
    """Yield what differs between two ops, apart from what is in their regions."""
    one, two = matching.flows
    if one.said[before] != two.said[after]:
        yield from _said(before, after, contents)
    for slot, operand in before.operands.items():
        other = after.operands.get(slot)
        if isinstance(operand, tuple) or isinstance(other, tuple):
            yield from _operands(matching, slot, _listed(operand), _listed(other))
        elif not matching.same(operand, other):
            yield Change("operand", slot, operand, other)


def _said(before: Op, after: Op, contents: Contents) -> Iterator[Change]:
    for slot in before.spec.attributes:
        said = before.attributes.get(slot.name), after.attributes.get(slot.name)
        if contents.attribute(slot, said[0]) != contents.attribute(slot, said[1]):
            yield Change("attribute", slot.name, *said)
    yield from _types("result", before.results, after.results)
    for slot, one, two in zip(before.spec.regions, before.regions, after.regions, strict=False):
        if len(one.blocks) != len(two.blocks):
            yield Change("region", slot.name, len(one.blocks), len(two.blocks))
        for first, second in zip(one.blocks, two.blocks, strict=False):
            yield from _types("argument", first.arguments, second.arguments)


def _types(what: str, before: Sequence[Value], after: Sequence[Value]) -> Iterator[Change]:
    """Yield which types of values differ; only their number, if that does."""
    if len(before) != len(after):
        if what == "argument" or (before and after):
            yield Change(f"number of {what}s", "", len(before), len(after))
        return
    for index, (one, two) in enumerate(zip(before, after, strict=True)):
        if one.type != two.type:
            yield Change(f"{what} type", str(index), one.type, two.type)


def _operands(
    matching: Matching, slot: str, before: Sequence[Value], after: Sequence[Value]
) -> Iterator[Change]:
    """Yield the differences of two lists of operands."""
    if len(before) == len(after):
        for index, (one, two) in enumerate(zip(before, after, strict=True)):
            if not matching.same(one, two):
                yield Change("operand", f"{slot}[{index}]", one, two)
        return
    known = [matching.value.get(value) for value in before]
    pairs = align(known, after)
    for left, right in between(pairs, len(before), len(after)):
        for index in left:
            yield Change("operand", f"{slot}[{index}]", before[index], None)
        for index in right:
            yield Change("operand", f"{slot}[{index}]", None, after[index])


def _listed(operand: Value | tuple[Value, ...] | None) -> Sequence[Value]:
    if isinstance(operand, tuple):
        return operand
    return () if operand is None else (operand,)
