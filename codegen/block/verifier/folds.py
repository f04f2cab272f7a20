"""Folds and scans: what they combine is in one warp, and in order where the body asks for that.

All their tiles are in the layout of the first one, or in what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.analysis.selecting_reductions import chooses
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import LinearLayout, dim_bits, renames
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.ir import Body, Op, Value


def fold_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the folds and scans of elements that are not where they are looked for."""
    for op in body.walk():
        if op.name == "fold":
            yield from ((op, why) for why in (*_folded(op), *_order(op)))
        elif op.name in ("scan_warp", "scan_across"):
            yield from ((op, why) for why in _scanned(op))


def _folded(op: Op) -> Iterator[str]:
    kind = op.operands["operands"][0].type
    if not isinstance(kind, Frag):
        yield "a tile of one element has nothing to fold"
        return
    layout, dim = kind.layout, op.attributes["dim"]
    yield from _same(op.operands["operands"], layout)
    low, count = dim_bits(kind.shape, dim)
    over = [1 << low + bit for bit in op.attributes["over"]]
    if any(not 0 <= bit < count for bit in op.attributes["over"]):
        yield f"dimension {dim} has the bits 0 to {count - 1}"
    elif any(base not in layout.register + layout.lane for base in over):
        yield "a bit that is folded is one of neither registers nor lanes"
    else:
        size = kind.size >> len(over)
        left = layout.without(sum(over)).compose(images_without(layout.bits, sum(over)))
        for value in op.results:
            if value.type.size != size:
                yield f"{size} elements are left, the result has {value.type.size}"
            elif isinstance(value.type, Frag) and value.type.layout != left:
                yield "the result has not the layout of what is left"


def _order(op: Op) -> Iterator[str]:
    """Check that a body that does not commute combines neighbours, the lowest bits first.

    One that chooses an element may be without order: then it was known, of the whole reduction,
    that elements differ in a number that decides.
    """
    if commutes(op) or chooses(op):
        return
    over = op.attributes["over"]
    if not op.attributes["ordered"] or over != tuple(range(len(over))):
        yield "the body does not commute, and others than neighbours are combined"


def _scanned(op: Op) -> Iterator[str]:
    """Check where a scan has its tiles, the sums of threads, and those of warps.

    A thread has the first elements of a dimension in its registers; the next ones are in the lanes
    behind it, and the rest in the warps behind its own.
    """
    tiles = op.operands["operands"] if op.name == "scan_warp" else op.results
    pairs = op.results if op.name == "scan_warp" else op.operands["operands"]
    scanned, sums = pairs[: len(tiles)], pairs[len(tiles) :]
    if not isinstance(tiles[0].type, Frag):
        return
    layout = tiles[0].type.layout
    yield from _same((*tiles, *scanned), layout)
    low, count = dim_bits(tiles[0].type.shape, op.attributes["dim"])
    along = (1 << count) - 1 << low
    registers, lanes, warps = (
        [base for base in bases if base & along]
        for bases in (layout.register, layout.lane, layout.warp)
    )
    if [*registers, *lanes, *warps] != [1 << low + bit for bit in range(count)]:
        yield "the dimension is not in the bits of registers, then of lanes, then of warps"
        return
    left = layout.without(sum(registers))
    yield from _same(sums, left.compose(images_without(layout.bits, sum(registers))))
    if op.name == "scan_warp":
        return
    if bool(warps) is not bool(op.operands["warps"]):
        yield "a scan takes the sums of warps if, and only if, there are several along it"
        return
    every = replace(
        layout,
        register=(*left.register, *warps),
        lane=tuple(0 if base in lanes else base for base in layout.lane),
        warp=tuple(0 if base in warps else base for base in layout.warp),
    ).compose(images_without(layout.bits, sum((*registers, *lanes))))
    for value in op.operands["warps"]:
        if isinstance(value.type, Frag) and not renames(value.type.layout, every):
            yield "a thread has not the sums of all warps"


def _same(tiles: Sequence[Value], layout: LinearLayout) -> Iterator[str]:
    if any(isinstance(tile.type, Frag) and tile.type.layout != layout for tile in tiles):
        yield "a tile has another layout than the others, or than follows from them"
