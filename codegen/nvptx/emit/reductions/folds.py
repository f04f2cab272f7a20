"""What reductions and scans share: their bodies, shuffles, and a scratch buffer for warps."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, combine
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.codegen.nvptx.emit.shuffle import shuffle
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.ir import Block, Op

Elements = list[ir.Value]
"""One element of each operand."""
Many = dict[int, Elements]
"""Offset -> the elements there."""


def run_body(ctx: EmitContext, op: Op, first: Elements, second: Elements) -> Elements:
    """Emit the body on two elements of each operand; return what it yields."""
    block: Block = op.regions[0].block
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    for argument, value in zip(block.arguments, pairs, strict=True):
        ctx.define_scalar(argument, value)
    *body, end = block.ops
    for inner in body:
        ctx.lower_op(ctx, inner)
    return [ctx.scalar(value) for value in end.operand_list()]


def shuffled(
    ctx: EmitContext, elements: Sequence[object], values: Elements, mode: str, lane: ir.Value
) -> Elements:
    """Return the values of another lane."""
    builder, result = ctx.builder, []
    for value, element in zip(values, elements, strict=True):
        moved = shuffle(builder, mode, bits_of(builder, value, element), lane)
        result.append(value_of(builder, moved, element))
    return result


class ScratchBuffer:
    """A scratch buffer in shared memory with one value per warp for each element of a tile.

    The values of warps that differ only in the element bits `bits` are adjacent.
    """

    def __init__(
        self,
        ctx: EmitContext,
        elements: Sequence[object],
        layout: LinearLayout,
        bits: Sequence[int],
    ) -> None:
        self.ctx, self.elements, self.layout, self.bits = ctx, elements, layout, bits
        self._mask = sum(bits)
        # All other bits in use number the elements.
        used = 0
        for base in (*layout.register, *layout.thread):
            used |= base
        rest = [1 << bit for bit in range(layout.bits) if (used & ~self._mask) >> bit & 1]
        self._slots = [0] * layout.bits
        for bit, base in enumerate([*bits, *rest]):
            self._slots[base.bit_length() - 1] = 1 << bit
        slots = 1 << len(bits) + len(rest)
        sizes = [integer_type(element).width // 8 for element in elements]
        starts, end = [], 0
        for size in sizes:
            end = -(-end // 16) * 16
            starts.append(end)
            end += size * slots
        base = ctx.shared.reserve(end)
        self._bases = [
            ctx.builder.add(base, ir.Constant(I32, start)) if start else base for start in starts
        ]
        self._sizes = sizes

    def write(self, values: Many, owner: ir.Value | None) -> None:
        """Store the values of this thread's warp, if the thread is the owner."""
        builder = self.ctx.builder
        for offset, elements in values.items():
            for number, (element, kind) in enumerate(zip(elements, self.elements, strict=True)):
                address, fixed = self._address_of(number, self.layout, offset)
                bits = bits_of(builder, element, kind)
                shape = access.AccessShape(bits.type.width, 1)
                access.store(builder, shape, address, fixed, owner, [bits], access.SHARED)

    def read(self, offset: int) -> list[Elements]:
        """Return the values of all warps for the element at an offset, in the order of `bits`."""
        builder, layout = self.ctx.builder, self.layout.without(self._mask)
        columns = []
        for number, kind in enumerate(self.elements):
            address, fixed = self._address_of(number, layout, offset)
            size, loaded = self._sizes[number], []
            vector = min(1 << len(self.bits), 16 // size)
            shape = access.AccessShape(8 * size, vector)
            for start in range(0, 1 << len(self.bits), vector):
                immediate = fixed + start * size
                loaded += access.load(builder, shape, address, immediate, None, None, access.SHARED)
            columns.append([value_of(builder, bits, kind) for bits in loaded])
        return [list(row) for row in zip(*columns, strict=True)]

    def _address_of(self, number: int, layout: LinearLayout, offset: int) -> tuple[ir.Value, int]:
        size = self._sizes[number]
        bases = tuple(combine(self._slots, base) * size for base in layout.thread)
        own = self.ctx.builder.add(self._bases[number], self.ctx.combined(bases))
        return own, combine(self._slots, offset) * size
