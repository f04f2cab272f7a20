"""reduce and scan: folds along one dimension, many at once in *lanes*.

The accumulators of all lanes are in a small array, and the innermost loop runs over the lanes, so
that LLVM vectorises it whatever the body is. Lanes are the elements of another dimension; each is
folded from the first element to the last. When the last dimension itself is reduced there is no
such dimension: if the body may be applied in any order, the elements of a row are distributed over
lanes, and the lanes folded by halving; otherwise there is one lane. The number of lanes depends
only on the type of the tile, and so does the result.

A fold starts with the first element, not with the identity: the maximum of a row of NaN is NaN, as
on a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.planning.tiles import is_tile
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type, to_memory
from tileir.ir import Op

LANE_BYTES = 1024
"""Bytes of an array of accumulators: enough vectors to hide the latency of an addition."""

MAX_LANES_16_BITS = 4096
"""The most lanes of a row of 16-bit elements: long sums of these lose precision at every step."""

UNROLLED_LANES = 8
"""Up to so many lanes are folded by unrolled code."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a tile is divided: `dim` is folded, each of `lanes` neighbours along `across` by itself.

    If `across` is `dim`, the lanes themselves are folded at the end.
    """

    shape: tuple[int, ...]
    dim: int
    across: int
    lanes: int

    @classmethod
    def of(cls, op: Op, distribute: bool) -> _Plan:
        """Plan a reduce or a scan; `distribute`: whether a row may be distributed over lanes."""
        shape, dim = op.operands["operands"][0].type.shape, op.attributes["dim"]
        wide = [d for d, extent in enumerate(shape) if extent > 1 and d >= dim]
        across = wide[-1] if wide else dim
        size = max(memory_bytes(value.type.element) for value in op.operands["operands"])
        most = LANE_BYTES // size
        if across == dim:
            most = 1 if not distribute else MAX_LANES_16_BITS if size == 2 else most
        lanes = min(shape[across], most)
        return cls(shape, dim, across, lanes)

    @property
    def steps(self) -> int:
        """Number of elements that each lane folds."""
        extent = self.shape[self.dim]
        return extent // self.lanes if self.across == self.dim else extent

    @property
    def outer(self) -> tuple[int, ...]:
        """Extents of the loops around a fold: the shape, with groups of lanes along `across`."""
        shape = list(self.shape)
        shape[self.across] //= self.lanes
        shape[self.dim] = 1
        return tuple(shape)

    def rounds(self, builder: FoldingBuilder) -> Iterator[_Round]:
        """Yield the loop over the first step of every lane, then that over all others."""
        yield _round(builder, self, 0, 1)
        if self.steps > 1:
            yield _round(builder, self, 1, self.steps - 1)

    def position(
        self, builder: ir.IRBuilder, outer: Position, step: ir.Value, lane: ir.Value
    ) -> Position:
        """Return the position of the element that a lane folds in a step."""
        indices = list(outer.indices)
        group = step if self.across == self.dim else indices[self.across]
        indices[self.dim] = step
        indices[self.across] = _number(builder, group, self.lanes, lane)
        return Position(builder, self.shape, indices)


_Round = AbstractContextManager[tuple[ir.Value, ir.Value, bool]]
"""A loop whose body gets the numbers of step and lane, and whether it is the lane's first step."""


@contextmanager
def _round(
    builder: FoldingBuilder, plan: _Plan, first: int, count: int
) -> Iterator[tuple[ir.Value, ir.Value, bool]]:
    with nest(builder, (count, plan.lanes)) as position:
        step, lane = position.indices
        yield _sum(builder, step, first) if first else step, lane, not first


class _Accumulators:
    """One array for each operand, with an element for each lane, on the stack.

    Folds that are not nested share the arrays, as stacks are small.
    """

    def __init__(self, lowering: Lowering, op: Op, lanes: int) -> None:
        self._lowering = lowering
        self._op = op
        self._elements = [value.type.element for value in op.operands["operands"]]
        self._arrays = [
            lowering.shared_slot(ir.ArrayType(memory_type(element), lanes), (op.depth, number))
            for number, element in enumerate(self._elements)
        ]

    def load(self, lane: ir.Value) -> list[ir.Value]:
        builder, loaded = self._lowering.builder, []
        for array, element in zip(self._arrays, self._elements, strict=True):
            stored = builder.load(self._address(array, lane), typ=memory_type(element))
            loaded.append(from_memory(builder, stored, element))
        return loaded

    def store(self, lane: ir.Value, values: list[ir.Value]) -> None:
        builder = self._lowering.builder
        for array, element, value in zip(self._arrays, self._elements, values, strict=True):
            stored = to_memory(builder, value, element)
            builder.store(stored, self._address(array, lane))

    def _address(self, array: ir.Value, lane: ir.Value) -> ir.Value:
        return self._lowering.builder.gep(array, [ZERO, lane], inbounds=True)


