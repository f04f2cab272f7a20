"""Lowering of the block IR to LLVM IR, op after op: the driver, and the table of all lowerings."""

from __future__ import annotations

from collections.abc import Callable

from tileir.codegen.nvptx.launch.line_table import LineTable
from tileir.ir import Block, Op

from . import (
    atomics,
    control_flow,
    driver_calls,
    folds,
    grid,
    layout_conversions,
    mma,
    multicast,
    pointers,
    prints,
    shared_memory,
    tiles,
    variables,
    views,
)
from .asynchronous import async_copies, roles, tensor_copies, wgmma
from .context import Context

CHAPTERS = (
    async_copies,
    atomics,
    control_flow,
    driver_calls,
    folds,
    grid,
    layout_conversions,
    mma,
    multicast,
    pointers,
    prints,
    roles,
    shared_memory,
    tensor_copies,
    tiles,
    variables,
    views,
    wgmma,
)
"""The modules that lower ops; every op is in one of them."""

LOWERINGS: dict[str, Callable[[Context, Op], None]] = {
    name: lower for chapter in CHAPTERS for name, lower in chapter.LOWERINGS.items()
}
"""Mnemonic -> the function that emits an op, and defines its results."""


class Lowering:
    """Lowers blocks and ops; with `lines`, instructions carry numbers of source locations."""

    def __init__(self, lines: LineTable | None = None) -> None:
        self._lines = lines

    def block(self, ctx: Context, block: Block) -> None:
        """Emit the ops of a block at the builder's insertion point."""
        for op in block.ops:
            self.op(ctx, op)

    def op(self, ctx: Context, op: Op) -> None:
        """Emit one op."""
        around = ctx.builder.debug_metadata
        if self._lines is not None:
            ctx.builder.debug_metadata = self._lines.at(op) or around
        LOWERINGS[op.name](ctx, op)
        ctx.builder.debug_metadata = around
