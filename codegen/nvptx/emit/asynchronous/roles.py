"""Lowering of roles, and of the slots that one role fills and another one reads.

A phased turn is a number, see `tensor_copies`. The phase of a slot's full mbarrier ends when its
copies have arrived, that of its empty one when all consumer warps have released it: so the producer
waits for the end of the phase before, which a fresh mbarrier counts as ended.
"""

from __future__ import annotations

from typing import cast

from llvmlite import ir

from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.block.roles import of_cluster, role_of
from tileir.codegen.layouts.linear_layout import LANE_BITS, log2
from tileir.codegen.nvptx.emit.context import I32, Context
from tileir.codegen.nvptx.machine import tensor_copy
from tileir.codegen.nvptx.machine.warps import converge, elected, set_registers
from tileir.ir import Op

from .tensor_copies import BLOCKS, mbarrier_of, start_copies, tile_in_slot

FIRST_OF_GROUPS = 2
"""The barrier of the first warpgroup: 0 is that of the block, 1 that of a role."""
_LANES = (1 << LANE_BITS) - 1


def lower_role(ctx: Context, op: Op) -> None:
    """Lower role: its warps branch to it, and come back never."""
    builder, first = ctx.builder, op.attributes["first"]
    inside, others = (builder.append_basic_block(f"{which}_role") for which in ("this", "next"))
    builder.cbranch(_among(ctx, first, op.attributes["warps"]), inside, others)
    builder.position_at_end(inside)
    set_registers(builder, op.attributes["registers"], op.attributes["frees"])
    if op.attributes["working"] < op.attributes["warps"]:
        working = builder.append_basic_block("working")
        builder.cbranch(_among(ctx, first, op.attributes["working"]), working, ctx.exit)
        builder.position_at_end(working)
    ctx.lower_block(ctx, op.regions[0].block)
    builder.position_at_end(others)


def _among(ctx: Context, first: int, count: int) -> ir.Value:
    """Return whether a thread is in one of `count` warps from the first one on."""
    builder = ctx.builder
    number = builder.sub(ctx.warp(), ir.Constant(I32, first))
    return builder.icmp_unsigned("<", number, ir.Constant(I32, count))


def acquire_slot(ctx: Context, op: Op) -> None:
    """Lower acquire_slot."""
    builder, turn = ctx.builder, op.operands["turn"]
    phase = builder.and_(ctx.values[turn], ir.Constant(I32, 1))
    before = builder.xor(phase, ir.Constant(I32, 1))
    tensor_copy.wait(builder, mbarrier_of(ctx, op.operands["barriers"], turn), before)


def commit_slot(ctx: Context, op: Op) -> None:
    """Lower commit_slot: the role has one warp, of which one lane starts the copies."""
    builder = ctx.builder
    with builder.if_then(elected(builder)):
        start_copies(ctx, op)
    converge(builder)


def wait_slot(ctx: Context, op: Op) -> None:
    """Lower wait_slot."""
    builder, turn = ctx.builder, op.operands["turn"]
    phase = builder.and_(ctx.values[turn], ir.Constant(I32, 1))
    tensor_copy.wait(builder, mbarrier_of(ctx, op.operands["barriers"], turn), phase)
    for tile, ring in zip(op.results, op.operands["rings"], strict=True):
        ctx.define(tile, tile_in_slot(ctx, ring, turn))


def held_slot(ctx: Context, op: Op) -> None:
    """Lower held_slot."""
    ctx.define(op.result, tile_in_slot(ctx, op.operands["ring"], op.operands["turn"]))


def release_slot(ctx: Context, op: Op) -> None:
    """Lower release_slot: one lane arrives for its warp, behind all lanes.

    In clusters, another one arrives at the other block: each at that of its own number.
    """
    builder, barriers = ctx.builder, op.operands["barriers"]
    cluster, predicate = of_cluster(barriers), op.operands["predicate"]
    wanted = builder.not_(ctx.thread_has(_LANES - (BLOCKS - 1) if cluster else _LANES))
    if predicate is not None:
        wanted = builder.and_(wanted, ctx.scalar(predicate))
    converge(builder)
    barrier = mbarrier_of(ctx, barriers, op.operands["turn"])
    if cluster:
        block = builder.and_(ctx.thread, ir.Constant(I32, BLOCKS - 1))
        tensor_copy.arrive_at_block_if(builder, barrier, block, wanted)
    else:
        tensor_copy.arrive_if(builder, barrier, wanted)


def order_wait(ctx: Context, op: Op) -> None:
    """Lower order_wait: each warpgroup waits at a barrier of its own."""
    _order(ctx, "sync", _group(ctx, op), op)


def order_pass(ctx: Context, op: Op) -> None:
    """Lower order_pass: arrive at the barrier of the next warpgroup, and do not wait."""
    group, last = _group(ctx, op), ir.Constant(I32, _groups(op) - 1)
    builder = ctx.builder
    following = builder.add(group, ir.Constant(I32, 1))
    is_last = builder.icmp_unsigned("==", group, last)
    _order(ctx, "arrive", builder.select(is_last, ir.Constant(I32, 0), following), op)


def order_start(ctx: Context, op: Op) -> None:
    """Lower order_start: the last warpgroup arrives for the first one."""
    _order_of_one(ctx, "arrive", _groups(op) - 1, op)


def order_end(ctx: Context, op: Op) -> None:
    """Lower order_end: the first warpgroup waits for the last one."""
    _order_of_one(ctx, "sync", 0, op)


def _order_of_one(ctx: Context, way: str, number: int, op: Op) -> None:
    """Have one warpgroup wait or arrive at the barrier of the first one."""
    builder = ctx.builder
    is_it = builder.icmp_unsigned("==", _group(ctx, op), ir.Constant(I32, number))
    with builder.if_then(is_it):
        _order(ctx, way, ir.Constant(I32, 0), op)


def _order(ctx: Context, way: str, group: ir.Value, op: Op) -> None:
    """Wait or arrive at the barrier of a warpgroup, which two of them complete."""
    number = ctx.builder.add(group, ir.Constant(I32, FIRST_OF_GROUPS))
    both = ir.Constant(I32, 2 * WARPGROUP << LANE_BITS)
    name = f"llvm.nvvm.barrier.cta.{way}.aligned.count"
    function = ctx.builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(ir.VoidType(), [I32, I32])
        function = ir.Function(ctx.builder.module, kind, name)
    ctx.builder.call(function, [number, both])


def _groups(op: Op) -> int:
    """Return how many warpgroups take turns."""
    return cast(Op, role_of(op)).attributes["working"] // WARPGROUP


def _group(ctx: Context, op: Op) -> ir.Value:
    """Return the number of a thread's warpgroup in its role."""
    builder, first = ctx.builder, cast(Op, role_of(op)).attributes["first"]
    own = builder.sub(ctx.warp(), ir.Constant(I32, first))
    return builder.lshr(own, ir.Constant(I32, log2(WARPGROUP)))


LOWERINGS = {
    "acquire_slot": acquire_slot,
    "commit_slot": commit_slot,
    "held_slot": held_slot,
    "order_end": order_end,
    "order_pass": order_pass,
    "order_start": order_start,
    "order_wait": order_wait,
    "release_slot": release_slot,
    "role": lower_role,
    "wait_slot": wait_slot,
}
