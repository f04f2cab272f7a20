"""Lowering of a loop with a ring: at the start of an iteration its early loads are staged."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.codegen.nvptx.schedule.ring_plan import RingPlan
from tileir.ir import Op

from .prefetch import Prefetch
from .ring import Ring


class LoopRing:
    """The ring of a loop that is being lowered."""

    def __init__(
        self, ctx: EmitContext, loop: Op, plan: RingPlan, high: ir.Value, step: ir.Value
    ) -> None:
        self._ctx, self._plan = ctx, plan
        base = ctx.shared.hold(plan.size * plan.stages)
        self._prefetch = Prefetch(ctx, loop, plan.fetched, high, step)
        self._ring = Ring(ctx, self._prefetch, base, plan.size, plan.stages)

    @classmethod
    def of(cls, ctx: EmitContext, loop: Op, high: ir.Value, step: ir.Value) -> LoopRing | None:
        """Return the ring of a loop with this upper bound and step; None if it has none."""
        plan = ctx.assignment.rings.get(loop)
        return None if plan is None else cls(ctx, loop, plan, high, step)

    def start(self, low: ir.Value) -> None:
        """Prefetch before the first iteration; there is known to be one."""
        self._prefetch.start(low)
        self._ring.start()

    def begin_iteration(self) -> None:
        """Acquire the buffer of an iteration: from here on its tiles are staged."""
        buffer = self._ring.acquire()
        if self._plan.beside is None:
            self._ring.prefetch()
        else:
            self._ctx.prefetches[self._plan.beside] = self._ring.prefetch
        for each in self._plan.fetched:
            self._ctx.staged[each.early.load.results[0]] = each.staged(self._ctx.builder, buffer)

    def finish(self) -> None:
        """Release the buffers behind the loop, however often it ran."""
        self._ctx.shared.release()
