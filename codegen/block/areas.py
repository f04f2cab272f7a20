"""Areas of shared memory: the size and alignment of what one op allocates, and who lies in it.

A `shared_alloc` makes one area: its slots lie one behind the other, and in each slot its tiles. An
`alloca` of a block makes one as well. Who places areas and who addresses them ask here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tileir.codegen.layouts.swizzled_rows import SPANS, pattern_bytes, span_of
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value

from .async_rows import PRODUCT_NAMES
from .op_facts import ASYNC_READS, SAME_MEMORY
from .types import Shared

ALLOCATIONS = ("mbarrier_alloc", "shared_alloc")
"""The ops that allocate shared memory for tiles, and for what copies of them complete on."""
AREAS = ("alloca", *ALLOCATIONS)
"""The ops whose results have bytes of shared memory of their own."""
LIVE_THROUGHOUT = ("alloca", "mbarrier_alloc")
"""Those of them whose bytes nothing else has, at any time."""
ALIGNMENT = 16
"""The alignment of an area, in bytes: the widest access."""
ROW_ALIGNMENT = 128
"""The alignment of rings and of operands of matrix products: a line of all banks."""
_OF_ROWS = ("copy_shared", *ASYNC_READS)
"""The readers of swizzled rows."""


def alignment(area: Op) -> int:
    """Return the alignment of an area, in bytes."""
    if area.name == "alloca":
        return max(area.attributes["alignment"], ALIGNMENT)
    if area.name == "mbarrier_alloc":
        return ALIGNMENT
    several = len(area.results) > 1 or area.results[0].type.slots > 1
    unit = ROW_ALIGNMENT if several or _is_multiplied(area.results[0]) else ALIGNMENT
    return max(unit, *map(pattern_alignment, area.results))


def pattern_alignment(tile: Value) -> int:
    """Return the alignment of a tile that is read by tensor cores or tensor copies, or copied for
    them: of swizzled rows, which are patterns of addresses, the size of the pattern; else 1.
    """
    kind = cast(Shared, tile.type)
    if not any(reader.name in _OF_ROWS for reader in _readers(tile)):
        return 1
    return pattern_bytes(span_of(kind.offsets, memory_bytes(kind.element)) or SPANS[0])


def slot_layout(area: Op) -> tuple[Sequence[int], int]:
    """Return the byte at which each tile of a `shared_alloc` begins in a slot, and a slot's size.

    Where there are several tiles, each has the alignment of the area, and so has every slot.
    """
    unit, begins, end = alignment(area), [], 0
    for tile in area.results:
        end = -(-end // unit) * unit
        begins.append(end)
        end += tile.type.bytes
    if area.results[0].type.slots > 1:
        end = -(-end // unit) * unit
    return begins, end


def tile_offset(tile: Value) -> int:
    """Return the bytes from the start of a slot to a tile that a `shared_alloc` allocates."""
    return slot_layout(tile.owner)[0][tile.index]


def slot_bytes(area: Op) -> int:
    """Return the bytes from one slot of a `shared_alloc` to the next one."""
    return slot_layout(area)[1]


def area_bytes(area: Op) -> int:
    """Return the bytes of an area."""
    if area.name == "alloca":
        element, count = area.results[0].type.element.pointee, area.attributes["num_elem"]
        return -(-count // 2) if is_packed(element) else count * memory_bytes(element)
    if area.name == "mbarrier_alloc":
        return area.results[0].type.bytes
    return slot_layout(area)[1] * area.results[0].type.slots


def behind(tile: Value) -> tuple[Value, Value | None]:
    """Return the result of `shared_alloc` that a tile in shared memory lies in, and its turn.

    The turn is None for a tile of an area without slots, and where a ring is meant as a whole.
    """
    turn = None
    while isinstance(tile.owner, Op) and (slot := SAME_MEMORY.get(tile.owner.name)):
        op, memory = tile.owner, tile.owner.operands[slot]
        tile = memory[tile.index] if isinstance(memory, tuple) else memory
        turn = op.operands.get("turn", turn)
    return tile, turn


def _is_multiplied(tile: Value) -> bool:
    """Whether a matrix product reads a tile, or a view of it."""
    return any(reader.name in PRODUCT_NAMES for reader in _readers(tile))


def _readers(tile: Value) -> Iterator[Op]:
    """Yield the ops that use a tile in shared memory, a slot of it, or a view of it."""
    for use in tile.uses:
        yield use.op
        if use.slot == SAME_MEMORY.get(use.op.name):
            yield from _readers(use.op.results[use.index or 0])
