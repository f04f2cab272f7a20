"""Where tiles lie within what one `shared_alloc` allocates.

The tiles of an allocation lie one behind the other, each aligned to `ALIGNMENT` bytes. In a ring
they do so in each slot, and the slots follow each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from tileir.ir import Op, Value

ALIGNMENT = 128
"""Alignment of tiles and slots within an allocation, in bytes: the width of the 32 banks."""


def tile_offset(value: Value) -> int:
    """Return the bytes from the start of a slot to a tile that a `shared_alloc` allocates."""
    return _together(value.owner.results[: value.index])


def slot_bytes(op: Op) -> int:
    """Return the bytes from one slot of a `shared_alloc` to the next one."""
    return _together(op.results)


def alloc_bytes(op: Op) -> int:
    """Return the bytes that a `shared_alloc` allocates: all slots, without a gap at the end."""
    last = op.results[-1]
    return slot_bytes(op) * (last.type.slots - 1) + tile_offset(last) + last.type.bytes


def _together(tiles: Iterable[Value]) -> int:
    return sum(-(-tile.type.bytes // ALIGNMENT) * ALIGNMENT for tile in tiles)
