"""Lowering of a kernel to LLVM IR: signature, parameters, and one op after the other."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.launch.contract import directives
from tileir.codegen.nvptx.launch.line_table import LineTable
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.codegen.nvptx.schedule.staged import ALIGNMENT as STAGED_ALIGNMENT
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Block, Op
from tileir.types import TensorView

from .control import control_flow
from .control.grid import leave_to_first, lower_grid, special_register
from .fragments import EmitContext
from .memory import atomics, fences, heap, multimem, variables
from .memory.pointers import load_ptr_tko, store_ptr_tko
from .memory.views import (
    get_index_space_shape,
    get_tensor_shape,
    load_view_tko,
    make_tensor_view,
    same_tensor,
    store_view_tko,
)
from .messages import assertions
from .messages import print as printing
from .products import mma
from .reductions import reduce, scan
from .shared import ORDERED, SharedMemory
from .spread import spread
from .values import pieces
from .values.values import lower_value


def lower_token(ctx: EmitContext, op: Op) -> None:
    """Emit nothing: tokens have no value."""


LOWERINGS: dict[str, Callable[[EmitContext, Op], None]] = {
    "get_index_space_shape": get_index_space_shape,
    "get_num_tile_blocks": lower_grid,
    "get_tensor_shape": get_tensor_shape,
    "get_tile_block_id": lower_grid,
    "join_tokens": lower_token,
    "load_ptr_tko": load_ptr_tko,
    "load_view_tko": load_view_tko,
    "make_gather_scatter_view": same_tensor,
    "make_partition_view": same_tensor,
    "make_strided_view": same_tensor,
    "make_tensor_view": make_tensor_view,
    "make_token": lower_token,
    "store_ptr_tko": store_ptr_tko,
    "store_view_tko": store_view_tko,
    **atomics.LOWERINGS,
    **control_flow.LOWERINGS,
    **fences.LOWERINGS,
    **assertions.LOWERINGS,
    **mma.LOWERINGS,
    **multimem.LOWERINGS,
    **pieces.LOWERINGS,
    **printing.LOWERINGS,
    **reduce.LOWERINGS,
    **scan.LOWERINGS,
    **variables.LOWERINGS,
}
"""Mnemonic -> lowering; `lower_value` lowers the other ops, which compute one tile from tiles."""


def declare_kernel(module: ir.Module, kernel: KernelIR) -> None:
    """Declare the entry in the LLVM module, before another name can clash with it."""
    elements = [value.type.element for value in kernel.parameters]
    kind = ir.FunctionType(ir.VoidType(), [integer_type(element) for element in elements])
    ir.Function(module, kind, kernel.symbol)


def lower_kernel(
    module: ir.Module, state: KernelState, target: Target, lines: LineTable | None = None
) -> int:
    """Define the entry that `declare_kernel` has declared; return its bytes of shared memory.

    With `lines`, instructions carry the numbers of source locations.
    """
    kernel, contract, assignment = state.kernel, state.contract, state.assignment
    elements = [value.type.element for value in kernel.parameters]
    function = module.globals[kernel.symbol]
    function.calling_convention = "ptx_kernel"
    for name, value in directives(contract):
        # llvmlite's own `add` refuses attributes with values.
        set.add(function.attributes, f'"{name}"="{value}"')
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    if lines is not None:
        builder.debug_metadata = lines.enter(function, kernel)
    alignment = state.variables.alignment
    if assignment.staged or assignment.split:
        alignment = max(alignment, STAGED_ALIGNMENT)
    shared = SharedMemory(builder, state.kept_bytes, alignment)
    thread = special_register(builder, "tid.x")
    ctx = EmitContext(state, target, builder, thread, shared)
    shared.remark = ctx.remark
    for value, element, argument in zip(kernel.parameters, elements, function.args, strict=True):
        ctx.define_scalar(value, value_of(builder, argument, element))
    ctx.lower_block, ctx.lower_op, ctx.lines = lower_block, lower_op, lines
    ctx.exit = function.append_basic_block("exit")
    if contract.blocks > 1:
        leave_to_first(builder)
    memory = heap.allocate(ctx, state.heap) if state.heap.offsets else None
    lower_block(ctx, kernel.body.block)
    builder.position_at_end(ctx.exit)
    if memory is not None:
        heap.free(ctx, memory)
    builder.ret_void()
    return shared.size


def lower_block(ctx: EmitContext, block: Block) -> None:
    """Emit the ops of a block at the builder's insertion point."""
    for op in block.ops:
        if op in ctx.state.barriers:
            ctx.op = op
            ctx.shared.ensure_barrier(ORDERED)
        lower_op(ctx, op)


def lower_op(ctx: EmitContext, op: Op) -> None:
    """Emit one op, and convert its results to all layouts that they are needed in."""
    around, outer = ctx.builder.debug_metadata, ctx.op
    ctx.op = op
    if ctx.lines is not None:
        ctx.builder.debug_metadata = ctx.lines.at(op) or around
    _lowering(op)(ctx, op)
    for result in op.results:
        spread(ctx, result)
    ctx.builder.debug_metadata, ctx.op = around, outer


def _lowering(op: Op) -> Callable[[EmitContext, Op], None]:
    if op.name == "assume" and isinstance(op.result.type, TensorView):
        return same_tensor
    return LOWERINGS.get(op.name, lower_value)
