"""Addresses in shared memory where a place is an exclusive or: of what the thread contributes, and
of a constant.

Bits that the thread does not touch are added as an immediate of the instruction; only the others
need an address of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .fragments import I32, EmitContext


class SharedAddresses:
    """Places behind `base`, in bytes. `thread` are the contributions of the thread's bits, `moving`
    is that of a number known at run time only, with a mask of its bits."""

    def __init__(
        self, ctx: EmitContext, base: ir.Value, thread: Sequence[int],
        moving: tuple[ir.Value, int] | None = None,
    ) -> None:  # fmt: skip
        self._builder, self._base = ctx.builder, base
        self._own, self._mask = ctx.combined(tuple(thread)), 0
        for place in thread:
            self._mask |= place
        if moving is not None:
            self._own = ctx.builder.xor(self._own, moving[0])
            self._mask |= moving[1]
        self._known: dict[int, ir.Value] = {}

    def at(self, place: int) -> tuple[ir.Value, int]:
        """Address and immediate of the place that a constant and the thread make together."""
        mixed = place & self._mask
        if mixed not in self._known:
            own = self._builder.xor(self._own, ir.Constant(I32, mixed)) if mixed else self._own
            self._known[mixed] = self._builder.add(self._base, own)
        return self._known[mixed], place ^ mixed
