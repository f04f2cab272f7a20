"""Folds along one dimension, many at once in *lanes*: what reduce and scan have in common.

Lanes are neighbours along a dimension; each folds elements of its own. Their accumulators are in
small arrays, and the innermost loop runs over the lanes, so that LLVM vectorises it whatever the
body is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX, ZERO, Position
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type, to_memory
from tileir.ir import Op

LANE_BYTES = 1024
"""Bytes of an array of accumulators: enough vectors to hide the latency of an addition."""

REGISTER_BYTES = 256
"""The same where LLVM makes registers of the array: short loops over lanes are unrolled."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a tile is divided: `dim` is folded, each of `lanes` neighbours along `across` by itself.

    If `across` is `dim`, the lanes themselves are folded at the end.
    """

    shape: tuple[int, ...]
    dim: int
    across: int
    lanes: int

    @classmethod
    def of(cls, op: Op, distribute: bool, lane_bytes: int = LANE_BYTES) -> Plan:
        """Plan a reduce or a scan; `distribute`: whether a row may be distributed over lanes.

        `lane_bytes`: the most bytes of an array of accumulators.
        """
        shape, dim = op.operands["operands"][0].type.shape, op.attributes["dim"]
        wide = [d for d, extent in enumerate(shape) if extent > 1 and d >= dim]
        across = wide[-1] if wide else dim
        size = max(memory_bytes(value.type.element) for value in op.operands["operands"])
        most = lane_bytes // size
        if across == dim and not distribute:
            most = 1
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

    def rounds(self, builder: ir.IRBuilder, begin: Begin = lambda step: None) -> Iterator[Round]:
        """Yield the loop over the first step of every lane, then that over all others.

        `begin` is called where each step begins, with its number.
        """
        yield _round(builder, self, 0, 1, begin)
        if self.steps > 1:
            yield _round(builder, self, 1, self.steps - 1, begin)

    def position(
        self, builder: ir.IRBuilder, outer: Position, step: ir.Value, lane: ir.Value
    ) -> Position:
        """Return the position of the element that a lane folds in a step."""
        indices = list(outer.indices)
        group = step if self.across == self.dim else indices[self.across]
        indices[self.dim] = step
        indices[self.across] = numbered(builder, group, self.lanes, lane)
        return Position(builder, self.shape, indices)


Begin = Callable[[ir.Value], None]

Round = AbstractContextManager[tuple[ir.Value, ir.Value, bool]]
"""A loop whose body gets the numbers of step and lane, and whether it is the lane's first step."""


@contextmanager
def _round(
    builder: ir.IRBuilder, plan: Plan, first: int, count: int, begin: Begin
) -> Iterator[tuple[ir.Value, ir.Value, bool]]:
    with nest(builder, (count,)) as steps:
        step = _sum(builder, steps.indices[0], first) if first else steps.indices[0]
        begin(step)
        with nest(builder, (plan.lanes,), unrolled=True) as lanes:
            yield step, lanes.indices[0], not first


class Accumulators:
    """An array for each operand, on the stack: `rows` rows of an element for each lane.

    Folds that are not nested share the arrays, as stacks are small; those that an op uses at once
    have different names.
    """

    def __init__(
        self, lowering: Lowering, op: Op, lanes: int, rows: int = 1, name: str = ""
    ) -> None:
        self._lowering = lowering
        self._lanes = lanes
        self._elements = [value.type.element for value in op.operands["operands"]]
        self._arrays = [
            lowering.shared_slot(
                ir.ArrayType(memory_type(element), rows * lanes), (op.depth, number, name)
            )
            for number, element in enumerate(self._elements)
        ]

    def load(self, lane: ir.Value, row: ir.Value = ZERO) -> list[ir.Value]:
        """Load an element of each operand."""
        builder, loaded = self._lowering.builder, []
        for array, element in zip(self._arrays, self._elements, strict=True):
            stored = builder.load(self._address(array, lane, row), typ=memory_type(element))
            stored.set_metadata("alias.scope", self._lowering.stack)
            loaded.append(from_memory(builder, stored, element))
        return loaded

    def store(self, lane: ir.Value, values: list[ir.Value], row: ir.Value = ZERO) -> None:
        """Store an element of each operand."""
        builder = self._lowering.builder
        for array, element, value in zip(self._arrays, self._elements, values, strict=True):
            stored = to_memory(builder, value, element)
            written = builder.store(stored, self._address(array, lane, row))
            written.set_metadata("alias.scope", self._lowering.stack)

    def _address(self, array: ir.Value, lane: ir.Value, row: ir.Value) -> ir.Value:
        builder = self._lowering.builder
        number = numbered(builder, row, self._lanes, lane)
        return builder.gep(array, [ZERO, number], inbounds=True)


def elements_at(lowering: Lowering, op: Op, position: Position) -> list[ir.Value]:
    """Emit the element of each operand at a position."""
    at = Evaluator(lowering, position)
    return [at.element(value) for value in op.operands["operands"]]


def fold_pair(
    lowering: Lowering, op: Op, first: list[ir.Value], second: list[ir.Value]
) -> list[ir.Value]:
    """Emit the body on a pair of values for each operand; return what it yields."""
    arguments = [value for pair in zip(first, second, strict=True) for value in pair]
    return lowering.inline_region(op.regions[0], arguments)


def store_results(lowering: Lowering, op: Op, position: Position, values: list[ir.Value]) -> None:
    """Store an element of each result at a position."""
    for result, value in zip(op.results, values, strict=True):
        lowering.store_element(result, position, value)


def numbered(builder: ir.IRBuilder, group: ir.Value, size: int, rest: ir.Value) -> ir.Value:
    """Emit group * size + rest."""
    if size == 1 or group is ZERO:
        return group if size == 1 else rest
    start = builder.mul(group, ir.Constant(INDEX, size), flags=("nuw", "nsw"))
    return builder.add(start, rest, flags=("nuw", "nsw"))


def _sum(builder: ir.IRBuilder, index: ir.Value, step: int) -> ir.Value:
    return builder.add(index, ir.Constant(INDEX, step), flags=("nuw", "nsw"))
