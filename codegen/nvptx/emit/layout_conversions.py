"""Lowering of convert_layout: other registers of the thread, selects, shuffles within a warp.

Conversions for which that is not enough, or takes too many shuffles, have become copies through
shared memory before (see `passes.choose_copies`).
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, span
from tileir.codegen.layouts.warp_conversions import cases_of, mask_of, warp_conversion
from tileir.codegen.nvptx.machine.access import bits_of, value_of
from tileir.ir import Op
from tileir.types import Element

from .context import I32, Context, Fragment
from .sequences.shuffle import shuffle


def convert_layout(ctx: Context, op: Op) -> None:
    """Lower convert_layout, of a tile that every warp holds as it needs it.

    AssertionError if elements change their warp, which is a defect of the passes before.
    """
    source, target = op.operands["source"], ctx.layout(op.result)
    fragment, steps = ctx.fragment(source), warp_conversion(ctx.layout(source), target)
    for (bit, base), registers in zip(steps.selections, steps.registers, strict=True):
        upper = ctx.thread_bit(bit)
        fragment = {
            offset: ctx.builder.select(upper, fragment[offset ^ base], fragment[offset])
            for offset in span(registers)
        }
    if steps.renames:
        ctx.define(op.result, {offset: fragment[offset] for offset in target.offsets()})
        return
    if not steps.keeps_warps:
        raise AssertionError(f"elements change warps from {ctx.layout(source)} to {target}")
    element = op.result.type.element
    ctx.define(op.result, _shuffled(ctx, fragment, element, steps.selected, target))


def _shuffled(
    ctx: Context, fragment: Fragment, element: Element, source: LinearLayout, target: LinearLayout
) -> Fragment:
    """Convert by shuffles: each lane reads its elements from the lanes that have them.

    The other lane's register may depend on bits of this lane's number; then there is a shuffle for
    each case.
    """
    builder = ctx.builder
    registers = mask_of(source.register)
    selecting, choices = cases_of(target, registers)
    lane_of = {base: 1 << bit for bit, base in enumerate(source.lane) if base}
    bases = tuple(lane_of.get(base, 0) for base in target.lane)
    mine = ctx.combined((*bases, *[0] * len(target.warp)))
    result = {}
    for offset in target.offsets():
        fixed = sum(lane for base, lane in lane_of.items() if base & offset)
        lane = builder.xor(mine, ir.Constant(I32, fixed)) if fixed else mine
        cases = []
        for choice in choices:
            held = fragment[offset & registers ^ choice]
            moved = shuffle(builder, "idx", bits_of(builder, held, element), lane)
            cases.append(value_of(builder, moved, element))
        for bit in reversed(selecting):
            half = len(cases) // 2
            upper = ctx.thread_bit(bit)
            cases = [builder.select(upper, cases[k + half], cases[k]) for k in range(half)]
        result[offset] = cases[0]
    return result


LOWERINGS = {"convert_layout": convert_layout}
