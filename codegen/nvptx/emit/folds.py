"""Lowering of folds and scans: over the registers of a thread, and the lanes of a warp.

A fold takes the bits of a coordinate one by one: where a bit is a register, the thread combines its
own elements; where it is a lane, a shuffle brings the other half. Afterwards all threads that took
part have the same result, to the last bit: both lanes of a pair take the operands in the same
order. What crosses warps is in registers by then, brought there by a layout conversion.

A scan has the lowest bits of its dimension in registers, the next in lanes, the rest in warps, so
that a thread holds consecutive elements. Each thread scans its own; the prefix, the fold of all
threads before it, comes from shuffles, and from the sums of all warps. If the body rounds to few
bits (`narrow_folds`), a thread scans as a tree, so that a prefix of n elements is the result of
2 log2(n) + 1 steps at most where there are up to four warps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from tileir.codegen.analysis.narrow_folds import rounds_narrowly
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits, span
from tileir.codegen.layouts.warp_conversions import images_without
from tileir.codegen.nvptx.machine.access import bits_of, value_of
from tileir.codegen.scalar.constants import constant
from tileir.ir import Block, Op
from tileir.types import Element

from .context import I32, Context
from .sequences.shuffle import shuffle

Elements = list[ir.Value]
"""One element of each operand."""
Many = dict[int, Elements]
"""Offset -> the elements there."""


def fold(ctx: Context, op: Op) -> None:
    """Lower fold; every thread that took part has the result in the end."""
    operands, ordered = op.operands["operands"], op.attributes["ordered"]
    low, _ = dim_bits(operands[0].type.shape, op.attributes["dim"])
    layout, kinds = ctx.layout(operands[0]), [value.type.element for value in operands]
    values = _of_operands(ctx, operands, layout)
    over = [1 << low + number for number in op.attributes["over"]]
    for bit in over:
        if bit in layout.register:
            for offset in [offset for offset in values if not offset & bit]:
                later = values.pop(offset ^ bit)
                values[offset] = _folded(ctx, op, values[offset], later)
        elif bit in layout.lane:
            lane = layout.lane.index(bit)
            for offset, mine in values.items():
                other = _shuffled(ctx, kinds, mine, "bfly", ir.Constant(I32, 1 << lane))
                values[offset] = _of_lanes(ctx, op, lane, mine, other, ordered)
        else:
            raise AssertionError(f"bit {bit:#x} of {layout} is neither register nor lane")
    images = images_without(layout.bits, sum(over))
    for number, result in enumerate(op.results):
        ctx.define(result, {combine(images, o): each[number] for o, each in values.items()})


def _folded(ctx: Context, op: Op, earlier: Elements, later: Elements) -> Elements:
    """Emit the body on two neighbours; its first operand is the later one."""
    return run_body(ctx, op, later, earlier)


def _of_lanes(
    ctx: Context, op: Op, lane: int, mine: Elements, other: Elements, ordered: bool
) -> Elements:
    """Fold this lane's elements and those of the lane whose number differs in one bit."""
    if not ordered:
        return _folded(ctx, op, mine, other)
    upper = ctx.thread_bit(lane)
    return _folded(
        ctx, op, choose(ctx.builder, upper, other, mine), choose(ctx.builder, upper, mine, other)
    )


def run_body(ctx: Context, op: Op, first: Elements, second: Elements) -> Elements:
    """Emit the body on two elements of each operand; return what it yields."""
    block: Block = op.regions[0].block
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    for argument, value in zip(block.arguments, pairs, strict=True):
        ctx.define_scalar(argument, value)
    *body, end = block.ops
    for inner in body:
        ctx.lower_op(ctx, inner)
    return [ctx.scalar(value) for value in end.operand_list()]


def _of_operands(ctx: Context, operands: Sequence, layout: LinearLayout) -> Many:
    fragments = [ctx.fragment(value) for value in operands]
    return {offset: [each[offset] for each in fragments] for offset in layout.offsets()}


def _shuffled(
    ctx: Context, kinds: Sequence[Element], values: Elements, mode: str, lane: ir.Value
) -> Elements:
    """Return the values of another lane."""
    builder, result = ctx.builder, []
    for value, element in zip(values, kinds, strict=True):
        moved = shuffle(builder, mode, bits_of(builder, value, element), lane)
        result.append(value_of(builder, moved, element))
    return result


