"""Allocation of shared memory: as much as lives at once, aligned, and refused if it is too much."""

from __future__ import annotations

import pytest

from tests.codegen.block.bodies import F16, Builder
from tests.codegen.nvptx.passes.placed import barriers, placed
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.passes.memory.allocate_memory import memory_needed
from tileir.errors import UnsupportedError
from tileir.ir import Op
from tileir.types import Pointer, Scalar, Tile

TILE = 2048


def allocations(b: Builder) -> list[Op]:
    return [op for op in b.body.walk() if op.name in ("alloca", "shared_alloc")]


def test_one_tile_after_the_other_uses_the_same_bytes() -> None:
    b = Builder()
    for _ in range(10):
        tile = b.alloc()
        b.store(tile)
        b.load(tile)
    b.finish()
    assert memory_needed(b.body) == TILE
    # Two tiles take turns: a barrier between two uses of the same bytes is there anyway.
    assert placed(b.body) == 2 * TILE
    assert len(barriers(b.body)) == 10


def test_a_ring_lives_as_long_as_its_loop() -> None:
    b = Builder()
    tile = b.alloc()
    b.store(tile)
    b.load(tile)
    ring = b.pipelined(3)
    b.finish()
    size = 3 * 2 * TILE
    assert memory_needed(b.body) == size
    assert memory_needed(b.body, {ring: (5000, 128)}) == size + 5000
    assert placed(b.body) == size + TILE
    assert not any(op.attributes["offset"] % 128 for op in allocations(b)[1:])


def test_memory_of_branches_is_shared() -> None:
    b = Builder()

    def side() -> None:
        tile = b.alloc()
        b.store(tile)
        b.load(tile)

    b.branch(side, side)
    b.finish()
    assert placed(b.body) == TILE
    assert [op.attributes["offset"] for op in allocations(b)] == [0, 0]


def test_variables_have_bytes_and_alignment_of_their_own() -> None:
    b = Builder()
    tile = b.alloc()
    b.store(tile)
    b.load(tile)
    pointer = Tile(Pointer(Scalar("f32")))
    b.op("alloca", results=[pointer], num_elem=3, alignment=256, **{"global": False})
    b.finish()
    assert placed(b.body) == TILE + 12
    alloc, variable = allocations(b)
    assert (alloc.attributes["offset"], variable.attributes["offset"]) == (0, TILE)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 260])
def test_tiles_are_aligned_whatever_variables_take(size: int) -> None:
    b = Builder()
    pointer = Tile(Pointer(Scalar("i8")))
    b.op("alloca", results=[pointer], num_elem=size, alignment=1, **{"global": False})
    for _ in range(2):
        tile = b.alloc()
        b.store(tile)
        b.load(tile)
    b.finish()
    variable, *tiles = allocations(b)
    end = placed(b.body)
    start = variable.attributes["offset"]
    for op in tiles:
        offset = op.attributes["offset"]
        assert offset % 16 == 0
        assert offset >= start + size or offset + TILE <= start
    assert end == max(start + size, *(op.attributes["offset"] + TILE for op in tiles))


def test_what_a_pass_would_remove_does_not_count() -> None:
    b = Builder()
    tile = b.alloc()
    b.store(tile)
    b.load(tile)
    b.finish()
    assert memory_needed(b.body, without=allocations(b)) == 0


def test_too_much_is_refused() -> None:
    b = Builder()
    large = Shared(F16, (512, 512), tuple(1 << bit for bit in range(18)))
    tile = b.op("shared_alloc", results=[large]).result
    b.load(tile)
    b.finish()
    with pytest.raises(
        UnsupportedError, match="takes 524288 bytes of shared memory; a block of sm_90"
    ):
        placed(b.body)
