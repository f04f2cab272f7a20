"""Where tiles lie within an allocation in shared memory."""

from __future__ import annotations

from tileir.codegen.block.make import make
from tileir.codegen.block.placement import alloc_bytes, slot_bytes, tile_offset
from tileir.codegen.block.types import Shared
from tileir.ir import Op
from tileir.types import Scalar


def allocation(slots: int, *counts: int) -> Op:
    """An allocation of tiles of so many i32."""
    kinds = []
    for count in counts:
        bits = count.bit_length() - 1
        offsets = tuple(1 << bit for bit in range(bits))
        kinds.append(Shared(Scalar("i32"), (count,), offsets, slots))
    return make("shared_alloc", results=kinds)


def test_tiles_and_slots_are_aligned() -> None:
    op = allocation(3, 32, 1, 64, 2)
    assert [tile_offset(tile) for tile in op.results] == [0, 128, 256, 512]
    assert slot_bytes(op) == 640
    assert alloc_bytes(op) == 2 * 640 + 512 + 8


def test_one_tile_takes_what_it_has() -> None:
    assert alloc_bytes(allocation(1, 4)) == 16
    assert tile_offset(allocation(1, 4).result) == 0


def test_elements_that_share_a_place_count_once() -> None:
    """Of the eight elements, two pieces of four are there in turn; offsets may be swizzled."""
    kind = Shared(Scalar("f64"), (8,), (1, 3, 0))
    assert alloc_bytes(make("shared_alloc", results=[kind])) == 32
