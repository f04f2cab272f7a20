"""The coordinates of a tile block in the grid: it is one cluster, mostly of a single block."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, EmitContext
from tileir.ir import Op

AXES = ("x", "y", "z")
_REGISTERS = {
    "get_tile_block_id": ("ctaid", "clusterid"),
    "get_num_tile_blocks": ("nctaid", "nclusterid"),
}
"""Op -> the special registers for clusters of one block, and of several."""


def lower_grid(ctx: EmitContext, op: Op) -> None:
    """Lower get_tile_block_id and get_num_tile_blocks: the launch grid counted in clusters."""
    for result, coordinate in zip(op.results, coordinates(ctx, op.name), strict=True):
        ctx.define_scalar(result, coordinate)


def coordinates(ctx: EmitContext, op: str = "get_tile_block_id") -> list[ir.Value]:
    """Return the results of one of these ops: three i32."""
    register = _REGISTERS[op][ctx.state.contract.blocks > 1]
    return [special_register(ctx.builder, f"{register}.{axis}") for axis in AXES]


def leave_to_first(builder: ir.IRBuilder) -> None:
    """End all blocks of a cluster but the first, which does all the work."""
    rank = special_register(builder, "cluster.ctarank")
    with builder.if_then(builder.icmp_unsigned("!=", rank, ir.Constant(I32, 0))):
        builder.ret_void()


def special_register(builder: ir.IRBuilder, name: str) -> ir.Value:
    """Return the value of a special register of PTX (i32)."""
    name = f"llvm.nvvm.read.ptx.sreg.{name}"
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(I32, []), name)
    return builder.call(function, [])
