"""The step that decides before which memory ops the threads of a block have to meet.

A tile op is carried out by many threads. If op B is ordered after op A by tokens, and one of them
writes, then no thread may do its share of B before all have done theirs of A: a barrier goes before
B. It is not needed where the order of a single thread is enough, because each element is touched
by the same thread both times, nor where the two tiles cannot overlap. Ops that no token orders
need nothing.
"""

from __future__ import annotations

from tileir.ir import Op, Value
from tileir.types import Token

from ..kernel import Kernel
from ..passes.infer_divisibility import FactTable, facts_of_extent, facts_of_stride
from .assign_layouts import Assignment
from .layout import LinearLayout

LOADS = ("load_view_tko", "load_ptr_tko")
STORES = ("store_view_tko", "store_ptr_tko")


def place_barriers(kernel: Kernel, assignment: Assignment) -> set[Op]:
    """The memory ops that need a barrier before them."""
    facts = kernel.facts["infer_divisibility"]
    before: dict[Value, frozenset[Op]] = {}
    barriers: set[Op] = set()
    for op in kernel.walk():
        tokens = [value for value in op.operand_list() if isinstance(value.type, Token)]
        earlier = frozenset().union(*(before.get(token, frozenset()) for token in tokens))
        accesses = op.name in LOADS + STORES
        if accesses and any(_clash(other, op, assignment, facts) for other in earlier):
            barriers.add(op)
            # Every access so far is complete, also those these tokens do not speak of.
            before = {}
            earlier = frozenset()
        for result in op.results:
            if isinstance(result.type, Token):
                before[result] = earlier | {op} if accesses else earlier
    return barriers


def _clash(first: Op, second: Op, assignment: Assignment, facts: FactTable) -> bool:
    """Whether `second` has to wait for other threads to be done with `first`."""
    if first.name in LOADS and second.name in LOADS:
        return False
    layouts = _layouts(first, assignment)
    others = _layouts(second, assignment)
    if not layouts or not others:
        return False
    comparable = _same_tiling(first, second) and _injective(first.operands["view"], facts)
    if comparable and _different_tiles(first, second, facts):
        return False
    if layouts != others or len(layouts) != 1:
        return True
    same_element = comparable and _same_indices(first, second, facts)
    if first.name in STORES and second.name in STORES:
        # Of copies only the owner writes: a single element has a single writer.
        return layouts[0].bits > 0 and not same_element
    return layouts[0].replicas != 0 or not same_element


def _layouts(op: Op, assignment: Assignment) -> list[LinearLayout]:
    """In what layouts the op is carried out: none if its result is not needed."""
    return [assignment.stores[op]] if op in assignment.stores else assignment.of(op.results[0])


def _same_indices(first: Op, second: Op, facts: FactTable) -> bool:
    return _indices(first, facts) == _indices(second, facts)


def _different_tiles(first: Op, second: Op, facts: FactTable) -> bool:
    """Whether some index is another constant."""
    pairs = zip(_indices(first, facts), _indices(second, facts), strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)


def _indices(op: Op, facts: FactTable) -> list[object]:
    """The indices as numbers, where they are constant, or where they come from."""
    return [_index(value, facts) for value in op.operands["index"]]


def _index(value: Value, facts: FactTable) -> object:
    """Indices are unsigned, facts signed: -1 of eight bits is tile 255."""
    number = facts[value].constant
    return _origin(value) if number is None else number % (1 << value.type.element.bits)


def _same_tiling(first: Op, second: Op) -> bool:
    """Whether both go through the same tensor view, cut into the same tiles."""
    views = [op.operands.get("view") for op in (first, second)]
    if None in views:
        return False
    a, b = (view.type for view in views)
    same_cut = (a.tile, a.dim_map) == (b.tile, b.dim_map)
    return same_cut and _tensor(views[0]) == _tensor(views[1])


def _injective(view: Value, facts: FactTable) -> bool:
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
