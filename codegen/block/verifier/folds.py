"""Folds and scans: what they combine is in one warp, and in order where the body asks for that."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.analysis.reorderable_reductions import commutes
from tileir.codegen.analysis.selecting_reductions import chooses
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import dim_bits
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.ir import Body, Op


def fold_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the folds that take elements of several warps, or leave something else than said."""
    for op in body.walk():
        if op.name == "fold":
            yield from ((op, why) for why in (*_folded(op), *_order(op)))
        elif op.name == "scan_across":
            yield from _scanned(op)


def _folded(op: Op) -> Iterator[str]:
    kind = op.operands["operands"][0].type
    if not isinstance(kind, Frag):
        yield "a tile of one element has nothing to fold"
        return
    layout, dim = kind.layout, op.attributes["dim"]
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


def _scanned(op: Op) -> Iterator[tuple[Op, str]]:
    values = op.operands["operands"]
    sums = values[len(values) // 2].type
    if not isinstance(sums, Frag):
        return
    low, count = dim_bits(sums.shape, op.attributes["dim"])
    across = any(base >> low & (1 << count) - 1 for base in sums.layout.warp)
    if across is not bool(op.operands["warps"]):
        yield op, "a scan takes the sums of warps if, and only if, there are several along it"
