"""Areas of shared memory: the size and alignment of what one op allocates, and what is behind a tile.

A `shared_alloc` makes one area: its slots lie one behind the other, and in each slot its tiles. An
`alloca` of a block makes one as well. Who places areas and who addresses them ask here.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value

from .types import Shared

ALIGNMENT = 16
"""The alignment of an area, in bytes: the widest access."""
ROW_ALIGNMENT = 128
"""The alignment of rings and of operands of matrix products: a line of all banks."""


def alignment(area: Op) -> int:
    """Return the alignment of an area, in bytes."""
    if area.name == "alloca":
        return max(area.attributes["alignment"], ALIGNMENT)
    rows = area.results[0].type.slots > 1 or any(map(_is_multiplied, area.results))
    return ROW_ALIGNMENT if rows else ALIGNMENT


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


def area_bytes(area: Op) -> int:
    """Return the bytes of an area."""
    if area.name == "alloca":
        element, count = area.results[0].type.element.pointee, area.attributes["num_elem"]
        return -(-count // 2) if is_packed(element) else count * memory_bytes(element)
    return slot_layout(area)[1] * area.results[0].type.slots


def behind(tile: Value) -> tuple[Value, Value | None]:
    """Return the result of `shared_alloc` that a tile in shared memory lies in, and its turn.

    The turn is None for a tile of an area without slots, and where a ring is meant as a whole.
    """
    turn = None
    while isinstance(tile.owner, Op) and tile.owner.name != "shared_alloc":
        op = tile.owner
        if op.name == "shared_view":
            tile = op.operands["source"]
        elif op.name == "shared_slot":
            tile, turn = op.operands["ring"], op.operands["turn"]
        elif op.name == "wait_group":
            tile, turn = op.operands["rings"][tile.index], op.operands["turn"]
        else:
            break
    return tile, turn


def _is_multiplied(tile: Value) -> bool:
    """Whether a matrix product reads a tile, or a view of it."""
    return any(
        use.op.name.startswith("mma")
        or (use.op.name == "shared_view" and _is_multiplied(use.op.result))
        for use in tile.uses
        if isinstance(tile.type, Shared)
    )
