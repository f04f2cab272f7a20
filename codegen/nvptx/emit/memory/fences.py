"""Lowering of what orders memory across threads, aliases and grids. Tokens have no value."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.ir import Op


def memory_fence_alias_tko(ctx: EmitContext, op: Op) -> None:
    """Each thread makes it, so it is on the way from an access to another of whatever thread.

    The barrier on that way stands before the second, where tokens ask for one.
    """
    _statement(ctx, "fence.proxy.alias;")


def gdc_wait_tko(ctx: EmitContext, op: Op) -> None:
    """Where grids cannot overlap, there is nothing to wait for."""
    if ctx.target.has("griddepcontrol"):
        _statement(ctx, "griddepcontrol.wait;")


def gdc_launch_dependents_tko(ctx: EmitContext, op: Op) -> None:
    if ctx.target.has("griddepcontrol"):
        _statement(ctx, "griddepcontrol.launch_dependents;")


def _statement(ctx: EmitContext, text: str) -> None:
    kind = ir.FunctionType(ir.VoidType(), [])
    ctx.builder.asm(kind, text, "~{memory}", [], True)


CONTROLS_GRIDS = {
    "gdc_launch_dependents_tko": gdc_launch_dependents_tko,
    "gdc_wait_tko": gdc_wait_tko,
}
"""What is griddepcontrol in PTX."""
LOWERINGS = {
    **CONTROLS_GRIDS,
    "memory_fence_alias_tko": memory_fence_alias_tko,
}
