"""Fill a ring by asynchronous copies: each thread copies vectors, and waits for its own.

While an iteration runs, the tiles of an iteration ahead of it are copied. The loop carries the
index of that iteration, and whether there is one: beyond the last iteration empty groups are
committed, so that the number of groups in flight is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I1, EmitContext
from tileir.codegen.nvptx.emit.memory.tile_access import TileAccess
from tileir.codegen.nvptx.emit.shared_addresses import SharedAddresses
from tileir.codegen.nvptx.machine import async_copy
from tileir.codegen.nvptx.schedule.ring_plan import Fetched
from tileir.codegen.nvptx.schedule.staged import Staged
from tileir.ir import Op


class Prefetch:
    """The `Producer` of a `for` loop: copies tiles for one iteration after the other."""

    def __init__(
        self, ctx: EmitContext, loop: Op, fetched: Sequence[Fetched], high: ir.Value, step: ir.Value
    ) -> None:
        self._ctx, self._fetched = ctx, fetched
        self._counter = loop.regions[0].block.arguments[0]
        self._high, self._step = high, step
        self._index = ctx.variable(high.type)
        self._more = ctx.variable(I1)

    def start(self, low: ir.Value) -> None:
        """Begin with the first iteration, which is known to exist."""
        self._ctx.builder.store(low, self._index)
        self._ctx.builder.store(ir.Constant(I1, 1), self._more)

    def fill(self, buffer: ir.Value) -> None:
        """See `ring.Producer`."""
        ctx, builder = self._ctx, self._ctx.builder
        index, more = builder.load(self._index), builder.load(self._more)
        own = ctx.fragments, ctx.tensors
        # Values of that iteration must not replace those of this one.
        ctx.fragments, ctx.tensors = dict(ctx.fragments), dict(ctx.tensors)
        ctx.define_scalar(self._counter, index)
        done: set[Op] = set()
        for each in self._fetched:
            for op in each.early.slice:
                if op not in done:
                    ctx.lower_op(ctx, op)
                    done.add(op)
            _copy(ctx, each, each.staged(builder, buffer), more)
        ctx.fragments, ctx.tensors = own
        async_copy.commit(builder)
        # As long as there is such an iteration, high - index cannot overflow; later it is unused.
        left = builder.icmp_unsigned(">", builder.sub(self._high, index), self._step)
        builder.store(builder.and_(more, left), self._more)
        builder.store(builder.add(index, self._step), self._index)

    def wait(self, in_flight: int) -> None:
        """See `ring.Producer`."""
        async_copy.wait(self._ctx.builder, in_flight)


def _copy(ctx: EmitContext, each: Fetched, staged: Staged, predicate: ir.Value) -> None:
    """Start to copy the thread's elements of a tile."""
    builder, layout, size = ctx.builder, each.layout, each.size
    owner = ctx.owner(layout)
    if owner is not None:
        predicate = builder.and_(predicate, owner)
    tile = TileAccess.of(ctx, each.early.load, layout)
    addresses = SharedAddresses(
        ctx, staged.base, [staged.offset(base) * size for base in layout.thread]
    )
    for offset in tile.starts(tile.vector):
        present = tile.present(offset)
        if present is not None and present.type != I1:
            present = builder.mul(present, ir.Constant(present.type, size))
        target, source = addresses.at(staged.offset(offset) * size), tile.address_of(offset)
        async_copy.copy(builder, size * tile.vector, target, source, predicate, present)
