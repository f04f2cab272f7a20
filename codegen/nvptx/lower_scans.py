"""Lowering of scan: over the registers of a thread, over lanes, over warps.

The layout has the lowest bits of the dimension in registers, the next in lanes, the rest in warps
(`layout.for_scan`), so that what a thread holds is a stretch of neighbours. Each thread folds its
own; what all threads before it have folded is found by shuffles and one exchange between warps.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.ir import Op

from ..scalar.constants import constant
from .folds import Board, Elements, Many, run_body, shuffled
from .fragments import I32, Context
from .layout import LinearLayout, dim_bits, span


def lower_scan(ctx: Context, op: Op) -> None:
    """In each thread, then over the lanes of a warp, then over warps: three prefixes in one."""
    operands, layout = op.operands["operands"], ctx.assignment.own[op]
    elements = [value.type.element for value in operands]
    low, count = dim_bits(operands[0].type.shape, op.attributes["dim"])
    along = (1 << count) - 1 << low
    backwards = op.attributes["reverse"]
    fragments = [ctx.fragment(value, layout) for value in operands]
    own = [base for base in layout.register if base & along]
    others = [base for base in layout.register if not base & along]
    identity = [
        constant(element, number.bits)
        for element, number in zip(elements, op.attributes["identities"], strict=True)
    ]
    steps = span(own)[::-1] if backwards else span(own)
    values: Many = {}
    for row in span(others):
        running = identity
        for step in steps:
            running = run_body(ctx, op, running, [f[row ^ step] for f in fragments])
            values[row ^ step] = running
    last = steps[-1]
    totals = {row: values[row ^ last] for row in span(others)}
    before = _before(ctx, op, elements, layout, along, backwards, totals, identity)
    if before is not None:
        for row in span(others):
            for step in steps:
                values[row ^ step] = run_body(ctx, op, before[row], values[row ^ step])
    for number, result in enumerate(op.results):
        ctx.define(result, layout, {o: found[number] for o, found in values.items()})


def _before(
    ctx: Context, op: Op, elements: Sequence[object], layout: LinearLayout, along: int,
    backwards: bool, totals: Many, identity: Elements,
) -> Many | None:  # fmt: skip
    """What all threads before this one have folded, for each row; None if there are none."""
    lanes = [bit for bit, base in enumerate(layout.lane) if base & along]
    warps = [base for base in layout.warp if base & along]
    if not lanes and not warps:
        return None
    builder = ctx.builder
    inclusive, before = dict(totals), None
    lane_mask = sum(1 << bit for bit in lanes)
    if lanes:
        for bit in lanes:
            # The last lane of the other half has folded all of it.
            below = sum(1 << lower for lower in lanes if lower < bit)
            source = builder.and_(ctx.thread, ir.Constant(I32, 31 & ~(below | 1 << bit)))
            source = builder.or_(source, ir.Constant(I32, 1 << bit if backwards else below))
            second = _is_second(ctx, 1 << bit, backwards)
            for row, mine in inclusive.items():
                theirs = shuffled(ctx, elements, mine, "idx", source)
                both = run_body(ctx, op, theirs, mine)
                inclusive[row] = _choose(builder, second, both, mine)
        step = 1 << lanes[0]
        move = builder.add if backwards else builder.sub
        source = move(ctx.thread, ir.Constant(I32, step))
        source = builder.and_(source, ir.Constant(I32, 31))
        first = _is_end(ctx, lane_mask, backwards)
        before = {
            row: _choose(builder, first, identity, shuffled(ctx, elements, mine, "idx", source))
            for row, mine in inclusive.items()
        }
    if not warps:
        return before
    ends = [ctx.owner(layout)]
    if lanes:
        ends.append(_is_end(ctx, lane_mask, not backwards))
    ends = [end for end in ends if end is not None]
    writes = ends[0] if len(ends) == 1 else builder.and_(*ends) if ends else None
    kept = layout.without(along & ~sum(warps))
    board = Board(ctx, elements, kept, warps)
    board.write(inclusive, writes)
    ctx.shared.barrier()
    numbers = range(1 << len(warps))
    mine = ctx.combined(
        tuple(1 << warps.index(base) if base in warps else 0 for base in layout.thread)
    )
    result = {}
    for row in totals:
        found = board.read(row)
        running, chosen = identity, identity
        for number in reversed(numbers) if backwards else numbers:
            here = builder.icmp_unsigned("==", mine, ir.Constant(I32, number))
            chosen = _choose(builder, here, running, chosen)
            running = run_body(ctx, op, running, found[number])
        result[row] = chosen if before is None else run_body(ctx, op, chosen, before[row])
    return result


def _is_second(ctx: Context, bit: int, backwards: bool) -> ir.Value:
    """Whether the half that a thread's bit puts it in comes after the other."""
    upper = ctx.thread_has(bit)
    return ctx.builder.not_(upper) if backwards else upper


def _is_end(ctx: Context, mask: int, upper: bool) -> ir.Value:
    """Whether the thread's bits in the mask are all clear, or all set."""
    bits = ctx.builder.and_(ctx.thread, ir.Constant(I32, mask))
    return ctx.builder.icmp_unsigned("==", bits, ir.Constant(I32, mask if upper else 0))


def _choose(
    builder: ir.IRBuilder, condition: ir.Value, first: Elements, second: Elements
) -> Elements:
    return [builder.select(condition, a, b) for a, b in zip(first, second, strict=True)]


LOWERINGS = {"scan": lower_scan}
