"""Lowering of scan: over the registers of a thread, over lanes, over warps.

The layout has the lowest bits of the dimension in registers, the next in lanes, the rest in warps
(`linear_layout.for_scan`), so that a thread holds consecutive elements. Each thread scans its own;
the prefix, the fold of all threads before it, comes from shuffles and one exchange between warps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, dim_bits, span
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.codegen.scalar.constants import constant
from tileir.ir import Op

from .folds import Elements, Many, ScratchBuffer, run_body, shuffled


def lower_scan(ctx: EmitContext, op: Op) -> None:
    """Lower scan: in each thread, then over the lanes of a warp, then over warps.

    The identities of the op are not used, as they may change the result: 0.0 + -0.0 is 0.0.
    """
    operands, layout = op.operands["operands"], ctx.assignment.op_layouts[op]
    elements = [value.type.element for value in operands]
    low, count = dim_bits(operands[0].type.shape, op.attributes["dim"])
    along = (1 << count) - 1 << low
    backwards = op.attributes["reverse"]
    fragments = [ctx.fragment(value, layout) for value in operands]
    own = [base for base in layout.register if base & along]
    others = [base for base in layout.register if not base & along]
    steps = span(own)[::-1] if backwards else span(own)
    values: Many = {}
    for row in span(others):
        values[row ^ steps[0]] = running = [f[row ^ steps[0]] for f in fragments]
        for step in steps[1:]:
            running = run_body(ctx, op, running, [f[row ^ step] for f in fragments])
            values[row ^ step] = running
    last = steps[-1]
    totals = {row: values[row ^ last] for row in span(others)}
    prefixes = _before(ctx, op, elements, layout, along, backwards, totals)
    if prefixes is not None:
        before, nothing = prefixes
        neutral = _neutral(op)
        for row in span(others):
            prefix = before[row]
            if neutral is not None:
                prefix = _choose(ctx.builder, nothing, neutral, prefix)
            for step in steps:
                own_value = values[row ^ step]
                value = run_body(ctx, op, prefix, own_value)
                if neutral is None:
                    value = _choose(ctx.builder, nothing, own_value, value)
                values[row ^ step] = value
    for number, result in enumerate(op.results):
        ctx.define(result, layout, {o: elements[number] for o, elements in values.items()})


def _neutral(op: Op) -> Elements | None:
    """Return the neutral first operand of the body; None if none is known."""
    body, *rest = op.regions[0].block.ops
    if len(rest) != 1 or body.name not in _NEUTRAL or len(op.results) != 1:
        return None
    if next(rest[0].operand_list()) is not body.result:
        return None
    arguments = op.regions[0].block.arguments
    if {id(value) for value in body.operand_list()} != {id(value) for value in arguments}:
        return None
    rounding = body.attributes.get("rounding_mode", "nearest_even")
    if rounding != "nearest_even" or body.attributes.get("flush_to_zero"):
        return None
    element = op.results[0].type.element
    return [constant(element, _NEUTRAL[body.name](element.bits))]


_NEUTRAL: dict[str, Callable[[int], int]] = {
    "addf": lambda width: 1 << width - 1,
    "addi": lambda width: 0,
    "andi": lambda width: (1 << width) - 1,
    "muli": lambda width: 1,
    "ori": lambda width: 0,
    "xori": lambda width: 0,
}
"""Op -> the bits of its neutral element, given the element's width; that of addf is -0."""


def _before(
    ctx: EmitContext,
    op: Op,
    elements: Sequence[object],
    layout: LinearLayout,
    along: int,
    backwards: bool,
    totals: Many,
) -> tuple[Many, ir.Value] | None:
    """Return the fold of all threads before this one for each row, and whether there are none (i1).

    None if no thread has one before it.
    """
    lanes = [bit for bit, base in enumerate(layout.lane) if base & along]
    warps = [base for base in layout.warp if base & along]
    if not lanes and not warps:
        return None
    builder = ctx.builder
    inclusive, before = dict(totals), None
    lane_mask = sum(1 << bit for bit in lanes)
    if lanes:
        for bit in lanes:
            # The last lane of the other half has the fold of all of it.
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
        first_lane = _is_end(ctx, lane_mask, backwards)
        before = {
            row: shuffled(ctx, elements, mine, "idx", source) for row, mine in inclusive.items()
        }
        if not warps:
            return before, first_lane
    ends = [ctx.owner(layout)]
    if lanes:
        ends.append(_is_end(ctx, lane_mask, not backwards))
    ends = [end for end in ends if end is not None]
    writes = ends[0] if len(ends) == 1 else builder.and_(*ends) if ends else None
    kept = layout.without(along & ~sum(warps))
    scratch = ScratchBuffer(ctx, elements, kept, warps)
    scratch.write(inclusive, writes)
    ctx.shared.barrier()
    mine = ctx.combined(
        tuple(1 << warps.index(base) if base in warps else 0 for base in layout.thread)
    )
    first, *later = range(1 << len(warps))[:: -1 if backwards else 1]
    first_warp = builder.icmp_unsigned("==", mine, ir.Constant(I32, first))
    result = {}
    for row in totals:
        by_warp = scratch.read(row)
        chosen = running = by_warp[first]
        for number in later:
            here = builder.icmp_unsigned("==", mine, ir.Constant(I32, number))
            chosen = _choose(builder, here, running, chosen)
            if number != later[-1]:
                running = run_body(ctx, op, running, by_warp[number])
        if before is not None:
            both = run_body(ctx, op, chosen, before[row])
            both = _choose(builder, first_warp, before[row], both)
            chosen = _choose(builder, first_lane, chosen, both)
        result[row] = chosen
    return result, first_warp if before is None else builder.and_(first_lane, first_warp)


def _is_second(ctx: EmitContext, bit: int, backwards: bool) -> ir.Value:
    """Return whether the half that a thread's bit puts it in comes second."""
    upper = ctx.thread_has(bit)
    return ctx.builder.not_(upper) if backwards else upper


def _is_end(ctx: EmitContext, mask: int, upper: bool) -> ir.Value:
    """Return whether the thread's bits in the mask are all set, if `upper`, else all clear."""
    bits = ctx.builder.and_(ctx.thread, ir.Constant(I32, mask))
    return ctx.builder.icmp_unsigned("==", bits, ir.Constant(I32, mask if upper else 0))


def _choose(
    builder: ir.IRBuilder, condition: ir.Value, first: Elements, second: Elements
) -> Elements:
    return [builder.select(condition, a, b) for a, b in zip(first, second, strict=True)]


LOWERINGS = {"scan": lower_scan}