def choose(
    builder: ir.IRBuilder, condition: ir.Value, first: Elements, second: Elements
) -> Elements:
    """Return the first elements where the condition holds, the second ones elsewhere."""
    return [builder.select(condition, a, b) for a, b in zip(first, second, strict=True)]


# Scans ----------------------------------------------------------------------------------------


class _Scan:
    """A scan along a dimension of tiles in a layout.

    `steps` are the offsets of a thread's elements along the dimension, the first one first; each
    of `rows` is the offset of such a run. `lanes` are the bits of a lane's number along the
    dimension, `warps` the bases of warps. Element numbers are those of the scanned tiles; `images`
    maps them to those of the sums of threads.
    """

    def __init__(self, op: Op, layout: LinearLayout) -> None:
        shape = op.operands["operands"][0].type.shape
        low, count = dim_bits(shape, op.attributes["dim"])
        along = (1 << count) - 1 << low
        own = [base for base in layout.register if base & along]
        self.layout, self.backwards = layout, bool(op.attributes["reverse"])
        self.steps = span(own)[::-1] if self.backwards else span(own)
        self.rows = span([base for base in layout.register if not base & along])
        self.lanes = [bit for bit, base in enumerate(layout.lane) if base & along]
        self.warps = [base for base in layout.warp if base & along]
        self.images = images_without(layout.bits, sum(own))


def scan_warp(ctx: Context, op: Op) -> None:
    """Lower scan_warp: each thread's elements, and the sums of threads over the lanes of a warp."""
    operands = op.operands["operands"]
    kinds, layout = [value.type.element for value in operands], ctx.layout(operands[0])
    scan, given = _Scan(op, layout), _of_operands(ctx, operands, layout)
    values: Many = {}
    scan_run = _scanned_as_tree if rounds_narrowly(op) else _scanned
    for row in scan.rows:
        offsets = [row ^ step for step in scan.steps]
        of_row = scan_run(ctx, op, [given[offset] for offset in offsets])
        values.update(zip(offsets, of_row, strict=True))
    sums = {row: values[row ^ scan.steps[-1]] for row in scan.rows}
    for bit in scan.lanes:
        # The last lane of the other half has the fold of all of it.
        below = sum(1 << lower for lower in scan.lanes if lower < bit)
        source = ctx.builder.and_(ctx.thread, ir.Constant(I32, 31 & ~(below | 1 << bit)))
        last = 1 << bit if scan.backwards else below
        source = ctx.builder.or_(source, ir.Constant(I32, last))
        upper = ctx.thread_has(1 << bit)
        second = ctx.builder.not_(upper) if scan.backwards else upper
        for row, mine in sums.items():
            theirs = _shuffled(ctx, kinds, mine, "idx", source)
            both = run_body(ctx, op, theirs, mine)
            sums[row] = choose(ctx.builder, second, both, mine)
    for number in range(len(kinds)):
        scanned, total = op.results[number], op.results[len(kinds) + number]
        ctx.define(scanned, {offset: each[number] for offset, each in values.items()})
        rows = {combine(scan.images, row): each[number] for row, each in sums.items()}
        ctx.define(total, rows)


def _scanned(ctx: Context, op: Op, given: list[Elements]) -> list[Elements]:
    """Return the scan of a thread's elements, one by one."""
    values = given[:1]
    for element in given[1:]:
        values.append(run_body(ctx, op, values[-1], element))
    return values


def _scanned_as_tree(ctx: Context, op: Op, given: list[Elements]) -> list[Elements]:
    """Return the scan of a thread's elements: R. Brent's and H. T. Kung's (1982).

    It takes less than twice as many steps as elements, no result more than 2 log2 of them.
    """
    values, distance = list(given), 1
    while distance < len(values):
        for at in range(2 * distance - 1, len(values), 2 * distance):
            values[at] = run_body(ctx, op, values[at - distance], values[at])
        distance *= 2
    while distance := distance // 2:
        for at in range(3 * distance - 1, len(values), 2 * distance):
            values[at] = run_body(ctx, op, values[at - distance], values[at])
    return values


