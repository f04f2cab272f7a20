"""Accesses of memory that tokens order: global memory, and variables of the block.

A tile op is carried out by many threads. If tokens order op B after op A, and one of them writes,
then no thread may start its share of B before all have done theirs of A. That needs no barrier
where program order in each thread is enough, because the same thread accesses an element both
times, nor where the two tiles cannot overlap. Ops that no token orders need none.

Tokens pass through control flow. An op of an earlier iteration may be ordered before an op that
stands above it in the loop's body; the two are assumed to access other elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.accesses import layout_of
from tileir.codegen.block.control_edges import BRANCHING, edges, loop_block
from tileir.codegen.block.op_facts import ACCESSES, COPIES
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.formats.ops.spec import READS, READS_WRITES, WRITES
from tileir.ir import Block, Body, Op, Value
from tileir.types import PartitionView, Token, View


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """A memory op, as far as later ones may have to wait for it. Equal accesses count as one: an op
    that has to wait for one of them has to wait for all."""

    name: str
    writes: bool
    layout: LinearLayout | None
    """The layout in which it is carried out; None for one element, which every thread has."""
    tiling: object = None
    """The tensor and how it is partitioned, if its elements are known not to overlap."""
    indices: tuple[object, ...] = ()
    """The indices of the tile; all operands of an access through pointers."""
    around: bool = False
    """Whether it is of an earlier iteration of a loop, or of before a loop in a later trip."""
    block: Block | None = None
    """The body of the innermost loop around it; None outside of loops."""


Accesses = frozenset[MemoryAccess]
NONE: Accesses = frozenset()


class TokenOrder:
    """The memory accesses of a body, and what tokens order before each of them."""

    def __init__(self, body: Body, facts: Divisibility) -> None:
        self._body = body
        self.accesses: dict[Op, MemoryAccess] = {
            op: _access(op, facts) for op in body.walk() if accesses_memory(op)
        }

        self._before: dict[Value, Accesses] = {}
        self._complete = False

    def before(self, op: Op) -> Accesses:
        """Return the accesses that tokens order before an op; all is found when first asked."""
        if not self._complete:
            self._complete = True
            self._find()
        return self._union(op)

    def _find(self) -> None:
        joins: dict[Op, list[tuple[Value, Value, bool]]] = {}
        for edge in edges(self._body):
            for value, target in edge.pairs:
                if value is not None and isinstance(target.type, Token):
                    joins.setdefault(edge.source, []).append((value, target, edge.again))
        ops = [op for op in self._body.walk() if op in joins or _passes_tokens(op)]
        grown = True
        while grown:
            grown = sum(self._passes_on(op, joins.get(op, ())) for op in ops) > 0

    def _union(self, op: Op) -> Accesses:
        tokens = [value for value in op.operand_list() if isinstance(value.type, Token)]
        if len(tokens) == 1:
            return self._before.get(tokens[0], NONE)
        return NONE.union(*(self._before.get(token, NONE) for token in tokens))

    def _passes_on(self, op: Op, joins: Iterable[tuple[Value, Value, bool]]) -> bool:
        """Pass accesses on through an op, and the edges from it; return whether any is new."""
        grown = False
        if _passes_tokens(op):
            accesses = self._union(op)
            if op in self.accesses:
                accesses |= {self.accesses[op]}
            tokens = [each for each in op.results if isinstance(each.type, Token)]
            grown = sum(self._add(token, accesses) for token in tokens) > 0
        for value, target, again in joins:
            grown |= self._add(target, carried(self._before.get(value, NONE), again))
        return grown

    def _add(self, token: Value, accesses: Accesses) -> bool:
        known = self._before.get(token, NONE)
        self._before[token] = known | accesses
        return len(self._before[token]) > len(known)


def _passes_tokens(op: Op) -> bool:
    return op.name not in BRANCHING and any(isinstance(each.type, Token) for each in op.results)


def accesses_memory(op: Op) -> bool:
    """Whether an op accesses memory outside of the tiles in shared memory."""
    if op.name in COPIES or "view" in op.operands:
        return True
    return op.spec.effects in (READS, WRITES, READS_WRITES) and op.name not in ACCESSES


def carried(accesses: Accesses, again: bool) -> Accesses:
    """Return accesses in the next iteration of a loop if they go `again`."""
    if not again:
        return accesses
    return frozenset(each if each.around else replace(each, around=True) for each in accesses)


def collide(first: MemoryAccess, second: MemoryAccess) -> bool:
    """Whether a barrier has to stand between the two accesses."""
    if not (first.writes or second.writes):
        return False
    comparable = not first.around and first.tiling is not None and first.tiling == second.tiling
    if comparable and _different_tiles(first, second):
        return False
    if first.layout != second.layout:
        return True
    writes = first.writes and second.writes
    if writes and first.layout is None:
        # Of the threads with copies only one writes: a single element has a single writer.
        return False
    if first.around:
        return True
    same_element = comparable and first.indices == second.indices
    if writes:
        return not same_element
    return first.layout is None or first.layout.replicas != 0 or not same_element


def _access(op: Op, facts: Divisibility) -> MemoryAccess:
    layout, writes = layout_of(op), op.spec.effects != READS and op.name not in COPIES
    view, block = op.operands.get("view"), loop_block(op.parent)
    if view is None:
        used = (value for value in op.operand_list() if not isinstance(value.type, Token))
        return MemoryAccess(op.name, writes, layout, None, tuple(used), block=block)
    tiling, kind = None, view.type
    if isinstance(kind, PartitionView) and _injective(view, facts):
        tiling = _tensor(view), kind.tile, kind.dim_map
    indices = tuple(_index(value, facts) for value in op.operands["index"])
    return MemoryAccess(op.name, writes, layout, tiling, indices, block=block)


def _different_tiles(first: MemoryAccess, second: MemoryAccess) -> bool:
    """Whether some index is a different constant."""
    pairs = zip(first.indices, second.indices, strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


def _index(value: Value, facts: Divisibility) -> object:
    """Return an index as a number if it is constant, else as the value that it comes from.

    Indices are unsigned, facts signed: -1 of eight bits is tile 255.
    """
    number = facts[value].constant
    return _origin(value) if number is None else number % (1 << value.type.element.bits)


def _injective(view: Value, facts: Divisibility) -> bool:
    """Whether different elements of the tensor are known to have different addresses.

    They have if each stride is larger than the distance that all smaller strides together reach.
    """
    dims = range(len(cast("View", view.type).view.shape))
    strides = [facts_of_stride(view, dim, facts) for dim in dims]
    extents = [facts_of_extent(view, dim, facts).upper for dim in dims]
    if any(stride.lower is None for stride in strides):
        return False
    reach: int | None = 0
    for stride, extent in sorted(zip(strides, extents, strict=True), key=lambda d: d[0].lower):
        if reach is None or stride.lower <= reach:
            return False
        reach = None if extent is None else reach + (extent - 1) * stride.upper
    return True


def _tensor(view: Value) -> object:
    """Return the tensor view that a partition view is made of."""
    return _origin(next(view.owner.operand_list())) if isinstance(view.owner, Op) else view


def _origin(value: Value) -> object:
    """Return a value without assumptions about it; a coordinate of the block as a name."""
    while isinstance(value.owner, Op) and value.owner.name == "assume":
        value = value.owner.operands["value"]
    owner = value.owner
    if isinstance(owner, Op) and owner.name == "get_tile_block_id":
        return (owner.name, value.index)
    return value
