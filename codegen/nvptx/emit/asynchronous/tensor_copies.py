"""Lowering of tensor copies and of the mbarriers that say when they are done.

A phased turn is a number (i32): twice that of the slot, plus the phase in which it is filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import cast

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import steps
from tileir.codegen.block.areas import slot_bytes, tile_offset
from tileir.codegen.block.types import Mbarrier, Shared, Turn
from tileir.codegen.layouts.linear_layout import combine
from tileir.codegen.nvptx.emit.context import I32, Context
from tileir.codegen.nvptx.emit.grid import special_register
from tileir.codegen.nvptx.emit.sequences.shared_symbol import shared_address
from tileir.codegen.nvptx.machine import tensor_copy
from tileir.codegen.nvptx.machine.warps import converge, elected
from tileir.codegen.nvptx.machine.wgmma import fence_proxy
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

BLOCKS = 2
"""Blocks of a cluster that work together."""
_BYTES = Mbarrier(1).bytes
_MOST_ELEMENTS = (1 << 31) - (1 << 10)
"""A coordinate beyond those of tensors, from which a box still has coordinates of 32 bits."""


def mbarrier_alloc(ctx: Context, op: Op) -> None:
    """Lower mbarrier_alloc: the address of the first one."""
    ctx.define(op.result, shared_address(ctx.builder, op.attributes["offset"]))


def mbarrier_init(ctx: Context, op: Op) -> None:
    """Lower mbarrier_init: the first thread does it."""
    builder, barriers = ctx.builder, op.operands["barriers"]
    with builder.if_then(builder.icmp_unsigned("==", ctx.thread, ir.Constant(I32, 0))):
        for address in _each(ctx, barriers):
            arrivals = op.attributes["arrivals"] or 1
            arrivals *= BLOCKS if op.attributes["cluster"] else 1
            tensor_copy.initialise(builder, address, arrivals)
        fence_proxy(builder)
        if op.attributes["cluster"]:
            tensor_copy.fence_initialised(builder)
    converge(builder)


def mbarrier_inval(ctx: Context, op: Op) -> None:
    """Lower mbarrier_inval: the first thread does it."""
    builder, barriers = ctx.builder, op.operands["barriers"]
    with builder.if_then(builder.icmp_unsigned("==", ctx.thread, ir.Constant(I32, 0))):
        for address in _each(ctx, barriers):
            tensor_copy.invalidate(builder, address)
    converge(builder)


def copy_tensor(ctx: Context, op: Op) -> None:
    """Lower copy_tensor: nothing, until it is committed."""


def commit_copies(ctx: Context, op: Op) -> None:
    """Lower commit_copies: one lane of the first warp expects the bytes and starts the copies."""
    builder = ctx.builder
    wanted = ctx.in_first_warp()
    if op.operands["predicate"] is not None:
        wanted = builder.and_(wanted, ctx.scalar(op.operands["predicate"]))
    with builder.if_then(wanted), builder.if_then(elected(builder)):
        start_copies(ctx, op)
    converge(builder)


def start_copies(ctx: Context, op: Op) -> None:
    """Expect the bytes of the tiles that an op commits, and start the copies to them."""
    tiles, turn = op.operands["tiles"], op.operands["turn"]
    barrier = mbarrier_of(ctx, op.operands["barriers"], turn)
    tensor_copy.expect(ctx.builder, barrier, sum(tile.type.bytes for tile in tiles))
    for tile in tiles:
        (copy,) = [use.op for use in tile.uses if use.op.name == "copy_tensor"]
        _start(ctx, copy, barrier)


def wait_copies(ctx: Context, op: Op) -> None:
    """Lower wait_copies: the tiles were filled in the phase before that of the turn."""
    builder, turn = ctx.builder, op.operands["turn"]
    phase = builder.and_(ctx.values[turn], ir.Constant(I32, 1))
    parity = builder.xor(phase, ir.Constant(I32, 1))
    tensor_copy.wait(builder, mbarrier_of(ctx, op.operands["barriers"], turn), parity)
    for tile, ring in zip(op.results, op.operands["rings"], strict=True):
        ctx.define(tile, tile_in_slot(ctx, ring, turn))


def first_turn(ctx: Context, op: Op) -> None:
    """Lower first_turn of a phased turn: slot 0, phase 0."""
    ctx.define(op.result, ir.Constant(I32, 0))


def advance(ctx: Context, op: Op) -> None:
    """Lower advance of a phased turn: behind the last slot, the other phase begins."""
    builder, turn = ctx.builder, ctx.values[op.operands["turn"]]
    last = ir.Constant(I32, 2 * (cast(Turn, op.result.type).slots - 1))
    following = builder.add(turn, ir.Constant(I32, 2))
    phase = builder.and_(turn, ir.Constant(I32, 1))
    again = builder.xor(phase, ir.Constant(I32, 1))
    is_last = builder.icmp_unsigned(">=", turn, last)
    ctx.define(op.result, builder.select(is_last, again, following))


def tile_in_slot(ctx: Context, ring: Value, turn: Value) -> ir.Value:
    """Return the address of a ring's tile in the slot of a phased turn."""
    builder = ctx.builder
    number = builder.lshr(ctx.values[turn], ir.Constant(I32, 1))
    distance = builder.mul(number, ir.Constant(I32, slot_bytes(ring.owner)))
    start = shared_address(builder, ring.owner.attributes["offset"] + tile_offset(ring))
    return builder.add(distance, start)


