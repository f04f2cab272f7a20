"""Convert a tile from one layout to another.

The cheapest possible way is taken: other registers of the same thread, perhaps selected by bits of
the thread's number; shuffles within a warp, if they are few; a store to shared memory and a reload,
swizzled (see `swizzle`). A tile that is too large for shared memory is converted in pieces.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, combine, renames, span
from tileir.codegen.layouts.swizzle import swizzle
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.types import Element

from .fragments import I32, EmitContext, Fragment
from .shared_addresses import SharedAddresses
from .shuffle import shuffle

MOST_SHUFFLES = 8
"""The most shuffles for one tile; above it, shared memory is faster."""
PIECE_BYTES = 32 << 10
"""Bytes of shared memory for one piece of a tile; every target has more without opting in."""
MOST_PIECES = 4
"""A tile with more pieces gets more memory, since each piece may take a predicated access for
every register of a thread."""


def convert(
    ctx: EmitContext,
    fragment: Fragment,
    element: Element,
    source: LinearLayout,
    target: LinearLayout,
) -> Fragment:
    """Convert a tile from layout `source` to `target`; `fragment` is this thread's part."""
    if source == target:
        return fragment
    fragment, source = _select(ctx, fragment, source, target)
    if renames(source, target):
        return {offset: fragment[offset] for offset in target.offsets()}
    held = set(source.offsets())
    if source.warp == target.warp:
        chosen = sum(base != 0 and base in held for base in target.lane)
        words = -(-integer_type(element).width // 32)
        if words * len(target.offsets()) << chosen <= MOST_SHUFFLES:
            ctx.remark("layout converted by shuffles", "few are enough", to=target)
            return _shuffled(ctx, fragment, element, source, target)
    why = "elements change warps" if source.warp != target.warp else "it takes too many shuffles"
    ctx.remark("layout converted through shared memory", why, to=target)
    return through_shared(ctx, fragment, element, source, target)


def _select(
    ctx: EmitContext, fragment: Fragment, source: LinearLayout, target: LinearLayout
) -> tuple[Fragment, LinearLayout]:
    """Have threads select among their registers, where that gives a thread bit its target base.

    Where a thread bit has no base in `source`, and the registers hold both values of its base in
    `target`, each thread keeps the half that it needs.
    """
    lane, warp = list(source.lane), list(source.warp)
    register = list(source.register)
    lanes = len(lane)
    for bit, wanted in enumerate(target.thread):
        own = source.thread[bit]
        if own or wanted not in register or wanted in target.register:
            continue
        register.remove(wanted)
        upper = ctx.thread_bit(bit)
        fragment = {
            offset: ctx.builder.select(upper, fragment[offset ^ wanted], fragment[offset])
            for offset in span(register)
        }
        if bit < lanes:
            lane[bit] = wanted
        else:
            warp[bit - lanes] = wanted
    return fragment, LinearLayout(source.bits, tuple(register), tuple(lane), tuple(warp))


def _shuffled(
    ctx: EmitContext,
    fragment: Fragment,
    element: Element,
    source: LinearLayout,
    target: LinearLayout,
) -> Fragment:
    """Convert by shuffles: each lane reads its elements from the lanes that have them.

    The other lane's register may depend on bits of this lane's number; then there is a shuffle for
    each case.
    """
    builder = ctx.builder
    register_mask = _mask(source.register)
    selecting = [bit for bit, base in enumerate(target.lane) if base & register_mask]
    lane_of = {base: 1 << bit for bit, base in enumerate(source.lane) if base}
    bases = tuple(lane_of.get(base, 0) for base in target.lane)
    mine = ctx.combined((*bases, *[0] * len(target.warp)))
    result = {}
    for offset in target.offsets():
        fixed = sum(lane for base, lane in lane_of.items() if base & offset)
        lane = builder.xor(mine, ir.Constant(I32, fixed)) if fixed else mine
        cases = []
        for case in span([target.lane[bit] for bit in selecting]):
            held = fragment[offset & register_mask ^ case]
            moved = shuffle(builder, "idx", bits_of(builder, held, element), lane)
            cases.append(value_of(builder, moved, element))
        for bit in reversed(selecting):
            half = len(cases) // 2
            upper = ctx.thread_bit(bit)
            cases = [builder.select(upper, cases[k + half], cases[k]) for k in range(half)]
        result[offset] = cases[0]
    return result


def through_shared(
    ctx: EmitContext,
    fragment: Fragment,
    element: Element,
    source: LinearLayout,
    target: LinearLayout,
) -> Fragment:
    """Convert through shared memory: owners store elements, every thread reloads its own."""
    builder, kind = ctx.builder, integer_type(element)
    size = kind.width // 8
    cut = _cut(ctx, source, target, size)
    kept, wanted = source.without(cut), target.without(cut)
    swizzled = swizzle(kept, wanted, size)
    together, wanted_together = span(swizzled.written), span(swizzled.read)
    bits = {offset: bits_of(builder, value, element) for offset, value in fragment.items()}
    result: dict[int, ir.Value] = {}
    for piece in span([1 << bit for bit in range(cut.bit_length()) if cut >> bit & 1]):
        base = ctx.shared.reserve(size << source.bits - cut.bit_count())
        writing = _RegisterAddresses(ctx, base, source, swizzled.images, size, cut)
        shape = access.AccessShape(kind.width, len(together))
        for offset in _vectors(source, swizzled.written):
            inside = ctx.inside(source, cut, offset ^ piece, ctx.owner(source))
            if inside is not False:
                values = [bits[offset ^ step] for step in together]
                access.store(builder, shape, *writing.at(offset), inside, values, access.SHARED)
        ctx.shared.barrier()
        reading = _RegisterAddresses(ctx, base, target, swizzled.images, size, cut)
        shape = access.AccessShape(kind.width, len(wanted_together))
        for offset in _vectors(target, swizzled.read):
            inside = ctx.inside(target, cut, offset ^ piece, None)
            if inside is not False:
                # A vector is all in one piece: cutting takes no bits of it.
                first = swizzled.place(offset & ~cut) & (len(wanted_together) - 1)
                steps = [wanted_together[number ^ first] for number in range(len(wanted_together))]
                before = [result.get(offset ^ step, ir.Constant(kind, 0)) for step in steps]
                address = reading.at(offset, first)
                loaded = access.load(builder, shape, *address, inside, before, access.SHARED)
                result |= {offset ^ step: value for step, value in zip(steps, loaded, strict=True)}
    return {offset: value_of(builder, value, element) for offset, value in result.items()}


class _RegisterAddresses:
    """The addresses of a thread's elements while a piece of the tile is in shared memory."""

    def __init__(
        self,
        ctx: EmitContext,
        base: ir.Value,
        layout: LinearLayout,
        bases: tuple[int, ...],
        size: int,
        cut: int,
    ) -> None:
        self._bases, self._size, self._cut = bases, size, cut
        self._addresses = SharedAddresses(ctx, base, [self._bytes(base) for base in layout.thread])

    def _bytes(self, element: int) -> int:
        return combine(self._bases, element & ~self._cut) * self._size

    def at(self, offset: int, back: int = 0) -> tuple[ir.Value, int]:
        """Return address and immediate of the element `back` places before that at an offset."""
        return self._addresses.at(self._bytes(offset) - back * self._size)


def _cut(ctx: EmitContext, source: LinearLayout, target: LinearLayout, size: int) -> int:
    """Return the mask of the element bits that number the pieces: best register bits of both."""
    whole, piece = size << source.bits, PIECE_BYTES
    while piece * MOST_PIECES < whole and 2 * piece <= ctx.target.shared_bytes - ctx.shared.kept:
        piece *= 2
    need = whole.bit_length() - piece.bit_length()
    common = [base for base in source.register if base in target.register]
    free = common[(16 // size).bit_length() - 1 :][::-1]
    others = [1 << bit for bit in reversed(range(source.bits)) if 1 << bit not in common]
    return _mask([*free, *others][: max(need, 0)])


def _vectors(layout: LinearLayout, vector: tuple[int, ...]) -> list[int]:
    """Return the offsets at which vectors start."""
    mask = _mask(vector)
    return [offset for offset in layout.offsets() if not offset & mask]


def _mask(bases: list[int] | tuple[int, ...]) -> int:
    mask = 0
    for base in bases:
        mask |= base
    return mask
