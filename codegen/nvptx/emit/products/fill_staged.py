"""Writing a tile that a thread has in registers, or a piece of it, to where it is staged."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.kernel import Kernel
from tileir.codegen.layouts.linear_layout import combine, span
from tileir.codegen.layouts.swizzle import WIDEST
from tileir.codegen.nvptx.emit.fragments import I32, Context
from tileir.codegen.nvptx.emit.shared_addresses import Places
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.schedule.staged import (
    ALIGNMENT,
    Staged,
    Staging,
    find,
    images_in_root,
    root_of,
)
from tileir.ir import Block, Op, Value

from .factors import as_read


def fill(ctx: Context, value: Value) -> None:
    """Stage a value that has come into being; products may read it after `before_use`."""
    staging = ctx.assignment.staged[value]
    ctx.shared.before_fill(*staging.range)
    ctx.staged[value] = _write(ctx, value, staging, ctx.shared.fixed(staging.place))


def fill_pieces(ctx: Context, op: Op, start: int) -> dict[str, Staged]:
    """Stage the pieces of a product's factors that begin at `start` along k, and meet.

    They may be read until something else is put into shared memory.
    """
    cut, plan = ctx.assignment.cut[op], ctx.assignment.products[op]
    base, found = ctx.shared.reserve(cut.bytes), {}
    for slot, staging in cut.factors.items():
        value, part = op.operands[slot], plan.part(slot)
        piece = combine(images_in_root(value), part.at(k=start))
        place = base.add(ir.Constant(I32, staging.place)) if staging.place else base
        root = root_of(value)
        found[slot] = find({root: _write(ctx, root, staging, place, piece)}, value)
    ctx.shared.barrier()
    return found


def _write(ctx: Context, value: Value, staging: Staging, base: ir.Value, piece: int = 0) -> Staged:
    """Write those elements that are those of the piece in the bits that are cut."""
    layout, size = staging.layout, staging.size
    fragment = ctx.fragment(value, layout)
    staged = Staged(base, staging.images, size)
    together = []
    while size << len(together) < WIDEST:
        base_of = {staged.place(of): of for of in layout.register}
        if 1 << len(together) not in base_of:
            break
        together.append(base_of[1 << len(together)])
    mask = sum(together)
    places = Places(ctx, base, [staged.place(of) * size for of in layout.thread])
    shape, owner = access.Shape(8 * size, 1 << len(together)), ctx.owner(layout)
    element = value.type.element
    for offset in layout.offsets():
        inside = ctx.inside(layout, staging.cut, offset ^ piece, owner)
        if offset & mask or inside is False:
            continue
        elements = [
            as_read(ctx.builder, fragment[offset ^ step], element, staging.reading)
            for step in span(together)
        ]
        place = places.at(staged.place(offset) * size)
        access.store(ctx.builder, shape, *place, inside, elements, access.SHARED)
    return staged


def place_staged(kernel: Kernel, staged: dict[Value, Staging], start: int) -> int:
    """Choose the place of every staged tile, from `start` on; the end of all of them.

    Tiles share a place if one is last read before the other is written.
    """
    end, taken = start, []
    lives = _lives(kernel, staged)
    for value in sorted(staged, key=lambda value: lives[value]):
        staging, (first, last) = staged[value], lives[value]
        place = -(-start // ALIGNMENT) * ALIGNMENT
        for other, until in sorted(taken, key=lambda pair: pair[0].place):
            low, high = other.range
            if until >= first and place < high and low < place + staging.bytes:
                place = -(-high // ALIGNMENT) * ALIGNMENT
        staging.place = place
        taken.append((staging, last))
        end = max(end, place + staging.bytes)
    return end


def _lives(kernel: Kernel, staged: dict[Value, Staging]) -> dict[Value, tuple[int, int]]:
    """From which op to which a tile has to stay, by the ops' numbers in pre-order.

    What is used within an op of the block that it is defined in, stays until the end of that op.
    """
    lives: dict[Value, tuple[int, int]] = {}
    count = 0

    def walk(block: Block) -> set[Value]:
        """What is used in the block and below, and defined outside of it."""
        nonlocal count
        used, own = set(), [value for value in block.arguments if value in staged]
        lives.update(dict.fromkeys(own, (count, count)))
        for op in block.ops:
            count += 1
            here = {root_of(value) for value in op.operand_list()} & staged.keys()
            fresh = [value for value in op.results if value in staged]
            lives.update(dict.fromkeys(fresh, (count, count)))
            for region in op.regions:
                for inner in region.blocks:
                    here |= walk(inner)
            lives.update({value: (lives[value][0], count) for value in here})
            used |= here
            own += fresh
        return used - set(own)

    walk(kernel.body.block)
    return lives
