"""Moving a tile from one layout to another.

The cheapest way that does it: other registers of the same thread, perhaps chosen by bits of the
thread's number; shuffles within a warp, while they are few; shared memory, swizzled (see
`swizzle`). A tile that shared memory cannot hold goes through it in pieces.
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
"""With more of them for a tile, shared memory is faster."""
PIECE_BYTES = 32 << 10
"""Shared memory for one tile at a time; every target has more without being asked."""
MOST_PIECES = 4
"""A tile that would come in more of them gets more memory: each may concern all of a thread's
registers."""


def convert(
    ctx: EmitContext,
    fragment: Fragment,
    element: Element,
    source: LinearLayout,
    target: LinearLayout,
) -> Fragment:
    """The tile that `fragment` is in the layout `source`, in the layout `target`."""
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
    why = "elements change warps" if source.warp != target.warp else "shuffles would be many"
    ctx.remark("layout converted through shared memory", why, to=target)
    return through_shared(ctx, fragment, element, source, target)


def _select(
    ctx: EmitContext, fragment: Fragment, source: LinearLayout, target: LinearLayout
) -> tuple[Fragment, LinearLayout]:
    """Let threads choose among their registers, where that brings a thread's bit into place.

    A bit that makes no difference in `source`, while the registers hold both halves, may make the
    difference it makes in `target`: each thread keeps one half.
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
    """Each lane fetches its elements from the lanes that have them.

    The register of the other lane may depend on bits of this lane's number; then one is fetched
    for each case.
    """
    builder = ctx.builder
    register_mask = _mask(source.register)
    asking = [bit for bit, base in enumerate(target.lane) if base & register_mask]
    lane_of = {base: 1 << bit for bit, base in enumerate(source.lane) if base}
    bases = tuple(lane_of.get(base, 0) for base in target.lane)
    mine = ctx.combined((*bases, *[0] * len(target.warp)))
    result = {}
    for offset in target.offsets():
        fixed = sum(lane for base, lane in lane_of.items() if base & offset)
        lane = builder.xor(mine, ir.Constant(I32, fixed)) if fixed else mine
        cases = []
        for case in span([target.lane[bit] for bit in asking]):
            held = fragment[offset & register_mask ^ case]
            moved = shuffle(builder, "idx", bits_of(builder, held, element), lane)
            cases.append(value_of(builder, moved, element))
        for bit in reversed(asking):
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
    """Every owner writes what it has, and every thread reads what it wants."""
    builder, kind = ctx.builder, integer_type(element)
    size = kind.width // 8
    cut = _cut(ctx, source, target, size)
    kept, wanted = source.without(cut), target.without(cut)
    places = swizzle(kept, wanted, size)
    together, wanted_together = span(places.written), span(places.read)
    bits = {offset: bits_of(builder, value, element) for offset, value in fragment.items()}
    found: dict[int, ir.Value] = {}
    for piece in span([1 << bit for bit in range(cut.bit_length()) if cut >> bit & 1]):
        base = ctx.shared.reserve(size << source.bits - cut.bit_count())
        writing = _RegisterAddresses(ctx, base, source, places.images, size, cut)
        shape = access.AccessShape(kind.width, len(together))
        for offset in _vectors(source, places.written):
            inside = ctx.inside(source, cut, offset ^ piece, ctx.owner(source))
            if inside is not False:
                values = [bits[offset ^ step] for step in together]
                access.store(builder, shape, *writing.at(offset), inside, values, access.SHARED)
        ctx.shared.barrier()
        reading = _RegisterAddresses(ctx, base, target, places.images, size, cut)
        shape = access.AccessShape(kind.width, len(wanted_together))
        for offset in _vectors(target, places.read):
            inside = ctx.inside(target, cut, offset ^ piece, None)
            if inside is not False:
                # A vector is all in one piece: cutting takes no bits of it.
                first = places.place(offset & ~cut) & (len(wanted_together) - 1)
                steps = [wanted_together[number ^ first] for number in range(len(wanted_together))]
                before = [found.get(offset ^ step, ir.Constant(kind, 0)) for step in steps]
                place = reading.at(offset, first)
                loaded = access.load(builder, shape, *place, inside, before, access.SHARED)
                found |= {offset ^ step: value for step, value in zip(steps, loaded, strict=True)}
    return {offset: value_of(builder, value, element) for offset, value in found.items()}


class _RegisterAddresses:
    """Where the registers of a thread lie in shared memory, while one piece of a tile is there."""

    def __init__(
        self, ctx: EmitContext, base: ir.Value, layout: LinearLayout, bases: tuple[int, ...],
        size: int, cut: int,
    ) -> None:  # fmt: skip
        self._bases, self._size, self._cut = bases, size, cut
        self._places = SharedAddresses(ctx, base, [self._bytes(base) for base in layout.thread])

    def _bytes(self, element: int) -> int:
        return combine(self._bases, element & ~self._cut) * self._size

    def at(self, offset: int, back: int = 0) -> tuple[ir.Value, int]:
        """Address and immediate of the element at an offset, and so many elements before it."""
        return self._places.at(self._bytes(offset) - back * self._size)


def _cut(ctx: EmitContext, source: LinearLayout, target: LinearLayout, size: int) -> int:
    """Mask of the element bits that number the pieces; best those of registers on both sides."""
    whole, piece = size << source.bits, PIECE_BYTES
    while piece * MOST_PIECES < whole and 2 * piece <= ctx.target.shared_bytes - ctx.shared.kept:
        piece *= 2
    need = whole.bit_length() - piece.bit_length()
    common = [base for base in source.register if base in target.register]
    free = common[(16 // size).bit_length() - 1 :][::-1]
    others = [1 << bit for bit in reversed(range(source.bits)) if 1 << bit not in common]
    return _mask([*free, *others][: max(need, 0)])


def _vectors(layout: LinearLayout, vector: tuple[int, ...]) -> list[int]:
    """The offsets at which vectors start."""
    mask = _mask(vector)
    return [offset for offset in layout.offsets() if not offset & mask]


def _mask(bases: list[int] | tuple[int, ...]) -> int:
    mask = 0
    for base in bases:
        mask |= base
    return mask
