"""Addresses in shared memory whose offsets are a constant xor the contribution of the thread.

Bits of the constant that the thread never contributes become an immediate of the instruction; only
for the others an address is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.nvptx.emit.context import I32, Context


class SharedAddresses:
    """Addresses from `base` on. `thread` has the bases of the thread's bits, in bytes; `moving` is
    a further offset that is known at run time only, and the mask of its bits."""

    def __init__(
        self,
        ctx: Context,
        base: ir.Value,
        thread: Sequence[int],
        moving: tuple[ir.Value, int] | None = None,
    ) -> None:
        self._builder, self._base = ctx.builder, base
        self._own, self._mask = ctx.combined(tuple(thread)), 0
        for base_of_bit in thread:
            self._mask |= base_of_bit
        if moving is not None:
            self._own = ctx.builder.xor(self._own, moving[0])
            self._mask |= moving[1]
        self._known: dict[int, ir.Value] = {}

    def at(self, offset: int) -> tuple[ir.Value, int]:
        """Return address and immediate for a constant offset xor the thread's contribution."""
        mixed = offset & self._mask
        if mixed not in self._known:
            own = self._builder.xor(self._own, ir.Constant(I32, mixed)) if mixed else self._own
            self._known[mixed] = self._builder.add(self._base, own)
        return self._known[mixed], offset ^ mixed
