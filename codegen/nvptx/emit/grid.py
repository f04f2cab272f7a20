"""The block among others: its coordinates in the grid, its cluster, and the barrier of its threads.

A tile block is one cluster, mostly of a single block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from llvmlite import ir

from tileir.codegen.block.roles import role_of
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.nvptx.machine import tensor_copy
from tileir.codegen.nvptx.machine.warps import converge
from tileir.ir import Op

from .context import I32, Context

AXES = ("x", "y", "z")
_REGISTERS = {
    "get_tile_block_id": ("ctaid", "clusterid"),
    "get_num_tile_blocks": ("nctaid", "nclusterid"),
}
"""Mnemonic -> the special registers for clusters of one block, and of several."""
LARGEST_GRID = {"x": 2**31 - 1, "y": 65535, "z": 65535}
"""Axis -> the most blocks of a grid (CUDA C++ Programming Guide, compute capabilities)."""
_BOUNDS: Mapping[str, Callable[[int], tuple[int, int]]] = {
    **dict.fromkeys(("ctaid", "clusterid"), lambda most: (0, most)),
    **dict.fromkeys(("nctaid", "nclusterid"), lambda most: (1, most + 1)),
}
"""Special register -> the bounds of its value, given the largest extent of a grid."""
_BARRIER = "llvm.nvvm.barrier.cta.sync.aligned"


def lower_grid(ctx: Context, op: Op) -> None:
    """Lower get_tile_block_id and get_num_tile_blocks: the launch grid counted in clusters."""
    register = _REGISTERS[op.name][op.attributes["clusters"]]
    for result, axis in zip(op.results, AXES, strict=True):
        bounds = _BOUNDS[register](LARGEST_GRID[axis])
        ctx.define_scalar(result, special_register(ctx.builder, f"{register}.{axis}", bounds))


def lower_leave(ctx: Context, op: Op) -> None:
    """Lower leave_to_first_block: the other blocks of the cluster end here."""
    builder = ctx.builder
    rank = special_register(builder, "cluster.ctarank")
    with builder.if_then(builder.icmp_unsigned("!=", rank, ir.Constant(I32, 0))):
        builder.ret_void()


def lower_barrier(ctx: Context, op: Op) -> None:
    """Lower barrier: number 0 is that of all threads, 1 that of the threads of a role."""
    role = role_of(op)
    name, numbers = f"{_BARRIER}.all", [0]
    if role is not None:
        name, numbers = f"{_BARRIER}.count", [1, role.attributes["warps"] << LANE_BITS]
    module = ctx.builder.module
    kind = ir.FunctionType(ir.VoidType(), [I32] * len(numbers))
    function = module.globals.get(name) or ir.Function(module, kind, name)
    ctx.builder.call(function, [ir.Constant(I32, number) for number in numbers])


def special_register(
    builder: ir.IRBuilder, name: str, bounds: tuple[int, int] | None = None
) -> ir.Value:
    """Return the value of a special register of PTX (i32), which is in `bounds`: low to high."""
    name = f"llvm.nvvm.read.ptx.sreg.{name}"
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(I32, []), name)
    value = builder.call(function, [])
    if bounds is not None:
        known = module.add_metadata([ir.Constant(I32, bound) for bound in bounds])
        value.set_metadata("range", known)
    return value


def lower_cluster_barrier(ctx: Context, op: Op) -> None:
    """Lower cluster_barrier: what a thread did before it, all see behind it."""
    converge(ctx.builder)
    tensor_copy.meet_cluster(ctx.builder)


LOWERINGS = {
    "barrier": lower_barrier,
    "cluster_barrier": lower_cluster_barrier,
    "get_num_tile_blocks": lower_grid,
    "get_tile_block_id": lower_grid,
    "leave_to_first_block": lower_leave,
}