def mbarrier_of(ctx: Context, barriers: Value, turn: Value) -> ir.Value:
    """Return the address of the mbarrier of a slot."""
    builder = ctx.builder
    number = builder.lshr(ctx.values[turn], ir.Constant(I32, 1))
    distance = builder.mul(number, ir.Constant(I32, _BYTES))
    return builder.add(ctx.values[barriers], distance)


def _each(ctx: Context, barriers: Value) -> list[ir.Value]:
    first = ctx.values[barriers]
    return [
        ctx.builder.add(first, ir.Constant(I32, _BYTES * slot))
        for slot in range(cast(Mbarrier, barriers.type).slots)
    ]


def store_tensor(ctx: Context, op: Op) -> None:
    """Lower store_tensor: one lane of the first warp starts it."""
    builder = ctx.builder
    with builder.if_then(ctx.in_first_warp()), builder.if_then(elected(builder)):
        for source, coordinates in _boxes(ctx, op, op.operands["source"]):
            tensor_map = ctx.tensor_maps[op.attributes["tensor_map"]]
            tensor_copy.store(builder, source, tensor_map, coordinates)
        tensor_copy.commit_stores(builder)
    converge(builder)


def wait_stores(ctx: Context, op: Op) -> None:
    """Lower wait_stores: threads that have started none go on at once."""
    tensor_copy.wait_stores(ctx.builder, op.attributes["complete"])


def _start(ctx: Context, op: Op, barrier: ir.Value) -> None:
    """Start the copies of a tile."""
    for destination, coordinates in _boxes(ctx, op, op.operands["destination"]):
        tensor_map = ctx.tensor_maps[op.attributes["tensor_map"]]
        multicast = op.attributes["multicast"] is not None
        tensor_copy.copy(
            ctx.builder, destination, tensor_map, coordinates, barrier, multicast=multicast
        )


def _boxes(ctx: Context, op: Op, tile: Value) -> Iterator[tuple[ir.Value, list[ir.Value]]]:
    """Yield for each box of a tile in shared memory its address, and its coordinates."""
    builder, view = ctx.builder, op.operands["view"]
    kind, extents = cast(Shared, tile.type), view.type.tile
    dimensions, columns = op.attributes["dimensions"], op.attributes["box"][0]
    apart = steps(view.type)
    first = [
        builder.mul(
            _index(ctx, op.operands["index"][dim], apart[dim]), ir.Constant(I32, apart[dim])
        )
        for dim in dimensions
    ]
    start = ctx.values[tile]
    halved = op.attributes.get("multicast")
    if halved is not None:
        rank, half = special_register(builder, "cluster.ctarank"), extents[halved] // BLOCKS
        place = dimensions.index(halved)
        moved = builder.mul(rank, ir.Constant(I32, half))
        first[place] = builder.add(first[place], moved)
        distance = combine(kind.offsets, half * prod(extents[halved + 1 :]))
        distance *= memory_bytes(kind.element)
        start = builder.add(start, builder.mul(rank, ir.Constant(I32, distance)))
    inner = dimensions[0]
    step = prod(extents[inner + 1 :])
    for along in range(0, extents[inner], columns):
        place = combine(kind.offsets, along * step) * memory_bytes(kind.element)
        address = builder.add(start, ir.Constant(I32, place))
        yield address, [builder.add(first[0], ir.Constant(I32, along)), *first[1:]]


def _index(ctx: Context, value: Value, apart: int) -> ir.Value:
    """Return the index of a tile as an i32, so that it is no other one in elements, either.

    Indices are unsigned: what is beyond any tensor, as a negative one is, becomes the first index
    whose elements are.
    """
    builder, index = ctx.builder, ctx.scalar(value)
    if index.type.width < I32.width:
        index = builder.zext(index, I32)
    last = ir.Constant(index.type, _MOST_ELEMENTS // apart)
    index = builder.select(builder.icmp_unsigned("<", index, last), index, last)
    return index if index.type == I32 else builder.trunc(index, I32)


LOWERINGS = {
    "commit_copies": commit_copies,
    "copy_tensor": copy_tensor,
    "mbarrier_alloc": mbarrier_alloc,
    "mbarrier_init": mbarrier_init,
    "mbarrier_inval": mbarrier_inval,
    "store_tensor": store_tensor,
    "wait_copies": wait_copies,
    "wait_stores": wait_stores,
}
