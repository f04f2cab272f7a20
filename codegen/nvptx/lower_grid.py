"""Where in the grid a tile block is: one tile block is one cluster, mostly of a single block."""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op

from .fragments import I32, Context
from .launch_contract import contract_of

AXES = ("x", "y", "z")
_REGISTERS = {
    ("get_tile_block_id", False): "ctaid",
    ("get_num_tile_blocks", False): "nctaid",
    ("get_tile_block_id", True): "clusterid",
    ("get_num_tile_blocks", True): "nclusterid",
}
"""Op, and whether a cluster has several blocks -> the registers."""


def lower_grid(ctx: Context, op: Op) -> None:
    """The tile grid is the launch grid, counted in clusters."""
    register = _REGISTERS[op.name, contract_of(ctx.kernel).blocks > 1]
    for axis, result in zip(AXES, op.results, strict=True):
        ctx.define_scalar(result, special_register(ctx.builder, f"{register}.{axis}"))


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
