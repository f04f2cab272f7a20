"""Lowering of reduce and scan: registers, then lanes, then warps.

A fold goes through the bits of the coordinate along its dimension. Where a bit is a register, the
thread combines its own elements; where it is a lane, a shuffle brings the other half; where it is
a warp, partial results go through shared memory, once for all warps. If every op of the body
commutes, bits are taken in the order registers, lanes, warps. Otherwise they are taken from the
lowest to the highest: then only neighbours are ever combined, in their order, and the body need
not commute. Afterwards all threads that took part have the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.ir import Block, Op

from ..scalar.constants import constant
from . import access
from .access import bits_of, integer_type, value_of
from .fragments import I32, Context
from .layout import LinearLayout, combine, dim_bits, dropped_images, span
from .shuffle import shuffle

Elements = list[ir.Value]
"""One element of each operand."""
Many = dict[int, Elements]
"""Offset -> the elements there."""

_COMMUTING = (
    "addf", "addi", "andi", "maxf", "maxi", "minf", "mini", "mulf", "muli", "ori", "xori",
)  # fmt: skip


def lower_reduce(ctx: Context, op: Op) -> None:
    fold = _Fold(ctx, op)
    low, count = fold.low, fold.count
    registers, lanes, warps = fold.places()
    order = [1 << bit for bit in range(low, low + count)]
    if fold.commutes:
        order = [*registers, *lanes, *warps]
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
    images = dropped_images(fold.layout.bits, low, count)
    for number, result in enumerate(op.results):
        home = ctx.assignment.computed(result)[0]
        fragment = {combine(images, o): elements[number] for o, elements in fold.values.items()}
        ctx.define(result, home, fragment)


class _Fold:
    """A reduction under way: what is left of the tiles, and where it lies."""

    def __init__(self, ctx: Context, op: Op) -> None:
        self.ctx, self.op = ctx, op
        operands = op.operands["operands"]
        self.elements = [value.type.element for value in operands]
        self.layout: LinearLayout = ctx.assignment.own[op]
        fragments = [ctx.fragment(value, self.layout) for value in operands]
        self.values: Many = {o: [f[o] for f in fragments] for o in self.layout.offsets()}
        self.low, self.count = dim_bits(operands[0].type.shape, op.attributes["dim"])
        self.commutes = _commutes(op)

    def places(self) -> tuple[list[int], list[int], list[int]]:
        """The element bits along the dimension that are registers, lanes and warps."""
        bits = [1 << bit for bit in range(self.low, self.low + self.count)]
        parts = (self.layout.register, self.layout.lane, self.layout.warp)
        return tuple([bit for bit in bits if bit in part] for part in parts)

    def body(self, earlier: Elements, later: Elements) -> Elements:
        """The body on two neighbours: it takes the element before what was folded so far."""
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
        """Every warp writes what it has, and every thread folds what all of them wrote."""
        after = self.layout.without(sum(bits))
        board = Board(self.ctx, self.elements, self.layout, bits)
        board.write(self.values, self.ctx.owner(self.layout))
        self.ctx.shared.barrier()
        values: Many = {}
        for offset in after.offsets():
            first, *others = board.read(offset)
            for later in others:
                first = self.body(first, later)
            values[offset] = first
        self.values, self.layout = values, after


class Board:
    """Shared memory in which warps leave one value for each element that they have in common.

    The values of the warps that differ in `bits` lie side by side.
    """

    def __init__(
        self, ctx: Context, elements: Sequence[object], layout: LinearLayout, bits: Sequence[int]
    ) -> None:
        self.ctx, self.elements, self.layout, self.bits = ctx, elements, layout, bits
        self._mask = sum(bits)
        # What a thread's elements have in common is numbered by all other bits in use.
        used = 0
        for base in (*layout.register, *layout.thread):
            used |= base
        rest = [1 << bit for bit in range(layout.bits) if (used & ~self._mask) >> bit & 1]
        self._images = [0] * layout.bits
        for place, base in enumerate([*bits, *rest]):
            self._images[base.bit_length() - 1] = 1 << place
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
        builder = self.ctx.builder
        for offset, elements in values.items():
            for number, (element, kind) in enumerate(zip(elements, self.elements, strict=True)):
                address, fixed = self._place(number, self.layout, offset)
                bits = bits_of(builder, element, kind)
                shape = access.Shape(bits.type.width, 1)
                access.store(builder, shape, address, fixed, owner, [bits], access.SHARED)

    def read(self, offset: int) -> list[Elements]:
        """What the warps left for one element, in the order of the bits."""
        builder, layout = self.ctx.builder, self.layout.without(self._mask)
        columns = []
        for number, kind in enumerate(self.elements):
            address, fixed = self._place(number, layout, offset)
            size, loaded = self._sizes[number], []
            vector = min(1 << len(self.bits), 16 // size)
            shape = access.Shape(8 * size, vector)
            for start in range(0, 1 << len(self.bits), vector):
                place = fixed + start * size
                loaded += access.load(builder, shape, address, place, None, None, access.SHARED)
            columns.append([value_of(builder, bits, kind) for bits in loaded])
        return [list(row) for row in zip(*columns, strict=True)]

    def _place(self, number: int, layout: LinearLayout, offset: int) -> tuple[ir.Value, int]:
        size = self._sizes[number]
        bases = tuple(combine(self._images, base) * size for base in layout.thread)
        own = self.ctx.builder.add(self._bases[number], self.ctx.combined(bases))
        return own, combine(self._images, offset) * size


# Scans ---------------------------------------------------------------------------------------


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


# Bodies --------------------------------------------------------------------------------------


def run_body(ctx: Context, op: Op, first: Elements, second: Elements) -> Elements:
    """What the body makes of a pair of values an operand."""
    block: Block = op.regions[0].block
    pairs = [value for pair in zip(first, second, strict=True) for value in pair]
    for argument, value in zip(block.arguments, pairs, strict=True):
        ctx.define_scalar(argument, value)
    *body, end = block.ops
    for inner in body:
        ctx.lower_op(ctx, inner)
    return [ctx.scalar(value) for value in end.operand_list()]


def shuffled(
    ctx: Context, elements: Sequence[object], values: Elements, mode: str, lane: ir.Value
) -> Elements:
    """The values of another lane."""
    builder, result = ctx.builder, []
    for value, element in zip(values, elements, strict=True):
        moved = shuffle(builder, mode, bits_of(builder, value, element), lane)
        result.append(value_of(builder, moved, element))
    return result


def _commutes(op: Op) -> bool:
    """Whether the body folds each operand by one operation that may be done in any order."""
    block = op.regions[0].block
    *body, end = block.ops
    yielded = list(end.operand_list())
    if len(body) != len(yielded):
        return False
    return all(_is_commuting(block, number, value.owner) for number, value in enumerate(yielded))


def _is_commuting(block: Block, number: int, owner: object) -> bool:
    pair = block.arguments[2 * number : 2 * number + 2]
    return (
        isinstance(owner, Op)
        and owner.name in _COMMUTING
        and {id(value) for value in owner.operand_list()} == {id(value) for value in pair}
    )


LOWERINGS = {"reduce": lower_reduce, "scan": lower_scan}