def _reduce(lowering: Lowering, op: Op) -> None:
    builder, plan = lowering.builder, _Plan.of(op, commutes(op))
    distributed = plan.across == plan.dim
    accumulators = _Accumulators(lowering, op, plan.lanes)
    with nest(builder, plan.outer) as outer:
        for steps in plan.rounds(builder):
            with steps as (step, lane, is_first):
                elements = _elements(lowering, op, plan.position(builder, outer, step, lane))
                if not is_first:
                    elements = _fold(lowering, op, elements, accumulators.load(lane))
                accumulators.store(lane, elements)
        if distributed:
            _halve(lowering, op, accumulators, plan.lanes)
        with nest(builder, (1 if distributed else plan.lanes,)) as last:
            whole = plan.position(builder, outer, ZERO, last.indices[0])
            _store(lowering, op, _without(builder, whole, plan.dim), accumulators.load(last.linear))
    for result in op.results:
        lowering.finish(result)


def _scan(lowering: Lowering, op: Op) -> None:
    builder, plan = lowering.builder, _Plan.of(op, distribute=False)
    accumulators = _Accumulators(lowering, op, plan.lanes)
    written = lowering.writing(*(lowering.buffer(value) for value in op.results if is_tile(value)))
    with written, nest(builder, plan.outer) as outer:
        for steps in plan.rounds(builder):
            with steps as (step, lane, is_first):
                if op.attributes["reverse"]:
                    step = builder.sub(ir.Constant(INDEX, plan.steps - 1), step)
                position = plan.position(builder, outer, step, lane)
                running = _elements(lowering, op, position)
                if not is_first:
                    running = _fold(lowering, op, accumulators.load(lane), running)
                accumulators.store(lane, running)
                _store(lowering, op, position, running)
    for result in op.results:
        lowering.finish(result)


def _elements(lowering: Lowering, op: Op, position: Position) -> list[ir.Value]:
    at = Evaluator(lowering, position)
    return [at.element(value) for value in op.operands["operands"]]


def _fold(
    lowering: Lowering, op: Op, first: list[ir.Value], second: list[ir.Value]
) -> list[ir.Value]:
    """Emit the body on a pair of values for each operand; return what it yields."""
    arguments = [value for pair in zip(first, second, strict=True) for value in pair]
    return lowering.inline_region(op.regions[0], arguments)


def _halve(lowering: Lowering, op: Op, accumulators: _Accumulators, lanes: int) -> None:
    """Fold all lanes into the first by halving: the upper half is folded into the lower one."""
    builder = lowering.builder

    def onto(lane: ir.Value, half: ir.Value) -> None:
        other = accumulators.load(builder.add(half, lane, flags=("nuw", "nsw")))
        accumulators.store(lane, _fold(lowering, op, other, accumulators.load(lane)))

    rounds = max(0, (lanes // UNROLLED_LANES).bit_length() - 1)
    if rounds:
        with loop(builder, rounds) as done:
            half = builder.lshr(ir.Constant(INDEX, lanes // 2), done)
            with loop(builder, half) as lane:
                onto(lane, half)
    lanes >>= rounds
    while lanes > 1:
        lanes //= 2
        for lane in range(lanes):
            onto(ir.Constant(INDEX, lane), ir.Constant(INDEX, lanes))


def _store(lowering: Lowering, op: Op, position: Position, values: list[ir.Value]) -> None:
    for result, value in zip(op.results, values, strict=True):
        lowering.store_element(result, position, value)


def _without(builder: ir.IRBuilder, position: Position, dim: int) -> Position:
    """Return the position in the tile without a dimension."""
    shape, indices = list(position.shape), list(position.indices)
    del shape[dim], indices[dim]
    return Position(builder, shape, indices)


def _number(builder: ir.IRBuilder, group: ir.Value, size: int, rest: ir.Value) -> ir.Value:
    """Emit group * size + rest."""
    if size == 1 or group is ZERO:
        return group if size == 1 else rest
    start = builder.mul(group, ir.Constant(INDEX, size), flags=("nuw", "nsw"))
    return builder.add(start, rest, flags=("nuw", "nsw"))


def _sum(builder: ir.IRBuilder, index: ir.Value, step: int) -> ir.Value:
    return builder.add(index, ir.Constant(INDEX, step), flags=("nuw", "nsw"))


ROWS = {
    "reduce": Row(_reduce),
    "scan": Row(_scan),
}
