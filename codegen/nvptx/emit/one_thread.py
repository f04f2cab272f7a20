"""A context manager for code that one thread of the block runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from .fragments import I32, EmitContext

_WARP_SYNC = "llvm.nvvm.bar.warp.sync"


@contextmanager
def one_thread(ctx: EmitContext) -> Iterator[None]:
    """Run the code inside in the first thread only; its warp reconverges behind it."""
    builder, module = ctx.builder, ctx.builder.module
    first = builder.icmp_unsigned("==", ctx.thread, ir.Constant(I32, 0))
    with builder.if_then(first):
        yield
    kind = ir.FunctionType(ir.VoidType(), [I32])
    warp_sync = module.globals.get(_WARP_SYNC) or ir.Function(module, kind, _WARP_SYNC)
    builder.call(warp_sync, [ir.Constant(I32, -1)])
