"""reduce and scan: folds along one dimension, many at once in *lanes* (see `lanes`).

Lanes are the elements of another dimension; each is folded from the first element to the last. When
the last dimension itself is reduced there is no such dimension: if the body may be applied in any
order, the elements of a row are distributed over lanes, and the lanes folded by halving; otherwise
there is one lane. The number of lanes depends only on the type of the tile, and so does the result.
Where the body rounds to fewer bits than f32 has, each lane is folded as a tree (see `fold_trees`).
A scan of a row by an operation of vectors scans each vector by doubling, and adds what is before.
A sum of n floats of p bits is within d * 2**-p of the sum of their magnitudes, d being log2(n) of a
tree, at most n - 1 of a scan of f32 or f64, the steps of a lane and log2 of the lanes otherwise.

A fold starts with the first element, not with the identity: the maximum of a row of NaN is NaN, as
on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from llvmlite import ir

from tileir.codegen.analysis.narrow_folds import rounds_narrowly
from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.analysis.selecting_reductions import is_selection_by_number
from tileir.codegen.host.lowering.ahead import Ahead
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.prefetch import LINE
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.host.planning.tiles import is_tile
from tileir.codegen.scalar.types import llvm_type, memory_bytes
from tileir.ir import Op

from . import quick_extremum
from .fold_trees import reduce_lanes, scan_index, scan_lanes
from .lanes import (
    LANE_BYTES,
    REGISTER_BYTES,
    Accumulators,
    Plan,
    elements_at,
    fold_pair,
    numbered,
    store_results,
)

Fold = Callable[[list[ir.Value], list[ir.Value]], list[ir.Value]]
"""Combines a value for each operand with another one."""

UNROLLED_LANES = 8
"""Up to so many lanes are folded by unrolled code."""


def _reduce(lowering: Lowering, op: Op) -> None:
    builder, narrow = lowering.builder, rounds_narrowly(op)
    any_order = commutes(op) or is_selection_by_number(op)
    plan = Plan.of(op, any_order, LANE_BYTES if narrow else REGISTER_BYTES)
    distributed = plan.across == plan.dim
    quick = distributed and quick_extremum.applies(op)
    with nest(builder, plan.outer) as outer:
        if narrow:
            accumulators = reduce_lanes(lowering, op, plan, outer)
        elif quick:
            accumulators = _fold_extremum(lowering, op, plan, outer)
        else:
            accumulators = Accumulators(lowering, op, plan.lanes)
            _fold_in_order(lowering, op, plan, outer, accumulators)
        if distributed and not quick:
            _halve(lowering, accumulators, plan.lanes, partial(fold_pair, lowering, op))
        with nest(builder, (1 if distributed else plan.lanes,), unrolled=True) as last:
            whole = plan.position(builder, outer, ZERO, last.indices[0])
            position = _without(builder, whole, plan.dim)
            store_results(lowering, op, position, accumulators.load(last.linear))
    for result in op.results:
        lowering.finish(result)


def _fold_in_order(
    lowering: Lowering,
    op: Op,
    plan: Plan,
    outer: Position,
    accumulators: Accumulators,
    start: Callable[[list[ir.Value]], list[ir.Value]] = lambda elements: elements,
    fold: Fold | None = None,
) -> None:
    """Fold each lane from its first element to the last, by the body or by `fold`.

    `start` gives the accumulators for the first elements.
    """
    builder, fold = lowering.builder, fold or partial(fold_pair, lowering, op)
    ahead = Ahead(lowering, op, plan.across)

    def begin(step: ir.Value) -> None:
        ahead.prefetch(plan.position(builder, outer, step, ZERO), plan.lanes)

    for steps in plan.rounds(builder, begin):
        with steps as (step, lane, is_first):
            position = plan.position(builder, outer, step, lane)
            elements = elements_at(lowering, op, position)
            if is_first:
                accumulators.store(lane, start(elements))
            else:
                accumulators.store(lane, fold(elements, accumulators.load(lane)))


def _fold_extremum(lowering: Lowering, op: Op, plan: Plan, outer: Position) -> Accumulators:
    """Fold all lanes of a maximum or minimum: quickly first, by the body if that may be wrong."""
    builder, accumulators = lowering.builder, Accumulators(lowering, op, plan.lanes)
    start, fold = (
        partial(quick_extremum.start, builder, op),
        partial(quick_extremum.fold, builder, op),
    )
    _fold_in_order(lowering, op, plan, outer, accumulators, start, fold)
    _halve(lowering, accumulators, plan.lanes, fold)
    [result] = accumulators.load(ZERO)
    with builder.if_then(quick_extremum.may_be_wrong(builder, op, result), likely=False):
        _fold_in_order(lowering, op, plan, outer, accumulators)
        _halve(lowering, accumulators, plan.lanes, partial(fold_pair, lowering, op))
    return accumulators


def _scan(lowering: Lowering, op: Op) -> None:
    builder, plan = lowering.builder, Plan.of(op, distribute=False)
    written = lowering.writing(*(lowering.buffer(value) for value in op.results if is_tile(value)))
    with written, nest(builder, plan.outer) as outer:
        if rounds_narrowly(op):
            scan_lanes(lowering, op, plan, outer)
        elif (combine := _of_vectors(op, plan)) is not None:
            _scan_vectors(lowering, op, plan, outer, combine)
        else:
            _scan_in_order(lowering, op, plan, outer)
    for result in op.results:
        lowering.finish(result)


def _scan_in_order(lowering: Lowering, op: Op, plan: Plan, outer: Position) -> None:
    """Scan each lane from its first element to the last."""
    builder, accumulators = lowering.builder, Accumulators(lowering, op, plan.lanes)
    for steps in plan.rounds(builder):
        with steps as (step, lane, is_first):
            position = plan.position(builder, outer, scan_index(builder, op, plan, step), lane)
            running = elements_at(lowering, op, position)
            if not is_first:
                running = fold_pair(lowering, op, accumulators.load(lane), running)
            accumulators.store(lane, running)
            store_results(lowering, op, position, running)


def _of_vectors(op: Op, plan: Plan) -> tuple[str, float] | None:
    """Return the instruction that scans vectors along a row, and what it leaves unchanged."""
    [*body, _] = op.regions[0].block.ops
    if len(body) != 1 or not commutes(op) or plan.across != plan.dim:
        return None
    rounding = body[0].attributes.get("rounding_mode", "nearest_even")
    if rounding != "nearest_even" or body[0].attributes.get("flush_to_zero"):
        return None
    return _VECTOR_OPS.get(body[0].name) if plan.steps >= _vector_of(op).count else None


def _vector_of(op: Op) -> ir.VectorType:
    kind = llvm_type(op.results[0].type.element)
    bits = VectorUnit.of_host().bits
    return ir.VectorType(kind, bits // (8 * memory_bytes(op.results[0].type.element)))


def _scan_vectors(
    lowering: Lowering, op: Op, plan: Plan, outer: Position, combine: tuple[str, float]
) -> None:
    """Scan a row, some vectors at a time: each by itself, which does not wait for those before."""
    builder, vector, (name, neutral) = lowering.builder, _vector_of(op), combine
    instruction, lanes = getattr(builder, name), vector.count
    count = min(VECTORS, plan.steps // lanes)
    array = lowering.shared_slot(ir.ArrayType(vector.element, lanes * count), "scan", LINE)
    unchanged = ir.Constant(vector, [neutral] * lanes)
    places = [
        builder.gep(array, [ir.Constant(INDEX, number)], inbounds=True, source_etype=vector)
        for number in range(count)
    ]
    before = builder.block
    with loop(builder, plan.steps // (lanes * count)) as group:
        running = carried = builder.phi(vector)

        def elements() -> Iterator[tuple[ir.Value, Position]]:
            with loop(builder, lanes * count, unrolled=True) as lane:
                step = scan_index(builder, op, plan, numbered(builder, group, lanes * count, lane))
                address = builder.gep(array, [ZERO, lane], inbounds=True)
                yield address, plan.position(builder, outer, step, ZERO)

        for address, position in elements():
            [element] = elements_at(lowering, op, position)
            stored = builder.store(element, address)
            stored.set_metadata("alias.scope", lowering.stack)
        scanned = [builder.load(place, typ=vector, align=LINE) for place in places]
        for doubling in range(lanes.bit_length() - 1):
            scanned = [
                instruction(_lanes(builder, unchanged, each, _moved_up(lanes, 1 << doubling)), each)
                for each in scanned
            ]
        for each, place in zip(scanned, places, strict=True):
            # builder.store insists on the type of the array, of which the vector is a part.
            written = ir.instructions.StoreInstr(builder.block, instruction(running, each), place)
            written.align = LINE
            builder._insert(written)
            running = instruction(running, _lanes(builder, each, each, [lanes - 1] * lanes))
        for address, position in elements():
            store_results(lowering, op, position, [builder.load(address, typ=vector.element)])
        carried.add_incoming(unchanged, before)
        carried.add_incoming(running, builder.block)


def _moved_up(lanes: int, count: int) -> list[int]:
    """Return the lanes of a second vector, moved up, with those of the first one below."""
    return [lane if lane < count else lanes + lane - count for lane in range(lanes)]


def _lanes(builder: ir.IRBuilder, first: ir.Value, second: ir.Value, chosen: list[int]) -> ir.Value:
    kind = ir.VectorType(ir.IntType(32), len(chosen))
    return builder.shuffle_vector(first, second, ir.Constant(kind, chosen))


VECTORS = 4
"""Vectors of a row that are scanned at once: enough to hide the latency of an addition."""

_VECTOR_OPS: dict[str, tuple[str, float]] = {
    "addf": ("fadd", -0.0),
    "addi": ("add", 0),
    "mulf": ("fmul", 1.0),
    "muli": ("mul", 1),
}
"""Op -> the instruction for vectors, and its neutral element."""


def _halve(lowering: Lowering, accumulators: Accumulators, lanes: int, fold: Fold) -> None:
    """Fold all lanes into the first by halving: the upper half is folded into the lower one."""
    builder = lowering.builder

    def onto(lane: ir.Value, half: ir.Value) -> None:
        other = accumulators.load(builder.add(half, lane, flags=("nuw", "nsw")))
        accumulators.store(lane, fold(other, accumulators.load(lane)))

    while lanes > UNROLLED_LANES:
        lanes //= 2
        with loop(builder, lanes, unrolled=True) as lane:
            onto(lane, ir.Constant(INDEX, lanes))
    while lanes > 1:
        lanes //= 2
        for lane in range(lanes):
            onto(ir.Constant(INDEX, lane), ir.Constant(INDEX, lanes))


def _without(builder: ir.IRBuilder, position: Position, dim: int) -> Position:
    """Return the position in the tile without a dimension."""
    shape, indices = list(position.shape), list(position.indices)
    del shape[dim], indices[dim]
    return Position(builder, shape, indices)


ROWS = {
    "reduce": Row(_reduce),
    "scan": Row(_scan),
}
