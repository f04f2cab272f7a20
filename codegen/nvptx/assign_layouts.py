"""The step that decides how many threads a block has and which thread holds what.

It starts at the stores. A store wants its tile blocked: vectors of neighbouring elements, so that
an access moves up to sixteen bytes, on neighbouring threads. From there every op says, in one walk
backwards, in which layout it needs its operands (see `layout`): an element-wise op in the layout of
its result, a broadcast or permute in that layout composed with what it does to the numbering. A
value needed in several layouts is computed, or loaded, once in each; nothing moves between threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tileir.ir import Op, Value
from tileir.types import PartitionView, Pointer, Tile

from ..kernel import Kernel
from ..passes.infer_divisibility import FactTable, facts_of_extent, facts_of_stride
from ..scalar.types import memory_bytes
from .layout import LinearLayout, blocked, broadcast_images, permute_images, uniform
from .targets import Target

ACCESS_BYTES = 16
"""The most bytes one access moves, where the target allows as much."""
THREADS = 128
"""Threads of a block, unless a tile is very small or very large."""
PREFERRED_WORDS = 32
"""With more 32-bit registers than this for one tile, a block gets more threads."""
MOST_WORDS = 128
"""The most 32-bit registers that one tile may take in a thread of the largest block."""


@dataclass(slots=True)
class Assignment:
    """`layouts` holds, for each value, the layouts it is needed in; `stores` what stores use."""

    threads: int
    layouts: dict[Value, list[LinearLayout]] = field(default_factory=dict)
    stores: dict[Op, LinearLayout] = field(default_factory=dict)

    def of(self, value: Value) -> list[LinearLayout]:
        """The layouts a value is needed in."""
        return self.layouts.get(value, [])

    def require(self, value: Value, layout: LinearLayout) -> None:
        wanted = self.layouts.setdefault(value, [])
        if layout not in wanted:
            wanted.append(layout)


def assign_layouts(kernel: Kernel, target: Target) -> Assignment:
    """Threads and layouts for a kernel whose facts have been inferred."""
    facts = kernel.facts["infer_divisibility"]
    assignment = Assignment(_threads(kernel, target))
    vector = _vector(kernel, facts, target)
    scalar = uniform(assignment.threads)
    for op in reversed(list(kernel.walk())):
        if op.name in _STORED:
            size = op.operands[_STORED[op.name]].type.size
            vector_here = min(vector, size)
            assignment.stores[op] = blocked(size, vector_here, assignment.threads)
        for layout in _own_layouts(op, assignment, scalar):
            images = element_images(op)
            needed = layout if images is None else layout.compose(images)
            for value in _tiles(op):
                assignment.require(value, scalar if value.type.size == 1 else needed)
    return assignment


_STORED = {"store_view_tko": "tile", "store_ptr_tko": "value"}


def _own_layouts(op: Op, assignment: Assignment, scalar: LinearLayout) -> Sequence[LinearLayout]:
    """The layouts an op works in; ops that make views or scalars work in the uniform one."""
    if op in assignment.stores:
        return [assignment.stores[op]]
    if not op.results or not isinstance(op.results[0].type, Tile):
        return [scalar]
    return assignment.of(op.results[0])


def _tiles(op: Op) -> Iterator[Value]:
    return (value for value in op.operand_list() if isinstance(value.type, Tile))


def element_images(op: Op) -> list[int] | None:
    """How the op renumbers elements, from its result to its operand; None if it does not."""
    if op.name == "broadcast":
        return broadcast_images(op.operands["source"].type.shape, op.result.type.shape)
    if op.name == "permute":
        return permute_images(op.operands["source"].type.shape, op.attributes["permutation"])
    return None


# How many threads ----------------------------------------------------------------------------


def words(tile: Tile) -> int:
    """32-bit registers that a whole tile takes."""
    return tile.size * (2 if memory_bytes(tile.element) == 8 else 1)


def too_large(tile: Tile, target: Target) -> bool:
    """Whether the registers of the largest block cannot hold the tile."""
    return words(tile) > MOST_WORDS * target.max_threads


def _threads(kernel: Kernel, target: Target) -> int:
    tiles = [value.type for op in kernel.walk() for value in op.results]
    tiles = [tile for tile in tiles if isinstance(tile, Tile)]
    elements = max((tile.size for tile in tiles), default=1)
    most = max((words(tile) for tile in tiles), default=1)
    threads = max(target.warp, min(THREADS, elements))
    while threads < target.max_threads and most > PREFERRED_WORDS * threads:
        threads *= 2
    return threads


# How wide an access -------------------------------------------------------------------------


def _vector(kernel: Kernel, facts: FactTable, target: Target) -> int:
    """Neighbouring elements per thread: as many as one access can move, of the largest element."""
    widths, largest = [1], 1
    for op in kernel.walk():
        view = op.operands.get("view")
        if view is None or not isinstance(view.type, PartitionView):
            continue
        largest = max(largest, memory_bytes(view.type.view.element))
        widths.append(view_vector(view, facts, target))
    return min(max(widths), ACCESS_BYTES // largest)


def view_vector(view: Value, facts: FactTable, target: Target) -> int:
    """The most neighbouring elements of a tile that one access of the view can move.

    They have to lie side by side in memory, at an address known to be a multiple of their size.
    """
    kind: PartitionView = view.type
    size, last = memory_bytes(kind.view.element), len(kind.tile) - 1
    if facts_of_stride(view, kind.dim_map[last], facts).constant != 1:
        return 1
    alignment = min(ACCESS_BYTES, target.vector_bytes, facts_of_base(view, facts))
    for dim in range(last):
        stride = facts_of_stride(view, kind.dim_map[dim], facts)
        alignment = min(alignment, stride.divisor * size)
    return max(min(alignment // size, kind.tile[last]), 1)


def facts_of_base(view: Value, facts: FactTable) -> int:
    """Known divisor of the address of a view's first element."""
    divisor = 1
    while isinstance(view.owner, Op):
        divisor = max(divisor, facts[view].divisor)
        view = next(view.owner.operand_list())
        if isinstance(view.type, Tile) and isinstance(view.type.element, Pointer):
            return max(divisor, facts[view].divisor)
    return divisor


def always_whole(view: Value, vector: int, facts: FactTable) -> bool:
    """Whether the tensor's edge never runs through a vector."""
    kind: PartitionView = view.type
    return facts_of_extent(view, kind.dim_map[-1], facts).divisor % vector == 0
