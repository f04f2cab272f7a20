"""Asynchronous copies of the block IR: a thread reads what it has copied, from each slot."""

from __future__ import annotations

import numpy as np
import pytest
from llvmlite import ir

from tests.codegen.build import tensor
from tests.codegen.nvptx.emit.memory_ops.memory_kernels import MemoryKernel
from tileir.codegen.block.areas import area_bytes
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Flight, Shared, Turn
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked, combine
from tileir.codegen.nvptx.emit.context import I32, I64, Context
from tileir.codegen.nvptx.machine import access
from tileir.ir import Op, Value
from tileir.types import PartitionView, Scalar, Tile

TILE, SLOTS, START = (8, 16), 3, 256
SWIZZLED = (1, 2, 4, 8, 20, 40, 64)
"""Chunks of four elements move with the row."""


def write_back(
    kernel: MemoryKernel, slot: Value, result: Value, layout: LinearLayout, start: int
) -> None:
    """Store each thread's elements of a tile in shared memory to an array of f32, from a start."""
    kind: Shared = slot.type

    def step(ctx: Context) -> None:
        builder, shape = ctx.builder, access.AccessShape(32, 1)
        thread = ctx.combined(tuple(4 * combine(kind.offsets, base) for base in layout.thread))
        for offset in layout.offsets():
            at = builder.xor(thread, I32(4 * combine(kind.offsets, offset)))
            at = builder.add(ctx.values[slot], at)
            owner = ctx.owner(layout)
            (bits,) = access.load(builder, shape, at, 0, owner, I32(0), access.SHARED)
            number = builder.xor(ctx.position(layout), I32(offset))
            place = builder.zext(builder.shl(number, I32(2)), I64)
            place = builder.add(ctx.scalar(result), place)
            access.store(builder, shape, place, 4 * start, owner, [bits])

    kernel.step(step)


def ring(*offsets: tuple[int, ...]) -> Op:
    """An allocation of rings at byte 256."""
    kinds = [Shared(Scalar("f32"), TILE, each, SLOTS) for each in offsets]
    return make("shared_alloc", attributes={"offset": START}, results=kinds)


@pytest.mark.parametrize("short", [None, (1, 1), (0, 1)])
@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.parametrize(
    ("vector", "whole", "columns"), [(1, True, 27), (2, False, 27), (4, False, 27), (4, True, 28)]
)
def test_tiles_go_through_all_slots(
    vector: int, whole: bool, columns: int, threads: int, short: tuple[int, int] | None
) -> None:
    """Five groups of two tiles, in three slots; tiles at the edges get zeros."""
    layout = blocked(128, vector, threads)
    kernel = MemoryKernel("ptr<f32>", "ptr<f32>", threads=threads)
    source, result = kernel.parameters
    kind = PartitionView(TILE, tensor("f32", (30, columns), (32, 1)), (0, 1), "zero")
    view, rings = kernel.view(source, kind), ring((1, 2, 4, 8, 16, 32, 64), SWIZZLED)
    slot_types = [value.type.slot for value in rings.results]
    turn = kernel.op("first_turn", [Turn(SLOTS)], ring=rings.results[0])
    added = {"threads": layout, "vector": vector, "along": 1, "narrow": True, "short": short}
    for number in range(5):
        slots = []
        for column, (value, slot_type) in enumerate(zip(rings.results, slot_types, strict=True)):
            slot = kernel.op("shared_slot", [slot_type], ring=value, turn=turn)
            index = (kernel.integer(number), kernel.integer(column))
            inside = column == 0
            access_attributes = {**added, "whole": whole or inside, "inbounds": (0, int(inside))}
            kernel.op("copy_async", (), access_attributes, view=view, index=index, destination=slot)
            slots.append(slot)
        flight = kernel.op("commit_group", [Flight(tuple(slot_types))], tiles=tuple(slots))
        tiles = kernel.op(
            "wait_group", slot_types, {"pending": 0}, flight=flight, turn=turn,
            rings=tuple(rings.results),
        )  # fmt: skip
        for column, each in enumerate(tiles):
            write_back(kernel, each, result, layout, 128 * (2 * number + column))
        turn = kernel.op("advance", [Turn(SLOTS)], ring=rings.results[0], turn=turn)
    array = np.random.default_rng(0).standard_normal((30, 32)).astype("f4")
    found = np.ones((5, 2, *TILE), "f4")
    kernel.run(array, found, shared=START + area_bytes(rings))
    padded = np.zeros((40, 32), "f4")
    padded[:30, :columns] = array[:, :columns]
    expected = padded.reshape(5, 8, 2, 16).swapaxes(1, 2)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("wanted", [0, 1])
def test_a_predicate_leaves_memory_as_it_is(wanted: int) -> None:
    layout = blocked(128, 4, 32)
    kernel = MemoryKernel("ptr<f32>", "ptr<f32>", "ptr<f32>", "i32")
    first, second, result, flag = kernel.parameters
    kind = PartitionView(TILE, tensor("f32", TILE, (16, 1)), (0, 1), "zero")
    rings = ring(SWIZZLED)
    turn = kernel.op("first_turn", [Turn(SLOTS)], ring=rings.result)
    slot = kernel.op("shared_slot", [rings.result.type.slot], ring=rings.result, turn=turn)
    index = (kernel.integer(0), kernel.integer(0))
    added = {"threads": layout, "vector": 4, "along": 1, "whole": True, "narrow": False}

    def predicate(ctx: Context) -> dict[int, ir.Value]:
        return {0: ctx.builder.icmp_unsigned("!=", ctx.scalar(flag), I32(0))}

    chosen = kernel.given(Tile(Scalar("i1")), predicate)
    for base, more in ((first, {}), (second, {"predicate": chosen})):
        view = kernel.view(base, kind)
        attributes = {**added, "inbounds": (1, 1)}
        kernel.op("copy_async", (), attributes, view=view, index=index, destination=slot, **more)
        flight = kernel.op("commit_group", [Flight((slot.type,))], tiles=(slot,))
        tiles = kernel.op(
            "wait_group", [slot.type], {"pending": 0}, flight=flight, turn=turn,
            rings=(rings.result,),
        )  # fmt: skip
    write_back(kernel, tiles, result, layout, 0)
    arrays = np.random.default_rng(1).standard_normal((2, *TILE)).astype("f4")
    found = np.ones(TILE, "f4")
    kernel.run(*arrays, found, wanted, shared=START + area_bytes(rings))
    np.testing.assert_array_equal(found, arrays[wanted])


def test_groups_stay_under_way() -> None:
    kernel, rings = MemoryKernel(), ring(SWIZZLED)
    turn = kernel.op("first_turn", [Turn(SLOTS)], ring=rings.result)
    flight = kernel.op("commit_group", [Flight((rings.result.type.slot,))], tiles=())
    kernel.op(
        "wait_group", [rings.result.type.slot], {"pending": 2}, flight=flight, turn=turn,
        rings=(rings.result,),
    )  # fmt: skip
    assert "cp.async.wait_group 2;" in kernel.ptx()
