"""Lowering of asynchronous copies to shared memory, and of the turns of the rings that they fill.

Each thread copies vectors, and waits for its own. A turn is the address of a slot (i32): that of
the ring's first one, or the one behind another.
"""

from __future__ import annotations

from typing import cast

from llvmlite import ir

from tileir.codegen.block.areas import slot_bytes, tile_offset
from tileir.codegen.block.types import Shared, Turn
from tileir.codegen.layouts.linear_layout import combine
from tileir.codegen.nvptx.emit.context import I1, I32, Context
from tileir.codegen.nvptx.emit.sequences.pointer_vectors import PointerVectors, optional
from tileir.codegen.nvptx.emit.sequences.shared_addresses import SharedAddresses
from tileir.codegen.nvptx.emit.sequences.shared_symbol import shared_address
from tileir.codegen.nvptx.emit.sequences.tile_accesses import TileAccess, both
from tileir.codegen.nvptx.machine import async_copy
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from . import tensor_copies


def copy_async(ctx: Context, op: Op) -> None:
    """Lower copy_async: start to copy the thread's elements of a tile."""
    builder, destination, layout = ctx.builder, op.operands["destination"], op.attributes["threads"]
    kind: Shared = destination.type
    size, predicate = memory_bytes(kind.element), op.operands["predicate"]
    wanted = None if predicate is None else ctx.scalar(predicate)
    wanted = both(builder, wanted, ctx.owner(layout))
    tile = TileAccess.of(ctx, op, layout)
    tile.address = _opaque(builder, tile.address)
    thread = [combine(kind.offsets, base) * size for base in layout.thread]
    addresses = SharedAddresses(ctx, ctx.values[destination], thread)
    for offset in tile.starts(tile.vector):
        present = tile.present(offset)
        if present is not None and present.type != I1:
            present = builder.mul(present, ir.Constant(present.type, size))
        target = addresses.at(combine(kind.offsets, offset) * size)
        source = tile.address_of(offset)
        async_copy.copy(builder, size * tile.vector, target, source, wanted, present)


def _opaque(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """Return an address as one that LLVM knows nothing about.

    So it computes the other addresses of a thread from this one; otherwise it would have each of
    them advance through the loop by itself.
    """
    kind = ir.FunctionType(address.type, [address.type])
    return builder.asm(kind, "mov.b64 $0, $1;", "=l,l", [address], False)


def gather_async(ctx: Context, op: Op) -> None:
    """Lower gather_async: start to copy the elements that the thread has pointers to."""
    builder, destination, pointers = ctx.builder, op.operands["destination"], op.operands["source"]
    kind, layout, vector = destination.type, ctx.layout(pointers), op.attributes["vector"]
    size, predicate = memory_bytes(kind.element), op.operands["predicate"]
    wanted = None if predicate is None else ctx.scalar(predicate)
    wanted = both(builder, wanted, ctx.owner(layout))
    thread = [combine(kind.offsets, base) * size for base in layout.thread]
    addresses = SharedAddresses(ctx, ctx.values[destination], thread)
    vectors, masks = PointerVectors.of(ctx, op), optional(ctx, op, "mask")
    for offset, *_ in vectors.groups(vector):
        target = addresses.at(combine(kind.offsets, offset) * size)
        source, present = vectors.address_of(offset), masks.get(offset)
        async_copy.copy(builder, size * vector, target, source, wanted, present)


def commit_group(ctx: Context, op: Op) -> None:
    """Lower commit_group; its flight has no form."""
    async_copy.commit(ctx.builder)


def wait_group(ctx: Context, op: Op) -> None:
    """Lower wait_group: the tiles are in the slot whose turn it is."""
    async_copy.wait(ctx.builder, op.attributes["pending"])
    for tile, ring in zip(op.results, op.operands["rings"], strict=True):
        ctx.define(tile, _in_slot(ctx, ring, op.operands["turn"]))


def shared_slot(ctx: Context, op: Op) -> None:
    """Lower shared_slot."""
    ctx.define(op.result, _in_slot(ctx, op.operands["ring"], op.operands["turn"]))


def first_turn(ctx: Context, op: Op) -> None:
    """Lower first_turn."""
    if cast(Turn, op.result.type).phased:
        tensor_copies.first_turn(ctx, op)
    else:
        ctx.define(op.result, _first_slot(ctx, op.operands["ring"]))


def advance(ctx: Context, op: Op) -> None:
    """Lower advance: after the last slot comes the first one again."""
    if cast(Turn, op.result.type).phased:
        tensor_copies.advance(ctx, op)
        return
    builder, ring = ctx.builder, op.operands["ring"]
    first, slot = _first_slot(ctx, ring), ctx.values[op.operands["turn"]]
    size = slot_bytes(ring.owner)
    last = builder.add(first, ir.Constant(I32, size * (ring.type.slots - 1)))
    following = builder.add(slot, ir.Constant(I32, size))
    ctx.define(op.result, builder.select(builder.icmp_unsigned("==", slot, last), first, following))


def _first_slot(ctx: Context, ring: Value) -> ir.Value:
    return shared_address(ctx.builder, ring.owner.attributes["offset"])


def _in_slot(ctx: Context, ring: Value, turn: Value) -> ir.Value:
    """Return the address of a ring's tile in the slot whose turn it is."""
    if cast(Turn, turn.type).phased:
        return tensor_copies.tile_in_slot(ctx, ring, turn)
    return ctx.builder.add(ctx.values[turn], ir.Constant(I32, tile_offset(ring)))


LOWERINGS = {
    "advance": advance,
    "commit_group": commit_group,
    "copy_async": copy_async,
    "first_turn": first_turn,
    "gather_async": gather_async,
    "shared_slot": shared_slot,
    "wait_group": wait_group,
}
