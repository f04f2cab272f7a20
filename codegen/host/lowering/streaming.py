"""Stores past the caches, for tensors that are larger than what caches keep.

An ordinary store first reads the line that it writes to, and evicts another one. Of a large tensor
neither is of use: what is written is gone from the caches before anybody reads it. So whole lines
are made on the stack, which are registers where the loop is short, and are stored at once.

Such stores are not ordered with others before a fence: one is before every access that releases
memory (see `ordering`), and the function that runs blocks has one at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from llvmlite import ir

from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.scalar.types import BYTE, memory_bytes, memory_type, to_memory
from tileir.ir import Op, Value

from .ahead import CHUNK, Ahead
from .block import Lowering
from .evaluate import Evaluator
from .loops import MAX_UNROLLED_INSTRUCTIONS, chunk_elements, nest
from .ordering import ordering_of
from .position import INDEX, ZERO, Position
from .prefetch import LINE, prefetch_line
from .window import Window

LARGE_BYTES = 16 << 20
"""Tensors of so many bytes are not expected to stay in caches: a last level has 32 MB or less a
core complex, and what a kernel reads is in it, too."""

MAX_FETCHED_BYTES = 1 << 16
"""Bytes of a tile that fits into the second level of the cache beside what is multiplied."""

MAX_INSTRUCTIONS = 120
"""Loops with more of them are bound by arithmetic, and not emitted again for this."""


def store_streaming(
    lowering: Lowering,
    worthwhile: Callable[[], ir.Value],
    lines: Callable[[int], None],
    otherwise: Callable[[], None],
) -> None:
    """Emit stores as `lines` does it if they are `worthwhile`, else as `otherwise` does.

    The kernel chooses when it runs. `lines` is told how many bytes to make before they are stored:
    in long loops a line, which stays in registers, as whoever loads it from the stack would wait
    for all that computes it.
    """
    builder = lowering.builder
    if not lowering.may_stream:
        otherwise()
        return
    names = "stream", "plain", "stored"
    stream, plain, after = (builder.append_basic_block(name) for name in names)
    builder.cbranch(worthwhile(), stream, plain)
    before = len(lowering.function.blocks)
    builder.position_at_end(plain)
    otherwise()
    made = [plain, *lowering.function.blocks[before:]]
    builder.branch(after)
    builder.position_at_end(stream)
    size = sum(len(block.instructions) for block in made)
    if size > MAX_INSTRUCTIONS:
        builder.branch(plain)
    else:
        lowering.streams = True
        lines(CHUNK if size <= MAX_UNROLLED_INSTRUCTIONS else LINE)
        builder.branch(after)
    builder.position_at_end(after)


def is_large_and_aligned(builder: ir.IRBuilder, total: ir.Value, bits: ir.Value) -> ir.Value:
    """Emit whether an array has so many bytes, and lines are whole.

    `bits` has every bit that is set in the address or in a stride in bytes.
    """
    large = builder.icmp_unsigned(">=", total, ir.Constant(INDEX, LARGE_BYTES))
    rest = builder.and_(bits, ir.Constant(INDEX, LINE - 1))
    return builder.and_(large, builder.icmp_unsigned("==", rest, ZERO))


def store_window(lowering: Lowering, op: Op, window: Window, otherwise: Callable[[], None]) -> None:
    """Emit a store of a view into a window that is inside its tensor."""
    builder, inner = lowering.builder, window.inner
    size = memory_bytes(window.element)
    if window.ordering is not None or inner is None or window.is_packed:
        otherwise()
        return
    if window.tile[inner] * size < LINE:
        otherwise()
        return

    def large_and_aligned() -> ir.Value:
        total, bits = ir.Constant(INDEX, size), builder.ptrtoint(window.origin, INDEX)
        for d, stride in enumerate(window.strides):
            if d != inner and window.tile[d] > 1:
                bits = builder.or_(bits, builder.mul(stride, ir.Constant(INDEX, size)))
        for extent in window.shape:
            total = builder.mul(total, extent)
        return is_large_and_aligned(builder, total, bits)

    def lines(chunk: int) -> None:
        outer = tuple(1 if d == inner else n for d, n in enumerate(window.tile))
        ahead = Ahead(lowering, op, inner)
        with nest(builder, outer) as position:
            row = Position(builder, window.tile, position.indices)
            store_lines(
                lowering, op.operands["tile"], row, inner, window.address(row), chunk, ahead
            )

    if window.sparse is not None:
        otherwise()
    else:
        store_streaming(lowering, large_and_aligned, lines, otherwise)


def fetch_for_writing(lowering: Lowering, loop: Op) -> None:
    """Prefetch the lines that the store behind a loop of matrix products writes to.

    A store to a line that is in no cache waits for it; meanwhile they come while it multiplies.
    """
    store = _store_behind(loop)
    if store is None or lowering.looks_at_elements:
        return
    if not all(id(index) in lowering.singles for index in store.operands["index"]):
        return
    builder, view = lowering.builder, store.operands["view"]
    seen = view
    while id(seen) not in lowering.tensors and isinstance(seen.owner, Op):
        if seen.owner.name != "make_partition_view":
            return
        seen = seen.owner.operands["tensor_view"]
    if id(seen) not in lowering.tensors:
        return
    lowering.tensors[id(view)] = lowering.tensors[id(seen)]
    window = Window(lowering, store)
    inner, size = window.inner, memory_bytes(window.element)
    if window.is_packed or window.sparse is not None or inner is None:
        return
    if prod(window.tile) * size > MAX_FETCHED_BYTES:
        return
    total = ir.Constant(INDEX, size)
    for extent in window.shape:
        total = builder.mul(total, extent)
    small = builder.icmp_unsigned("<", total, ir.Constant(INDEX, LARGE_BYTES))
    each = max(1, window.tile[inner] * size // LINE)
    lines = tuple(each if d == inner else n for d, n in enumerate(window.tile))
    with builder.if_then(builder.and_(small, window.is_inside())), nest(builder, lines) as position:
        indices = list(position.indices)
        indices[inner] = builder.mul(indices[inner], ir.Constant(INDEX, LINE // size))
        address = window.unchecked_address(Position(builder, window.tile, indices))
        prefetch_line(builder, address, write=True)


def _store_behind(loop: Op) -> Op | None:
    """Return the store of a view that follows a loop with a matrix product, if one does."""
    if not any(op.name.startswith("mma") for op in loop.regions[0].block.ops):
        return None
    ops = loop.parent.ops
    for op in ops[ops.index(loop) + 1 :]:
        if op.name == "store_view_tko" and ordering_of(op) is None:
            return op
        if op.regions:
            return None
    return None


def store_lines(
    lowering: Lowering,
    tile: Value,
    row: Position,
    inner: int,
    address: ir.Value,
    chunk_bytes: int,
    ahead: Ahead | None = None,
) -> None:
    """Emit the stores of a row of a tile along `inner`, to an address that is a multiple of 64.

    So many bytes are made before they are stored. `ahead` has what is prefetched on the way.
    """
    builder, element = lowering.builder, tile.type.element
    size, kind = memory_bytes(element), memory_type(element)
    extent = row.shape[inner]
    count = min(extent, chunk_bytes // size)
    chunk = lowering.shared_slot(ir.ArrayType(kind, count), "stream", LINE)
    # What one instruction loads, one has stored, else it waits until both are in the cache.
    part = ir.VectorType(kind, min(LINE // size, VectorUnit.of_host().bits // 32))
    mark = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
    with nest(builder, (extent // count,)) as chunks:
        indices, factor = list(row.indices), ir.Constant(INDEX, count)
        start = builder.mul(chunks.indices[0], factor, flags=("nuw", "nsw"))
        indices[inner] = start
        first = Position(builder, row.shape, indices)
        if ahead is not None:
            ahead.prefetch(first, count)
        made = chunk_elements(builder, first, inner, count, MAX_INSTRUCTIONS)
        with made as (number, position):
            value = to_memory(builder, Evaluator(lowering, position).element(tile), element)
            place = builder.gep(chunk, [ZERO, number], inbounds=True)
            stored = builder.store(value, place, align=size)
            stored.set_metadata("alias.scope", lowering.stack)
        begin = builder.gep(address, [start], source_etype=kind)
        for offset in range(0, count * size, part.count * size):
            step = [ir.Constant(INDEX, offset)]
            source = builder.gep(chunk, step, inbounds=True, source_etype=BYTE)
            target = builder.gep(begin, step, inbounds=True, source_etype=BYTE)
            whole = builder.load(source, typ=part, align=part.count * size)
            stored = builder.store(whole, target, align=part.count * size)
            stored.set_metadata("nontemporal", mark)
