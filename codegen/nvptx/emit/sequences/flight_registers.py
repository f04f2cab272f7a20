"""The registers of an accumulator under way: of f16, each has two neighbours along n.

Instructions of warpgroups want them so; everywhere else a register has one element. A register of
two is known by the offset of the first one.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.block.types import Flight, registers_of
from tileir.codegen.nvptx.emit.context import I32, Context, Fragment
from tileir.codegen.scalar.bits import pair_of
from tileir.codegen.scalar.types import llvm_type
from tileir.ir import Value
from tileir.types import Scalar, Tile

_HALF = Scalar("f16")
_PAIR = ir.VectorType(ir.HalfType(), 2)


def register_type(value: Value, tile: Tile) -> ir.Type:
    """Return the type of a register of a tile, or of one under way."""
    return I32 if _has_pairs(value, tile) else llvm_type(tile.element)


def register_offsets(ctx: Context, value: Value) -> Sequence[int]:
    """Return the offsets by which the registers of a tile, or of one under way, are known."""
    offsets, tile = ctx.layout(value).offsets(), registers_of(value.type)
    paired = tile is not None and _has_pairs(value, tile)
    return [each for each in offsets if not each & 1] if paired else list(offsets)


def started(ctx: Context, acc: Value) -> Fragment:
    """Return the registers in which an accumulator, which may be under way, is when products are
    added to it."""
    fragment = ctx.fragment(acc)
    if isinstance(acc.type, Flight) or acc.type.element != _HALF:
        return dict(fragment)
    return {
        offset: pair_of(ctx.builder, low, fragment[offset ^ 1])
        for offset, low in fragment.items()
        if not offset & 1
    }


def landed(ctx: Context, registers: Fragment, tile: Tile) -> Fragment:
    """Return the elements of an accumulator that was under way in registers."""
    if tile.element != _HALF:
        return registers
    fragment: dict[int, ir.Value] = {}
    for offset, word in registers.items():
        pair = ctx.builder.bitcast(word, _PAIR)
        for index in (0, 1):
            element = ctx.builder.extract_element(pair, ir.Constant(I32, index))
            fragment[offset ^ index] = element
    return fragment


def _has_pairs(value: Value, tile: Tile) -> bool:
    return isinstance(value.type, Flight) and tile.element == _HALF
