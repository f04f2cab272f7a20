"""Stage tiles: allocate shared memory for them, and store them, or pieces of them, to it."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import combine, span
from tileir.codegen.layouts.swizzle import WIDEST
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.codegen.nvptx.emit.shared_addresses import SharedAddresses
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.schedule.staged import (
    ALIGNMENT,
    Staged,
    Staging,
    bases_in_root,
    find,
    root_of,
)
from tileir.ir import Block, Op, Value

from .operands import as_operand


def fill(ctx: EmitContext, value: Value) -> None:
    """Stage a value that has been defined; products may read it after `before_use`."""
    staging = ctx.assignment.staged[value]
    ctx.shared.before_fill(*staging.range)
    ctx.staged[value] = _store(ctx, value, staging, ctx.shared.fixed(staging.offset))


def fill_pieces(ctx: EmitContext, op: Op, start: int) -> dict[str, Staged]:
    """Stage the pieces of a product's operands that begin at `start` along k; end with a barrier.

    They may be read until scratch memory is reserved for something else.
    """
    split, plan = ctx.assignment.split[op], ctx.assignment.products[op]
    base, pieces = ctx.shared.reserve(split.bytes), {}
    for slot, staging in split.operands.items():
        value, part = op.operands[slot], plan.part(slot)
        piece = combine(bases_in_root(value), part.at(k=start))
        address = base.add(ir.Constant(I32, staging.offset)) if staging.offset else base
        root = root_of(value)
        pieces[slot] = find({root: _store(ctx, root, staging, address, piece)}, value)
    ctx.shared.barrier()
    return pieces


def _store(
    ctx: EmitContext, value: Value, staging: Staging, base: ir.Value, piece: int = 0
) -> Staged:
    """Store the elements of a thread that belong to a piece: equal to it in the piece's bits."""
    layout, size = staging.layout, staging.size
    fragment = ctx.fragment(value, layout)
    staged = Staged(base, staging.bases, size)
    together = []
    while size << len(together) < WIDEST:
        base_of = {staged.offset(of): of for of in layout.register}
        if 1 << len(together) not in base_of:
            break
        together.append(base_of[1 << len(together)])
    mask = sum(together)
    addresses = SharedAddresses(ctx, base, [staged.offset(of) * size for of in layout.thread])
    shape, owner = access.AccessShape(8 * size, 1 << len(together)), ctx.owner(layout)
    element = value.type.element
    for offset in layout.offsets():
        inside = ctx.inside(layout, staging.piece_mask, offset ^ piece, owner)
        if offset & mask or inside is False:
            continue
        elements = [
            as_operand(ctx.builder, fragment[offset ^ step], element, staging.operand_type)
            for step in span(together)
        ]
        address = addresses.at(staged.offset(offset) * size)
        access.store(ctx.builder, shape, *address, inside, elements, access.SHARED)
    return staged


def allocate_staged(kernel: KernelIR, staged: dict[Value, Staging], start: int) -> int:
    """Allocate shared memory for staged tiles, from byte `start` on; return the end of all of them.

    Two tiles may share bytes if one is last read before the other is stored.
    """
    end, allocated = start, []
    lives = _lives(kernel, staged)
    for value in sorted(staged, key=lambda value: lives[value]):
        staging, (first, last) = staged[value], lives[value]
        offset = -(-start // ALIGNMENT) * ALIGNMENT
        for other, until in sorted(allocated, key=lambda pair: pair[0].offset):
            low, high = other.range
            if until >= first and offset < high and low < offset + staging.bytes:
                offset = -(-high // ALIGNMENT) * ALIGNMENT
        staging.offset = offset
        allocated.append((staging, last))
        end = max(end, offset + staging.bytes)
    return end


def _lives(kernel: KernelIR, staged: dict[Value, Staging]) -> dict[Value, tuple[int, int]]:
    """Return the live range of each staged tile: first and last op, numbered in pre-order.

    A tile that is used within the region of an op is live until the end of the outermost such op
    in the block that defines the tile.
    """
    lives: dict[Value, tuple[int, int]] = {}
    count = 0

    def walk(block: Block) -> set[Value]:
        """Return the tiles that are used in a block or its regions, and defined outside of it."""
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
