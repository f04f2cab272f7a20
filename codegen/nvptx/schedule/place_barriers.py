"""Place barriers: find the memory ops before which the threads of a block have to synchronise.

A tile op is carried out by many threads. If tokens order op B after op A, and one of them writes,
then no thread may start its share of B before all have done theirs of A: a barrier goes before B.
It is not needed where program order in each thread is enough, because the same thread accesses an
element both times, nor where the two tiles cannot overlap. Ops that no token orders need none.

Tokens pass through control flow. An op of an earlier iteration may be ordered before an op that
stands above it in the loop's body; the two are assumed to access other elements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from tileir.codegen.analysis.carried_values import carried_arguments, targets
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.ops import Family, family_of, is_load, writes_memory
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.ir import Block, Op, Value
from tileir.types import PartitionView, Token, View

from .assignment import Assignment
from .ring_plan import RingPlan


@dataclass(frozen=True, slots=True)
class _Access:
    """A memory op, as far as later ones may have to wait for it. Equal accesses count as one: an op
    that has to wait for one of them has to wait for all."""

    writes: bool
    layouts: tuple[LinearLayout, ...]
    """The layouts in which it is carried out; none if its result is not needed."""
    tiling: object = None
    """The tensor and how it is partitioned, if its elements are known not to overlap."""
    indices: tuple[object, ...] = ()
    """The indices of the tile; all operands of an access through pointers."""
    around: bool = False
    """Whether it is of an earlier iteration of a loop."""

    @classmethod
    def of(cls, op: Op, assignment: Assignment, facts: Divisibility) -> _Access:
        writes, layouts = writes_memory(op), tuple(_layouts(op, assignment))
        view = op.operands.get("view")
        if view is None:
            used = (value for value in op.operand_list() if not isinstance(value.type, Token))
            return cls(writes, layouts, None, tuple(used))
        tiling, kind = None, view.type
        if isinstance(kind, PartitionView) and _injective(view, facts):
            tiling = _tensor(view), kind.tile, kind.dim_map
        return cls(writes, layouts, tiling, tuple(_indices(op, facts)))


_Accesses = frozenset[_Access]
_NONE: _Accesses = frozenset()


def place_barriers(kernel: KernelIR, assignment: Assignment) -> set[Op]:
    """Return the memory ops that need a barrier before them, and the loops whose rings do."""
    walk = _Walk(assignment, kernel.facts(Divisibility))
    walk.block(kernel.body.block, (), _NONE)
    return walk.barriers


class _Walk:
    """One walk over the body. `before` maps a token to the accesses that it orders before its uses.
    A state, `open_`, is the set of accesses that may not be complete in all threads: those since
    the last barrier."""

    def __init__(self, assignment: Assignment, facts: Divisibility) -> None:
        self.assignment, self.facts = assignment, facts
        self.before: dict[Value, _Accesses] = {}
        self.barriers: set[Op] = set()
        self._left: dict[Op, _Accesses] = {}

    def block(self, block: Block, around: tuple[Op, ...], open_: _Accesses) -> _Accesses:
        """Return the state at the end of a block that starts in the state `open_`."""
        for op in block.ops:
            if op.spec.terminator:
                self._terminator(op, around, open_)
            elif family_of(op) is Family.LOOP:
                open_ = self._loop(op, around, open_)
            elif op.name == "if":
                ends = [
                    self.block(inner, (*around, op), open_)
                    for region in op.regions
                    for inner in region.blocks
                ]
                open_ = open_.union(*ends)
            else:
                open_ = self._op(op, open_)
        return open_

    def _op(self, op: Op, open_: _Accesses) -> _Accesses:
        tokens = [value for value in op.operand_list() if isinstance(value.type, Token)]
        earlier = _NONE.union(*(self.before.get(token, _NONE) for token in tokens))
        accesses = is_load(op) or writes_memory(op)
        if accesses:
            access = _Access.of(op, self.assignment, self.facts)
            if op in self.barriers or any(_conflict(other, access) for other in earlier & open_):
                self.barriers.add(op)
                open_ = _NONE
            open_ |= {access}
        for result in op.results:
            if isinstance(result.type, Token):
                self.before[result] = earlier | {access} if accesses else earlier
        return open_

    def _terminator(self, op: Op, around: tuple[Op, ...], open_: _Accesses) -> None:
        again = op.name == "continue"
        for value, after in zip(op.operand_list(), targets(op, around), strict=False):
            if isinstance(value.type, Token):
                self._join(after, self.before.get(value, _NONE), again)
        loop = next((outer for outer in reversed(around) if family_of(outer) is Family.LOOP), None)
        if loop is not None and op.name in ("break", "continue"):
            self._left[loop] = self._left.get(loop, _NONE) | _carried_around(open_, again)

    def _join(self, token: Value, earlier: _Accesses, again: bool) -> None:
        self.before[token] = self.before.get(token, _NONE) | _carried_around(earlier, again)

    def _loop(self, op: Op, around: tuple[Op, ...], open_: _Accesses) -> _Accesses:
        ring = self.assignment.rings.get(op)
        if ring is not None and (op in self.barriers or self._writes(ring, open_)):
            self.barriers.add(op)
            open_ = _NONE
        for value, argument in zip(op.operands["initValues"], carried_arguments(op), strict=True):
            if isinstance(value.type, Token):
                self._join(argument, self.before.get(value, _NONE), False)
        while True:
            seen = self._state(op, open_)
            self.block(op.regions[0].block, (*around, op), open_)
            open_ |= self._left.get(op, _NONE)
            if self._state(op, open_) == seen:
                break
        if op.name == "for":
            for argument, result in zip(carried_arguments(op), op.results, strict=True):
                self._join(result, self.before.get(argument, _NONE), False)
        return open_

    def _writes(self, ring: RingPlan, open_: _Accesses) -> bool:
        """Whether a write that a ring's loads are ordered after may not be complete.

        The loads themselves are complete at the barrier at the start of an iteration.
        """
        tokens = [token for each in ring.fetched for token in each.early.tokens]
        earlier = _NONE.union(*(self.before.get(token, _NONE) for token in tokens))
        return any(access.writes for access in earlier & open_)

    def _state(self, op: Op, open_: _Accesses) -> object:
        known = [self.before.get(value, _NONE) for value in carried_arguments(op)]
        return known, open_, len(self.barriers)


def _carried_around(accesses: _Accesses, again: bool) -> _Accesses:
    return frozenset(replace(each, around=True) for each in accesses) if again else accesses


def _conflict(first: _Access, second: _Access) -> bool:
    """Whether a barrier has to stand between the two accesses."""
    if not (first.writes or second.writes) or not first.layouts or not second.layouts:
        return False
    comparable = not first.around and first.tiling is not None and first.tiling == second.tiling
    if comparable and _different_tiles(first, second):
        return False
    if first.layouts != second.layouts or len(first.layouts) != 1:
        return True
    (layout,) = first.layouts
    writes = first.writes and second.writes
    if writes and layout.bits == 0:
        # Of the threads with copies only one writes: a single element has a single writer.
        return False
    if first.around:
        return True
    same_element = comparable and first.indices == second.indices
    if writes:
        return not same_element
    return layout.replicas != 0 or not same_element


def _layouts(op: Op, assignment: Assignment) -> list[LinearLayout]:
    """Return the layouts in which an op is carried out; none if its result is not needed."""
    if op in assignment.op_layouts:
        return [assignment.op_layouts[op]]
    return assignment.defined_in(op.results[0])


def _different_tiles(first: _Access, second: _Access) -> bool:
    """Whether some index is a different constant."""
    pairs = zip(first.indices, second.indices, strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


def _indices(op: Op, facts: Divisibility) -> list[object]:
    """Return each index as a number if it is constant, else as the value that it comes from."""
    return [_index(value, facts) for value in op.operands["index"]]


def _index(value: Value, facts: Divisibility) -> object:
    """Indices are unsigned, facts signed: -1 of eight bits is tile 255."""
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