def scan_across(ctx: Context, op: Op) -> None:
    """Lower scan_across: each element is folded with the sum of all threads before.

    The identities of a scan are not used, as they may change the result: 0.0 + -0.0 is 0.0.
    """
    count = len(op.operands["operands"]) // 2
    operands, totals = op.operands["operands"][:count], op.operands["operands"][count:]
    layout = ctx.layout(operands[0])
    scan, values = _Scan(op, layout), _of_operands(ctx, operands, layout)
    sums = {
        row: [ctx.fragment(each)[combine(scan.images, row)] for each in totals] for row in scan.rows
    }
    before, nothing = _before(ctx, op, scan, sums)
    neutral = _neutral(op)
    for row in scan.rows:
        prefix = before[row]
        if neutral is not None:
            prefix = choose(ctx.builder, nothing, neutral, prefix)
        for step in scan.steps:
            own = values[row ^ step]
            value = run_body(ctx, op, prefix, own)
            if neutral is None:
                value = choose(ctx.builder, nothing, own, value)
            values[row ^ step] = value
    for number, result in enumerate(op.results):
        ctx.define(result, {offset: each[number] for offset, each in values.items()})


def _before(ctx: Context, op: Op, scan: _Scan, sums: Many) -> tuple[Many, ir.Value]:
    """Return the fold of all threads before this one for each row, and whether there are none (i1).

    Some thread has one before it: there are lanes or warps along the dimension.
    """
    if not scan.lanes:
        return _before_warp(ctx, op, scan, sums)
    builder = ctx.builder
    move = builder.add if scan.backwards else builder.sub
    source = move(ctx.thread, ir.Constant(I32, 1 << scan.lanes[0]))
    source = builder.and_(source, ir.Constant(I32, 31))
    first_lane = _is_end(ctx, sum(1 << bit for bit in scan.lanes), scan.backwards)
    kinds = [value.type.element for value in op.results]
    before = {row: _shuffled(ctx, kinds, mine, "idx", source) for row, mine in sums.items()}
    if not scan.warps:
        return before, first_lane
    by_warp, first_warp = _before_warp(ctx, op, scan, sums)
    for row, mine in before.items():
        both = run_body(ctx, op, by_warp[row], mine)
        both = choose(builder, first_warp, mine, both)
        before[row] = choose(builder, first_lane, by_warp[row], both)
    return before, builder.and_(first_lane, first_warp)


def _before_warp(ctx: Context, op: Op, scan: _Scan, sums: Many) -> tuple[Many, ir.Value]:
    """Return the fold of all warps before this one for each row, and whether there are none."""
    builder, warps = ctx.builder, op.operands["warps"]
    mine = ctx.combined(
        tuple(
            1 << scan.warps.index(base) if base in scan.warps else 0 for base in scan.layout.thread
        )
    )
    first, *later = range(1 << len(scan.warps))[:: -1 if scan.backwards else 1]
    first_warp = builder.icmp_unsigned("==", mine, ir.Constant(I32, first))
    # Of the bits along the dimension, only those of warps are left there.
    gone = sum(scan.layout.lane[bit] for bit in scan.lanes)
    gone |= sum(1 << bit for bit, image in enumerate(scan.images) if not image)
    images = images_without(scan.layout.bits, gone)
    result = {}
    for row in sums:
        places = [combine(images, row ^ base) for base in span(scan.warps)]
        by_warp = [[ctx.fragment(each)[place] for each in warps] for place in places]
        chosen = running = by_warp[first]
        for number in later:
            here = builder.icmp_unsigned("==", mine, ir.Constant(I32, number))
            chosen = choose(builder, here, running, chosen)
            if number != later[-1]:
                running = run_body(ctx, op, running, by_warp[number])
        result[row] = chosen
    return result, first_warp


def _is_end(ctx: Context, mask: int, upper: bool) -> ir.Value:
    """Return whether the thread's bits in the mask are all set, if `upper`, else all clear."""
    bits = ctx.builder.and_(ctx.thread, ir.Constant(I32, mask))
    return ctx.builder.icmp_unsigned("==", bits, ir.Constant(I32, mask if upper else 0))


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

LOWERINGS = {"fold": fold, "scan_across": scan_across, "scan_warp": scan_warp}
