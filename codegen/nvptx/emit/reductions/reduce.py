"""Lowering of reduce: registers, then lanes, then warps.

A reduction folds the bits of the coordinate along its dimension one by one. Where a bit is a
register, the thread combines its own elements; where it is a lane, a shuffle brings the other half;
where it is a warp, partial results are exchanged through shared memory, once for all warps. If the
body commutes, or selects one of its operands, bits are taken in the order registers, lanes, warps.
Otherwise they are taken from the lowest to the highest: then only neighbours are combined, in their
order, and the body need not commute. Afterwards all threads that took part have the same result, to
the last bit: both lanes of a pair take the operands in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.analysis.selecting_reductions import chooses
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits, dropped_images
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.ir import Op

from .folds import Elements, Many, ScratchBuffer, run_body, shuffled


def lower_reduce(ctx: EmitContext, op: Op) -> None:
    """Lower reduce; every thread that needs the result has it in the end."""
    fold = _Fold(ctx, op)
    low, count = fold.low, fold.count
    registers, lanes, warps = fold.bits_by_kind()
    order = [1 << bit for bit in range(low, low + count)]
    if fold.commutes or chooses(op):
        order = [*registers, *lanes, *warps]
    bits = [(len(registers), "registers"), (len(lanes), "lanes"), (len(warps), "warps")]
    steps = ", ".join(f"over {1 << count} {kind}" for count, kind in bits if count)
    ctx.remark(f"dimension of {1 << count} reduced", steps or "its elements are all the same")
    while order:
        bit = order[0]
        if bit in registers:
            fold.in_registers(bit)
            order = order[1:]
        elif bit in lanes:
            fold.across_lanes(bit)
            order = order[1:]
        else:
            together = 1
            while together < len(order) and order[together] in warps:
                together += 1
            fold.across_warps(order[:together])
            order = order[together:]
    bases = dropped_images(fold.layout.bits, low, count)
    for number, result in enumerate(op.results):
        layout = ctx.assignment.defined_in(result)[0]
        fragment = {combine(bases, o): elements[number] for o, elements in fold.values.items()}
        ctx.define(result, layout, fragment)


class _Fold:
    """The state of a reduction: the partial results, and their layout."""

    def __init__(self, ctx: EmitContext, op: Op) -> None:
        self.ctx, self.op = ctx, op
        operands = op.operands["operands"]
        self.elements = [value.type.element for value in operands]
        self.layout: LinearLayout = ctx.assignment.op_layouts[op]
        fragments = [ctx.fragment(value, self.layout) for value in operands]
        self.values: Many = {o: [f[o] for f in fragments] for o in self.layout.offsets()}
        self.low, self.count = dim_bits(operands[0].type.shape, op.attributes["dim"])
        self.commutes = commutes(op)

    def bits_by_kind(self) -> tuple[list[int], list[int], list[int]]:
        """Return the bases along the dimension that are registers, lanes and warps."""
        bits = [1 << bit for bit in range(self.low, self.low + self.count)]
        parts = (self.layout.register, self.layout.lane, self.layout.warp)
        registers, lanes, warps = ([bit for bit in bits if bit in part] for part in parts)
        return registers, lanes, warps

    def body(self, earlier: Elements, later: Elements) -> Elements:
        """Emit the body on two neighbours; its first operand is the later one."""
        return run_body(self.ctx, self.op, later, earlier)

    def in_registers(self, bit: int) -> None:
        for offset in [offset for offset in self.values if not offset & bit]:
            self.values[offset] = self.body(self.values[offset], self.values.pop(offset ^ bit))
        self.layout = self.layout.without(bit)

    def across_lanes(self, bit: int) -> None:
        ctx = self.ctx
        lane = self.layout.lane.index(bit)
        for offset, mine in self.values.items():
            other = shuffled(ctx, self.elements, mine, "bfly", ir.Constant(I32, 1 << lane))
            if self.commutes:
                self.values[offset] = self.body(mine, other)
                continue
            upper = ctx.thread_bit(lane)
            pairs = list(zip(mine, other, strict=True))
            earlier = [ctx.builder.select(upper, theirs, own) for own, theirs in pairs]
            later = [ctx.builder.select(upper, own, theirs) for own, theirs in pairs]
            self.values[offset] = self.body(earlier, later)
        self.layout = self.layout.without(bit)

    def across_warps(self, bits: Sequence[int]) -> None:
        """Exchange partial results through shared memory; every thread folds those of all warps."""
        after = self.layout.without(sum(bits))
        scratch = ScratchBuffer(self.ctx, self.elements, self.layout, bits)
        scratch.write(self.values, self.ctx.owner(self.layout))
        self.ctx.shared.barrier()
        values: Many = {}
        for offset in after.offsets():
            first, *others = scratch.read(offset)
            for later in others:
                first = self.body(first, later)
            values[offset] = first
        self.values, self.layout = values, after


LOWERINGS = {"reduce": lower_reduce}
