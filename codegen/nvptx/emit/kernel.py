"""Lowering of a kernel to LLVM: its signature, its parameters, and one op after the other."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.kernel import Kernel
from tileir.codegen.nvptx.launch.contract import contract_of, directives
from tileir.codegen.nvptx.launch.line_table import LineTable
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.codegen.nvptx.schedule.allocations import place_allocations
from tileir.codegen.nvptx.schedule.assignment import Assignment
from tileir.codegen.nvptx.schedule.place_barriers import place_barriers
from tileir.codegen.nvptx.schedule.staged import ALIGNMENT as STAGED_ALIGNMENT
from tileir.gpus import Target
from tileir.ir import Block, Op
from tileir.types import TensorView

from .control import control_flow
from .control.grid import leave_to_first, lower_grid, special_register
from .fragments import Context
from .memory import atomics, fences, heap, multimem, nibbles, variables
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
from .products.fill_staged import place_staged
from .reductions import reduce, scan
from .shared import SharedMemory
from .spread import spread
from .values import pieces
from .values.values import lower_value


def nothing(ctx: Context, op: Op) -> None:
    """Tokens have no value."""


LOWERINGS: dict[str, Callable[[Context, Op], None]] = {
    "get_index_space_shape": get_index_space_shape,
    "get_num_tile_blocks": lower_grid,
    "get_tensor_shape": get_tensor_shape,
    "get_tile_block_id": lower_grid,
    "join_tokens": nothing,
    "load_ptr_tko": load_ptr_tko,
    "load_view_tko": load_view_tko,
    "make_gather_scatter_view": same_tensor,
    "make_partition_view": same_tensor,
    "make_strided_view": same_tensor,
    "make_tensor_view": make_tensor_view,
    "make_token": nothing,
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
"""What has a lowering of its own; all else makes one tile from tiles (`lower_value`)."""


def declare_kernel(module: ir.Module, kernel: Kernel) -> None:
    """Give the LLVM module the entry's name and signature, before anything else takes the name."""
    elements = [value.type.element for value in kernel.parameters]
    kind = ir.FunctionType(ir.VoidType(), [integer_type(element) for element in elements])
    ir.Function(module, kind, kernel.symbol)


def lower_kernel(
    module: ir.Module, kernel: Kernel, target: Target, assignment: Assignment,
    lines: LineTable | None = None,
) -> int:  # fmt: skip
    """Define the entry that `declare_kernel` has declared. Returns its bytes of shared memory.

    With `lines`, instructions know which line of source they come from.
    """
    elements = [value.type.element for value in kernel.parameters]
    function = module.globals[kernel.symbol]
    function.calling_convention = "ptx_kernel"
    contract = contract_of(kernel)
    for name, value in directives(contract):
        # The set's own `add` knows no attributes with values.
        set.add(function.attributes, f'"{name}"="{value}"')
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    if lines is not None:
        builder.debug_metadata = lines.enter(function, kernel)
    variables, on_heap = place_allocations(kernel, target)
    kept, alignment = variables.size, variables.alignment
    kept = place_staged(kernel, assignment.staged, kept)
    if assignment.staged or assignment.cut:
        alignment = max(alignment, STAGED_ALIGNMENT)
    shared = SharedMemory(builder, kept, alignment)
    thread = special_register(builder, "tid.x")
    ctx = Context(kernel, target, assignment, builder, thread, shared, variables.places)
    for value, element, argument in zip(kernel.parameters, elements, function.args, strict=True):
        ctx.define_scalar(value, value_of(builder, argument, element))
    ctx.barriers = place_barriers(kernel, assignment)
    ctx.stores_nibbles = nibbles.stores(kernel)
    ctx.lower_block, ctx.lower_op, ctx.lines = lower_block, lower_op, lines
    ctx.exit = function.append_basic_block("exit")
    if contract.blocks > 1:
        leave_to_first(builder)
    memory = heap.take(ctx, on_heap) if on_heap.places else None
    lower_block(ctx, kernel.body.block)
    builder.position_at_end(ctx.exit)
    if memory is not None:
        heap.give_back(ctx, memory)
    builder.ret_void()
    return shared.size


def lower_block(ctx: Context, block: Block) -> None:
    """Every op of a block, where the builder stands."""
    for op in block.ops:
        if op in ctx.barriers:
            ctx.shared.settle()
        lower_op(ctx, op)


def lower_op(ctx: Context, op: Op) -> None:
    """One op; afterwards its results are in all layouts that they are needed in."""
    around = ctx.builder.debug_metadata
    if ctx.lines is not None:
        ctx.builder.debug_metadata = ctx.lines.at(op) or around
    _lowering(op)(ctx, op)
    for result in op.results:
        spread(ctx, result)
    ctx.builder.debug_metadata = around


def _lowering(op: Op) -> Callable[[Context, Op], None]:
    if op.name == "assume" and isinstance(op.result.type, TensorView):
        return same_tensor
    return LOWERINGS.get(op.name, lower_value)
