"""Lowering of fences across aliases, and of the ops that order grids."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.ir import Op


def memory_fence_alias_tko(ctx: EmitContext, op: Op) -> None:
    """Lower memory_fence_alias_tko: each thread executes the fence.

    So it is between any access before it and any access after it. A barrier between the two, if
    tokens require one, stands before the second.
    """
    _statement(ctx, "fence.proxy.alias;")


def gdc_wait_tko(ctx: EmitContext, op: Op) -> None:
    """Lower gdc_wait_tko: nothing on GPUs where grids cannot overlap."""
    if ctx.target.has("griddepcontrol"):
        _statement(ctx, "griddepcontrol.wait;")


def gdc_launch_dependents_tko(ctx: EmitContext, op: Op) -> None:
    """Lower gdc_launch_dependents_tko: nothing on GPUs where grids cannot overlap."""
    if ctx.target.has("griddepcontrol"):
        _statement(ctx, "griddepcontrol.launch_dependents;")


def _statement(ctx: EmitContext, text: str) -> None:
    kind = ir.FunctionType(ir.VoidType(), [])
    ctx.builder.asm(kind, text, "~{memory}", [], True)


CONTROLS_GRIDS = {
    "gdc_launch_dependents_tko": gdc_launch_dependents_tko,
    "gdc_wait_tko": gdc_wait_tko,
}
"""Lowerings of the ops that become griddepcontrol."""
LOWERINGS = {
    **CONTROLS_GRIDS,
    "memory_fence_alias_tko": memory_fence_alias_tko,
}
