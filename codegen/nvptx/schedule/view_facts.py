"""What is known statically about a tile of a view: its order in memory, its alignment.

The *inner* dimension of a tile is the one along which neighbours are adjacent in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.layouts.linear_layout import LinearLayout, along, dim_bits
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value
from tileir.messages.wording import counted
from tileir.types import Pointer, Tile, View

ACCESS_BYTES = 16
"""The most bytes that one access of a thread moves; newer GPUs have accesses of twice as many."""
SECTOR_BYTES = 32
"""Bytes of a sector, the unit in which global memory is fetched."""


def inner_dim(view: Value, facts: Divisibility) -> int | None:
    """Return the inner dimension of the tiles of a view; None if no stride is known to be one."""
    kind = cast("View", view.type)
    sparse = getattr(kind, "sparse_dim", None)
    adjacent = [
        dim
        for dim, of in enumerate(dimensions(kind))
        if dim != sparse and facts_of_stride(view, of, facts).constant == 1
    ]
    wide = [dim for dim in adjacent if kind.tile[dim] > 1]
    return (wide or adjacent or [None])[-1]


def inner_of(value: Value, facts: Divisibility) -> int:
    """Return the dimension along which a tile's neighbours are adjacent where it is loaded from.

    It is the last one if the tile is not loaded through a view, or no stride is known to be one.
    """
    last = len(value.type.shape) - 1
    if not isinstance(value.owner, Op) or value.owner.name != "load_view_tko":
        return last
    inner = inner_dim(value.owner.operands["view"], facts)
    return last if inner is None else inner


def vector_of(op: Op, facts: Divisibility) -> int:
    """Return how many neighbouring elements one access of a view op can move, at most.

    They have to be adjacent in memory, at an address known to be a multiple of their size together.
    """
    return max(min(most for most, _ in vector_limits(op, facts)), 1)


def vector_limits(op: Op, facts: Divisibility) -> Iterator[tuple[int, Reason]]:
    """Yield what limits the vectors of a view op: to how many elements, and why."""
    view = op.operands["view"]
    kind = cast("View", view.type)
    inner = inner_dim(view, facts)
    if inner is None:
        yield 1, Reason("no_unit_stride")
        return
    size = memory_bytes(kind.view.element)
    yield ACCESS_BYTES // size, Reason("widest")
    base = facts_of_base(view, facts)
    yield base * _in_a_byte(view) // size, Reason("base", counted(base, "byte"))
    dims = dimensions(kind)
    for dim in range(len(kind.tile)):
        if dim != inner:
            stride = facts_of_stride(view, dims[dim], facts).divisor * size
            yield stride // size, Reason("stride", counted(stride, "byte"))
    yield kind.tile[inner], Reason("tile", counted(kind.tile[inner], "element"))
    start = steps(kind)[inner]
    start = (start & -start) * facts[op.operands["index"][inner]].divisor
    yield start, Reason("start", counted(start, "element"))


def least_vector(op: Op, facts: Divisibility) -> int:
    """Return how many neighbours of a tile one thread has to hold when it stores to a view.

    They are the elements that share a byte, unless tiles may begin or end within bytes.
    """
    return min(_in_a_byte(op.operands["view"]), vector_of(op, facts))


def stores_halves(op: Op, facts: Divisibility) -> bool:
    """Whether a store to a view may have to leave a half of a byte to other threads."""
    return least_vector(op, facts) < _in_a_byte(op.operands["view"])


def _in_a_byte(view: Value) -> int:
    return 2 if is_packed(cast("View", view.type).view.element) else 1


def facts_of_base(view: Value, facts: Divisibility) -> int:
    """Return a known divisor of the address of a view's first element."""
    divisor = 1
    while isinstance(view.owner, Op):
        divisor = max(divisor, facts[view].divisor)
        view = next(view.owner.operand_list())
        if isinstance(view.type, Tile) and isinstance(view.type.element, Pointer):
            return max(divisor, facts[view].divisor)
    return divisor


def always_whole(view: Value, inner: int, vector: int, facts: Divisibility) -> bool:
    """Whether a vector along the inner dimension is always whole inside or whole outside."""
    dim = dimensions(cast("View", view.type))[inner]
    return facts_of_extent(view, dim, facts).divisor % vector == 0


def streaming(op: Op, threads: int, facts: Divisibility, most: int = ACCESS_BYTES) -> LinearLayout:
    """Return the coalesced layout for the tile of a view op: neighbouring threads have
    neighbouring vectors, of `most` elements at most."""
    view = op.operands["view"]
    shape, inner = view.type.tile, inner_dim(view, facts)
    order = list(range(len(shape)))
    if inner is not None:
        order.append(order.pop(inner))
    return along(shape, order, min(vector_of(op, facts), most), threads)


def vector_in(layout: LinearLayout, shape: tuple[int, ...], dim: int) -> int:
    """Return the elements of a vector along a dimension in the first registers of a layout."""
    low, count = dim_bits(shape, dim)
    bits = 0
    while bits < count and 1 << low + bits in layout.register:
        bits += 1
    return 1 << bits


def streams(
    op: Op, layout: LinearLayout, facts: Divisibility, most: int = ACCESS_BYTES, least: int = 1
) -> bool:
    """Whether a view op in this layout is about as fast as in the coalesced one.

    With vectors of fewer than `least` elements it is not, where longer ones are possible.
    """
    view = op.operands["view"]
    inner = inner_dim(view, facts)
    if inner is None:
        return True
    shape, size = view.type.tile, memory_bytes(view.type.view.element)
    best = min(vector_of(op, facts), most)
    vector = vector_in(layout, shape, inner)
    if 2 * vector < best or vector < min(least, best):
        return False
    low, count = dim_bits(shape, inner)
    own, run = SECTOR_BYTES // size, 0
    while run < count:
        base = 1 << low + run
        if base in layout.register and own > 1:
            own //= 2
        elif base not in layout.lane:
            break
        run += 1
    return run == count or size << run >= SECTOR_BYTES
