"""Where in the grid a tile block is: one tile block is one cluster, mostly of a single block."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, Context
from tileir.ir import Op

AXES = ("x", "y", "z")
_REGISTERS = {
    "get_tile_block_id": ("ctaid", "clusterid"),
    "get_num_tile_blocks": ("nctaid", "nclusterid"),
}
"""Op -> the registers that have it if a cluster is one block, and if it is several."""


def lower_grid(ctx: Context, op: Op) -> None:
    """The tile grid is the launch grid, counted in clusters."""
    for result, coordinate in zip(op.results, coordinates(ctx, op.name), strict=True):
        ctx.define_scalar(result, coordinate)


def coordinates(ctx: Context, op: str = "get_tile_block_id") -> list[ir.Value]:
    """What one of these ops gives: three i32."""
    register = _REGISTERS[op][ctx.state.contract.blocks > 1]
    return [special_register(ctx.builder, f"{register}.{axis}") for axis in AXES]


def leave_to_first(builder: ir.IRBuilder) -> None:
    """All work of a cluster is its first block's; the others are done at once."""
    rank = special_register(builder, "cluster.ctarank")
    with builder.if_then(builder.icmp_unsigned("!=", rank, ir.Constant(I32, 0))):
        builder.ret_void()


def special_register(builder: ir.IRBuilder, name: str) -> ir.Value:
    """One of PTX's registers that say where in the grid a thread is."""
    name = f"llvm.nvvm.read.ptx.sreg.{name}"
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(I32, []), name)
    return builder.call(function, [])
