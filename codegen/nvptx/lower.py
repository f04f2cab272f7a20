"""Lowering of a kernel to LLVM: its signature, its parameters, and one op after the other."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.ir import Op
from tileir.types import TensorView

from ..kernel import Kernel
from .access import integer_type, value_of
from .assign_layouts import Assignment
from .fragments import Context
from .lower_pointers import load_ptr_tko, store_ptr_tko
from .lower_values import lower_grid, lower_value, special_register
from .lower_views import (
    get_index_space_shape,
    get_tensor_shape,
    load_view_tko,
    make_tensor_view,
    same_tensor,
    store_view_tko,
)
from .place_barriers import place_barriers
from .targets import Target


def _nothing(ctx: Context, op: Op) -> None:
    """Tokens have no value; the end of the body returns."""


LOWERINGS: dict[str, Callable[[Context, Op], None]] = {
    "get_index_space_shape": get_index_space_shape,
    "get_num_tile_blocks": lower_grid,
    "get_tensor_shape": get_tensor_shape,
    "get_tile_block_id": lower_grid,
    "join_tokens": _nothing,
    "load_ptr_tko": load_ptr_tko,
    "load_view_tko": load_view_tko,
    "make_partition_view": same_tensor,
    "make_tensor_view": make_tensor_view,
    "make_token": _nothing,
    "return": _nothing,
    "store_ptr_tko": store_ptr_tko,
    "store_view_tko": store_view_tko,
}
"""What has a lowering of its own; all else makes one tile from tiles (`lower_value`)."""

_BARRIER = "llvm.nvvm.barrier.cta.sync.aligned.all"


def declare_kernel(module: ir.Module, kernel: Kernel) -> None:
    """Give the LLVM module the entry's name and signature, before anything else takes the name."""
    elements = [value.type.element for value in kernel.parameters]
    kind = ir.FunctionType(ir.VoidType(), [integer_type(element) for element in elements])
    ir.Function(module, kind, kernel.symbol)


def lower_kernel(module: ir.Module, kernel: Kernel, target: Target, assignment: Assignment) -> None:
    """Define the entry that `declare_kernel` has declared."""
    elements = [value.type.element for value in kernel.parameters]
    function = module.globals[kernel.symbol]
    function.calling_convention = "ptx_kernel"
    # The set's own `add` knows no attributes with values.
    set.add(function.attributes, f'"nvvm.reqntid"="{assignment.threads}"')
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    ctx = Context(kernel, target, assignment, builder, special_register(builder, "tid.x"))
    for value, element, argument in zip(kernel.parameters, elements, function.args, strict=True):
        ctx.define_scalar(value, value_of(builder, argument, element))
    barriers = place_barriers(kernel, assignment)
    for op in kernel.body.block.ops:
        if op in barriers:
            _barrier(builder)
        _lowering(op)(ctx, op)
    builder.ret_void()


def _lowering(op: Op) -> Callable[[Context, Op], None]:
    if op.name == "assume" and isinstance(op.result.type, TensorView):
        return same_tensor
    return LOWERINGS.get(op.name, lower_value)


def _barrier(builder: ir.IRBuilder) -> None:
    """All threads of the block meet, and see what the others wrote."""
    number, module = ir.IntType(32), builder.module
    kind = ir.FunctionType(ir.VoidType(), [number])
    function = module.globals.get(_BARRIER) or ir.Function(module, kind, _BARRIER)
    builder.call(function, [ir.Constant(number, 0)])
