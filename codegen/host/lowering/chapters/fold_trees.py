"""Folds as balanced trees, for bodies that round to few bits (see `narrow_folds`).

Only neighbours are combined, in their order, so the body need not commute. A lane's elements come
in groups of `GROUP`. A reduction folds each group by unrolled code and puts the result on a stack;
after each group it folds the two topmost results as often as the group's number, counted from 1,
can be halved. So what is folded covers equally many elements, as in a merge sort from below.

A scan doubles what its runs cover: the last element of a run is folded into each of the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.ir import Op

from .lanes import (
    Accumulators,
    Plan,
    elements_at,
    fold_pair,
    numbered,
    store_results,
)

GROUP = 8
"""Elements of a lane that unrolled code folds."""

MAX_UNROLLED_OPS = 8
"""Bodies of more ops are repeated as seldom as possible: by groups of two."""


def reduce_lanes(lowering: Lowering, op: Op, plan: Plan, outer: Position) -> Accumulators:
    """Fold each lane; return the accumulators, whose first row has the results."""
    builder, size = lowering.builder, _group(op, plan)
    groups = plan.steps // size
    stack = Accumulators(lowering, op, plan.lanes, groups.bit_length())
    group_rows = Accumulators(lowering, op, plan.lanes, size, "group")
    with _groups(builder, groups) as group:
        with nest(builder, (size, plan.lanes)) as position:
            number, lane = position.indices
            step = numbered(builder, group, size, number)
            elements = elements_at(lowering, op, plan.position(builder, outer, step, lane))
            group_rows.store(lane, elements, number)
        top = ZERO if groups == 1 else builder.ctpop(group)
        with loop(builder, plan.lanes) as lane:
            left = [group_rows.load(lane, ir.Constant(INDEX, row)) for row in range(size)]
            while len(left) > 1:
                pairs = zip(left[::2], left[1::2], strict=True)
                left = [fold_pair(lowering, op, later, earlier) for earlier, later in pairs]
            stack.store(lane, left[0], top)
        if groups > 1:
            _fold_top(lowering, op, plan, stack, group, top)
    return stack


def _fold_top(
    lowering: Lowering, op: Op, plan: Plan, stack: Accumulators, group: ir.Value, top: ir.Value
) -> None:
    """Fold the two topmost rows as long as both cover equally many groups."""
    builder, one = lowering.builder, ir.Constant(INDEX, 1)
    following = builder.add(group, one, flags=("nuw", "nsw"))
    with loop(builder, builder.cttz(following, ir.Constant(ir.IntType(1), 0))) as done:
        upper = builder.sub(top, done, flags=("nuw", "nsw"))
        lower = builder.sub(upper, one, flags=("nuw", "nsw"))
        with loop(builder, plan.lanes) as lane:
            later, earlier = stack.load(lane, upper), stack.load(lane, lower)
            stack.store(lane, fold_pair(lowering, op, later, earlier), lower)


def scan_lanes(lowering: Lowering, op: Op, plan: Plan, outer: Position) -> None:
    """Scan each lane: first the elements are stored, then scanned where they are."""
    builder, size = lowering.builder, _group(op, plan)

    def at(step: ir.Value, lane: ir.Value) -> Position:
        return plan.position(builder, outer, scan_index(builder, op, plan, step), lane)

    with nest(builder, (plan.steps, plan.lanes)) as whole:
        position = at(*whole.indices)
        store_results(lowering, op, position, elements_at(lowering, op, position))
    if plan.steps == 1:
        return
    with nest(builder, (plan.steps // size, plan.lanes)) as whole:
        group, lane = whole.indices
        steps = [
            numbered(builder, group, size, ir.Constant(INDEX, number)) for number in range(size)
        ]
        positions = [at(step, lane) for step in steps]
        values = [_stored(lowering, op, position) for position in positions]
        for covered in (1 << level for level in range(size.bit_length() - 1)):
            for number in filter(lambda number, bit=covered: number & bit, range(size)):
                last = (number & -covered) - 1
                values[number] = fold_pair(lowering, op, values[last], values[number])
        for position, value in zip(positions, values, strict=True):
            store_results(lowering, op, position, value)
    rounds = (plan.steps // size).bit_length() - 1
    if not rounds:
        return
    with loop(builder, rounds) as level:
        covered = builder.shl(ir.Constant(INDEX, size), level)
        pairs = builder.lshr(ir.Constant(INDEX, plan.steps // size // 2), level)
        with loop(builder, pairs) as pair:
            start = builder.mul(pair, builder.shl(covered, ir.Constant(INDEX, 1)))
            start = builder.add(start, covered)
            last = builder.sub(start, ir.Constant(INDEX, 1))
            _continue_run(lowering, op, plan, at, last, start, covered)


def _continue_run(
    lowering: Lowering,
    op: Op,
    plan: Plan,
    at: Callable[[ir.Value, ir.Value], Position],
    last: ir.Value,
    start: ir.Value,
    count: ir.Value,
) -> None:
    """Fold the element of step `last` into each of `count` elements from step `start` on."""
    builder = lowering.builder
    alone = _stored(lowering, op, at(last, ZERO)) if plan.lanes == 1 else None
    with loop(builder, count) as number, nest(builder, (plan.lanes,)) as across:
        lane = across.indices[0]
        position = at(builder.add(start, number, flags=("nuw", "nsw")), lane)
        before = alone or _stored(lowering, op, at(last, lane))
        folded = fold_pair(lowering, op, before, _stored(lowering, op, position))
        store_results(lowering, op, position, folded)


def scan_index(builder: ir.IRBuilder, op: Op, plan: Plan, step: ir.Value) -> ir.Value:
    """Return the index along the dimension at a step of a scan, which may go backwards."""
    if not op.attributes["reverse"]:
        return step
    return builder.sub(ir.Constant(INDEX, plan.steps - 1), step, flags=("nuw", "nsw"))


def _stored(lowering: Lowering, op: Op, position: Position) -> list[ir.Value]:
    return [lowering.load_element(result, position) for result in op.results]


def _group(op: Op, plan: Plan) -> int:
    """Return how many elements unrolled code folds."""
    ops = sum(1 for _ in op.walk())
    return min(plan.steps, GROUP if ops <= MAX_UNROLLED_OPS else 2)


@contextmanager
def _groups(builder: ir.IRBuilder, count: int) -> Iterator[ir.Value]:
    if count == 1:
        yield ZERO
        return
    with loop(builder, count) as group:
        yield group
