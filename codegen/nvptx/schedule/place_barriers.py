"""The step that decides before which memory ops the threads of a block have to meet.

A tile op is carried out by many threads. If op B is ordered after op A by tokens, and one of them
writes, then no thread may do its share of B before all have done theirs of A: a barrier goes before
B. It is not needed where the order of a single thread is enough, because each element is touched
by the same thread both times, nor where the two tiles cannot overlap. Ops that no token orders
need nothing.

Tokens pass through control flow. What comes around a loop may be ordered before what stands above
it, and is about other elements, as far as is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tileir.codegen.analysis.carried_values import carried_arguments, targets
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.ops import Family, family_of, is_load, writes_memory
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.ir import Block, Op, Value
from tileir.types import PartitionView, Token

from .assignment import Assignment
from .ring_plan import RingPlan


@dataclass(frozen=True, slots=True)
class _Access:
    """What a memory op does, as far as others have to wait for it. Ops that do the same count as
    one: whoever has to wait for one of them has to wait for all."""

    writes: bool
    layouts: tuple[LinearLayout, ...]
    """In which it is carried out: none if its result is not needed."""
    tiling: object = None
    """The tensor and how it is cut into tiles, if different elements have different addresses."""
    indices: tuple[object, ...] = ()
    """Of the tile; of an access by pointers, all operands."""
    around: bool = False
    """Whether it was in an earlier iteration of some loop."""

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


def place_barriers(kernel: Kernel, assignment: Assignment) -> set[Op]:
    """The memory ops that need a barrier before them, and loops whose early loads do."""
    walk = _Walk(assignment, kernel.facts(Divisibility))
    walk.block(kernel.body.block, (), _NONE)
    return walk.barriers


class _Walk:
    """`before`: what a token orders before its users. A state is what is not known to be complete:
    what was carried out since the last barrier."""

    def __init__(self, assignment: Assignment, facts: Divisibility) -> None:
        self.assignment, self.facts = assignment, facts
        self.before: dict[Value, _Accesses] = {}
        self.barriers: set[Op] = set()
        self._left: dict[Op, _Accesses] = {}

    def block(self, block: Block, around: tuple[Op, ...], open_: _Accesses) -> _Accesses:
        """The state at the end of a block that starts in the state `open_`."""
        for op in block.ops:
            if op.spec.terminator:
                self._hand_on(op, around, open_)
            elif family_of(op) is Family.LOOP:
                open_ = self._loop(op, around, open_)
            elif op.name == "if":
                ends = [self.block(inner, (*around, op), open_)
                        for region in op.regions for inner in region.blocks]  # fmt: skip
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
            if op in self.barriers or any(_clash(other, access) for other in earlier & open_):
                self.barriers.add(op)
                open_ = _NONE
            open_ |= {access}
        for result in op.results:
            if isinstance(result.type, Token):
                self.before[result] = earlier | {access} if accesses else earlier
        return open_

    def _hand_on(self, op: Op, around: tuple[Op, ...], open_: _Accesses) -> None:
        again = op.name == "continue"
        for value, after in zip(op.operand_list(), targets(op, around), strict=False):
            if isinstance(value.type, Token):
                self._join(after, self.before.get(value, _NONE), again)
        loop = next((outer for outer in reversed(around) if family_of(outer) is Family.LOOP), None)
        if loop is not None and op.name in ("break", "continue"):
            self._left[loop] = self._left.get(loop, _NONE) | _moved(open_, again)

    def _join(self, token: Value, earlier: _Accesses, again: bool) -> None:
        self.before[token] = self.before.get(token, _NONE) | _moved(earlier, again)

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
        """Whether something that a ring's loads are ordered after may not be complete.

        The loads themselves are over when the threads meet at the start of an iteration.
        """
        tokens = [token for each in ring.fetched for token in each.early.tokens]
        earlier = _NONE.union(*(self.before.get(token, _NONE) for token in tokens))
        return any(access.writes for access in earlier & open_)

    def _state(self, op: Op, open_: _Accesses) -> object:
        known = [self.before.get(value, _NONE) for value in carried_arguments(op)]
        return known, open_, len(self.barriers)


def _moved(accesses: _Accesses, again: bool) -> _Accesses:
    return frozenset(replace(each, around=True) for each in accesses) if again else accesses


def _clash(first: _Access, second: _Access) -> bool:
    """Whether the second has to wait for other threads to be done with the first."""
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
        # Of copies only the owner writes: a single element has a single writer.
        return False
    if first.around:
        return True
    same_element = comparable and first.indices == second.indices
    if writes:
        return not same_element
    return layout.replicas != 0 or not same_element


def _layouts(op: Op, assignment: Assignment) -> list[LinearLayout]:
    """In what layouts the op is carried out: none if its result is not needed."""
    if op in assignment.own:
        return [assignment.own[op]]
    return assignment.computed(op.results[0])


def _different_tiles(first: _Access, second: _Access) -> bool:
    """Whether some index is another constant."""
    pairs = zip(first.indices, second.indices, strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


def _indices(op: Op, facts: Divisibility) -> list[object]:
    """The indices as numbers, where they are constant, or where they come from."""
    return [_index(value, facts) for value in op.operands["index"]]


def _index(value: Value, facts: Divisibility) -> object:
    """Indices are unsigned, facts signed: -1 of eight bits is tile 255."""
    number = facts[value].constant
    return _origin(value) if number is None else number % (1 << value.type.element.bits)


def _injective(view: Value, facts: Divisibility) -> bool:
    """Whether different elements of the tensor are known to have different addresses.

    They have if each stride steps over all that smaller strides can reach.
    """
    dims = range(len(view.type.view.shape))
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
    """The tensor view behind a partition view."""
    return _origin(next(view.owner.operand_list())) if isinstance(view.owner, Op) else view


def _origin(value: Value) -> object:
    """The value without assumptions made about it. A block's coordinate is the same everywhere."""
    while isinstance(value.owner, Op) and value.owner.name == "assume":
        value = value.owner.operands["value"]
    owner = value.owner
    if isinstance(owner, Op) and owner.name == "get_tile_block_id":
        return (owner.name, value.index)
    return value
