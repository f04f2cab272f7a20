"""Tiles in shared memory in row-major order, for ops that access any element at run time.

A large tile is there piece by piece: a reader has to look at every piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.convert import PIECE_BYTES
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.codegen.nvptx.emit.shared import ALIGNMENT
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type
from tileir.ir import Value

Reached = Callable[[int], tuple[ir.Value, int, ir.Value | None]]
"""From a constant offset in bytes to address, immediate, and whether that is in the piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a tile, at the address `base`; `number` is None if they are the whole tile."""

    builder: ir.IRBuilder
    base: ir.Value
    size: int
    """Bytes of the piece, a power of two."""
    number: int | None = None

    @property
    def start(self) -> int:
        """The offset of the piece's first byte in the tile."""
        return (self.number or 0) * self.size

    def reached(self, moving: ir.Value) -> Reached:
        """Return the addresses at `moving` plus a constant offset; these have no common bits."""
        builder, tests, number = self.builder, {}, self.number
        if number is None:
            address = builder.add(self.base, moving)
            return lambda fixed: (address, fixed, None)
        mask, shift = self.size - 1, self.size.bit_length() - 1
        address = builder.add(self.base, builder.and_(moving, ir.Constant(I32, mask)))
        part = builder.lshr(moving, ir.Constant(I32, shift))

        def reached(fixed: int) -> tuple[ir.Value, int, ir.Value]:
            wanted = number ^ fixed >> shift
            if wanted not in tests:
                tests[wanted] = builder.icmp_unsigned("==", part, ir.Constant(I32, wanted))
            return address, fixed & mask, tests[wanted]

        return reached


def staged(ctx: EmitContext, value: Value, layout: LinearLayout) -> Iterator[Piece]:
    """Store a tile piece by piece, from a layout; yield each piece behind a barrier."""
    size = integer_type(value.type.element).width // 8 * value.type.size
    count = max(size // PIECE_BYTES, 1)
    for number in range(count):
        base = ctx.shared.reserve(size // count)
        piece = Piece(ctx.builder, base, size // count, number if count > 1 else None)
        _write(ctx, value, layout, piece)
        ctx.shared.barrier()
        yield piece


def staged_together(
    ctx: EmitContext, values: Sequence[Value], layouts: Sequence[LinearLayout]
) -> list[Piece]:
    """Store several small tiles as a whole, and end with a barrier."""
    sizes = [integer_type(value.type.element).width // 8 * value.type.size for value in values]
    *offsets, end = accumulate((-(-size // ALIGNMENT) * ALIGNMENT for size in sizes), initial=0)
    if not values:
        return []
    base, pieces = ctx.shared.reserve(end), []
    for value, layout, offset, size in zip(values, layouts, offsets, sizes, strict=True):
        pieces.append(Piece(ctx.builder, ctx.builder.add(base, I32(offset)), size))
        _write(ctx, value, layout, pieces[-1])
    ctx.shared.barrier()
    return pieces


def _write(ctx: EmitContext, value: Value, layout: LinearLayout, piece: Piece) -> None:
    """Store the thread's elements that belong to a piece, in the owner of each."""
    builder, element = ctx.builder, value.type.element
    shape = access.AccessShape(integer_type(element).width, 1)
    size, owner = shape.bits // 8, ctx.owner(layout)
    reached = piece.reached(ctx.combined(tuple(thread * size for thread in layout.thread)))
    for offset, held in ctx.fragment(value, layout).items():
        address, fixed, inside = reached(offset * size)
        if inside is not None and owner is not None:
            inside = builder.and_(inside, owner)
        bits = [bits_of(builder, held, element)]
        access.store(builder, shape, address, fixed, inside or owner, bits, access.SHARED)
