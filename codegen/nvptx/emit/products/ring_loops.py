"""Lowering of loads that a loop makes early: the loop turns a ring, the loads name its tiles."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import Context
from tileir.codegen.nvptx.schedule.ring_plan import RingPlan
from tileir.ir import Op

from .prefetch import Prefetch
from .ring import Ring


class LoopRing:
    """The ring of a loop that is being lowered."""

    def __init__(
        self, ctx: Context, loop: Op, plan: RingPlan, high: ir.Value, step: ir.Value
    ) -> None:
        self._ctx, self._plan = ctx, plan
        base = ctx.shared.hold(plan.size * plan.stages)
        self._prefetch = Prefetch(ctx, loop, plan.fetched, high, step)
        self._ring = Ring(ctx, self._prefetch, base, plan.size, plan.stages)

    @classmethod
    def of(cls, ctx: Context, loop: Op, high: ir.Value, step: ir.Value) -> LoopRing | None:
        """The ring of a loop with these bounds, if it has one."""
        plan = ctx.assignment.rings.get(loop)
        return None if plan is None else cls(ctx, loop, plan, high, step)

    def start(self, low: ir.Value) -> None:
        """Before the first iteration, which is known to be one."""
        self._prefetch.start(low)
        self._ring.start()

    def turn(self) -> None:
        """At the start of an iteration: from now on its tiles are staged."""
        buffer = self._ring.turn()
        if self._plan.beside is None:
            self._ring.prefetch()
        else:
            self._ctx.meanwhile[self._plan.beside] = self._ring.prefetch
        for each in self._plan.fetched:
            self._ctx.staged[each.early.load.results[0]] = each.staged(self._ctx.builder, buffer)

    def finish(self) -> None:
        """After the loop, however often it ran."""
        self._ctx.shared.release()
