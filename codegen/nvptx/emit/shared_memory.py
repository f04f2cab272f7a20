"""Lowering of what tiles in shared memory are for: allocations, stores, loads, slices.

Nothing here orders accesses: barriers are ops of their own.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.block.areas import tile_offset
from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits, span
from tileir.codegen.layouts.warp_conversions import mask_of
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.nvptx.machine.matrix_stores import matrix_stores
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .context import I32, Context, Fragment, thread_position
from .sequences.exact_conversions import vector_in_memory
from .sequences.shared_accesses import SharedAccesses
from .sequences.shared_addresses import SharedAddresses
from .sequences.shared_copies import copy_shared
from .sequences.shared_symbol import shared_address


def shared_alloc(ctx: Context, op: Op) -> None:
    """Lower shared_alloc: the address of each tile, in the first slot if there are several."""
    for tile in op.results:
        offset = op.attributes["offset"] + tile_offset(tile)
        ctx.define(tile, shared_address(ctx.builder, offset))


def shared_view(ctx: Context, op: Op) -> None:
    """Lower shared_view: the address of its first element."""
    source = op.operands["source"]
    first = combine(source.type.offsets, op.attributes["first"] or 0)
    distance = ir.Constant(I32, first * memory_bytes(source.type.element))
    address = ctx.values[source]
    ctx.define(op.result, ctx.builder.add(address, distance) if first else address)


def store_shared(ctx: Context, op: Op) -> None:
    """Lower store_shared: owners store their elements of the part that is there."""
    if op.attributes["matrices"]:
        return _store_matrices(ctx, op)
    value, place = op.operands["value"], op.operands["destination"]
    builder, layout, kind = ctx.builder, ctx.layout(value), place.type
    fragment, element = ctx.fragment(value), value.type.element
    accesses = SharedAccesses(ctx, ctx.values[place], kind, layout)
    part, owner = op.attributes["part"] or 0, ctx.owner(layout)
    for offset in accesses.starts:
        inside = ctx.inside(layout, accesses.parts, offset ^ part, owner)
        if inside is not False:
            values = [fragment[each] for each in accesses.together(offset)]
            elements = vector_in_memory(builder, values, element, kind.element)
            at = accesses.at(offset)
            access.store(builder, accesses.shape, *at, inside, elements, access.SHARED)
    return None


def _store_matrices(ctx: Context, op: Op) -> None:
    """Lower a store_shared by stmatrix: lanes pass the addresses of rows, and store parts of all.

    AssertionError if stmatrix cannot do it, which is a defect of the passes before.
    """
    value, place = op.operands["value"], op.operands["destination"]
    builder, layout, kind = ctx.builder, ctx.layout(value), place.type
    stores = matrix_stores(layout, kind)
    if stores is None:
        raise AssertionError(f"stmatrix cannot store {value.type} to {kind}")
    fragment, size = ctx.fragment(value), memory_bytes(kind.element)
    lanes = (*stores.rows, *stores.chosen)
    lanes += (0,) * (len(layout.lane) - len(lanes))
    thread = [combine(kind.offsets, base) * size for base in (*lanes, *layout.warp)]
    addresses = SharedAddresses(ctx, ctx.values[place], thread)
    shape = access.AccessShape(8 * size, 1 << len(stores.word))
    for offset in span(stores.rest):
        words = []
        for matrix in span(stores.chosen):
            elements = [
                bits_of(builder, fragment[offset ^ matrix ^ each], kind.element)
                for each in span(stores.word)
            ]
            words += access.words_of(builder, shape, elements)
        at = addresses.at(combine(kind.offsets, offset) * size)
        access.stmatrix(builder, words, stores.transposed, *at)


def load_shared(ctx: Context, op: Op) -> None:
    """Lower load_shared: every thread loads its elements."""
    source, layout = op.operands["source"], ctx.layout(op.result)
    accesses = SharedAccesses(ctx, ctx.values[source], source.type, layout)
    part, loaded = op.attributes["part"], _Loaded(ctx, op, accesses)
    for offset in accesses.starts:
        inside = None
        if part is not None:
            inside = ctx.inside(layout, accesses.parts, offset ^ part, None)
        loaded.load(offset, inside)
    ctx.define(op.result, loaded.fragment())


class _Loaded:
    """The elements that a thread has loaded; what it does not load is that of `rest`."""

    def __init__(self, ctx: Context, op: Op, accesses: SharedAccesses) -> None:
        self._builder, self._accesses = ctx.builder, accesses
        self._element = op.result.type.element
        rest: Value | None = op.operands.get("rest")
        self._rest: Fragment = {} if rest is None else ctx.fragment(rest)
        self._bits: dict[int, ir.Value] = {}
        self._known: dict[int, list[ir.Value]] = {}

    def load(self, offset: int, inside: ir.Value | bool | None) -> None:
        """Load the vector with the element at an offset, where that is inside of the part."""
        accesses, together = self._accesses, self._accesses.together(offset)
        if inside is False:
            self._bits |= {each: self._before(each) for each in together}
            return
        place = accesses.place(together[0])
        bits = self._known.get(place) if inside is None else None
        if bits is None:
            before = None if inside is None else [self._before(each) for each in together]
            at = accesses.at(offset)
            bits = access.load(self._builder, accesses.shape, *at, inside, before, access.SHARED)
            if inside is None:
                self._known[place] = bits
        self._bits |= zip(together, bits, strict=True)

    def fragment(self) -> Fragment:
        """Return all elements."""
        return {
            offset: value_of(self._builder, bits, self._element)
            for offset, bits in self._bits.items()
        }

    def _before(self, offset: int) -> ir.Value:
        if offset in self._rest:
            return bits_of(self._builder, self._rest[offset], self._element)
        return ir.Constant(integer_type(self._element), 0)


def load_slice(ctx: Context, op: Op) -> None:
    """Lower load_slice: the indices move the addresses, and choose the part."""
    source, kind = op.operands["source"], op.operands["source"].type
    layout, shape = ctx.layout(op.result), op.result.type.shape
    images = [0] * layout.bits
    moving: list[ir.Value] = []
    numbers: list[tuple[ir.Value, list[int]]] = []
    for dim in range(len(kind.shape)):
        inner, count = dim_bits(shape, dim)
        outer, whole = dim_bits(kind.shape, dim)
        images[inner : inner + count] = (1 << outer + bit for bit in range(count))
        if whole > count:
            above = [1 << outer + bit for bit in range(count, whole)]
            numbers.append((_slice(ctx, op, dim, whole - count), above))
    size = memory_bytes(kind.element)
    for number, above in numbers:
        bases = [combine(kind.offsets, bit) * size for bit in above]
        moving.append(thread_position(ctx.builder, number, bases))
    reach = mask_of(
        tuple(combine(kind.offsets, bit) * size for _, above in numbers for bit in above)
    )
    moved = _joined(ctx, moving)
    offsets = [combine(kind.offsets, image) for image in images]
    accesses = SharedAccesses(
        ctx, ctx.values[source], kind, layout, offsets, moved and (moved, reach)
    )
    part, loaded = op.attributes["part"], _Loaded(ctx, op, accesses)
    chosen = None if part is None else _ChosenPart(ctx, kind, layout, images, numbers, part)
    for offset in accesses.starts:
        loaded.load(offset, None if chosen is None else chosen.has(offset))
    ctx.define(op.result, loaded.fragment())


class _ChosenPart:
    """The test whether an element of a slice is in the part of the tile that is in memory."""

    def __init__(
        self,
        ctx: Context,
        kind: Shared,
        layout: LinearLayout,
        images: list[int],
        numbers: list[tuple[ir.Value, list[int]]],
        part: int,
    ) -> None:
        self._builder, self._part, self._images = ctx.builder, part, images
        self._cut = sum(1 << bit for bit, offset in enumerate(kind.offsets) if not offset)
        own = tuple(combine(images, base) & self._cut for base in layout.thread)
        cuts = [(number, [bit & self._cut for bit in above]) for number, above in numbers]
        terms = [thread_position(ctx.builder, number, cut) for number, cut in cuts if any(cut)]
        if any(own):
            terms.append(ctx.combined(own))
        self._mine = _joined(ctx, terms)
        self._reach = mask_of(own) | mask_of(tuple(bit for _, cut in cuts for bit in cut))
        self._tests: dict[int, ir.Value] = {}

    def has(self, offset: int) -> ir.Value | bool | None:
        """Return whether the element at an offset is there; None means always."""
        wanted = (self._part ^ combine(self._images, offset)) & self._cut
        if wanted & ~self._reach:
            return False
        if self._mine is None:
            return None
        if wanted not in self._tests:
            test = self._builder.icmp_unsigned("==", self._mine, ir.Constant(I32, wanted))
            self._tests[wanted] = test
        return self._tests[wanted]


def insert_slice(ctx: Context, op: Op) -> None:
    """Lower insert_slice: elements of the slice are loaded, all others stay."""
    builder, source = ctx.builder, op.operands["source"]
    kind, layout, shape = source.type, ctx.layout(op.result), op.result.type.shape
    element, before = op.result.type.element, ctx.fragment(op.operands["destination"])
    images = [0] * layout.bits
    tests = []
    for dim in range(len(kind.shape)):
        inner, count = dim_bits(kind.shape, dim)
        outer, whole = dim_bits(shape, dim)
        images[outer : outer + count] = (1 << inner + bit for bit in range(count))
        if whole > count:
            number = [0] * layout.bits
            for bit in range(count, whole):
                number[outer + bit] = 1 << bit - count
            tests.append((number, _slice(ctx, op, dim, whole - count)))
    offsets = [combine(kind.offsets, image) for image in images]
    accesses = SharedAccesses(ctx, ctx.values[source], kind, layout, offsets)
    cut = sum(1 << bit for bit, offset in enumerate(kind.offsets) if not offset)
    in_source = layout.compose(images) if images else layout
    part, fragment = op.attributes["part"], {}
    known: dict[int, list[ir.Value]] = {}
    for offset in accesses.starts:
        together, inside = accesses.together(offset), None
        if part is not None:
            inside = ctx.inside(in_source, cut, combine(images, offset) ^ part, None)
        if inside is False:
            fragment |= {each: before[each] for each in together}
            continue
        place, padding = accesses.place(together[0]), None
        if inside is not None:
            padding = [bits_of(builder, before[each], element) for each in together]
        if padding is not None or place not in known:
            known[place] = access.load(
                builder, accesses.shape, *accesses.at(offset), inside, padding, access.SHARED
            )
        for each, bits in zip(together, known[place], strict=True):
            value = value_of(builder, bits, element)
            for number, index in tests:
                mine = ctx.combined(tuple(combine(number, thread) for thread in layout.thread))
                here = builder.xor(mine, ir.Constant(I32, combine(number, each)))
                here = builder.icmp_unsigned("==", here, index)
                value = builder.select(here, value, before[each])
            fragment[each] = value
    ctx.define(op.result, fragment)


def _slice(ctx: Context, op: Op, dim: int, bits: int) -> ir.Value:
    """Return the number of a slice along a dimension, i32; one out of range is wrapped."""
    number = ctx.builder.trunc(ctx.unsigned(op.operands["indices"][dim]), I32)
    return ctx.builder.and_(number, ir.Constant(I32, (1 << bits) - 1))


def _joined(ctx: Context, terms: list[ir.Value]) -> ir.Value | None:
    """Return the exclusive or of some numbers, None for none."""
    total = None
    for term in terms:
        total = term if total is None else ctx.builder.xor(total, term)
    return total


LOWERINGS = {
    "copy_shared": copy_shared,
    "insert_slice": insert_slice,
    "load_shared": load_shared,
    "load_slice": load_slice,
    "shared_alloc": shared_alloc,
    "shared_view": shared_view,
    "store_shared": store_shared,
}
