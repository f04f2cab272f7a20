"""Lowering of views, and of loads and stores through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from llvmlite import ir

from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.convert import through_shared
from tileir.codegen.nvptx.emit.fragments import I64, EmitContext, Fragment, TensorDescriptor
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.scalar.constants import constant, padding_bits
from tileir.codegen.scalar.types import is_packed
from tileir.ir import Op, Value
from tileir.types import TensorView

from . import nibbles, ordering
from .tile_access import Address, Size, TileAccess


def make_tensor_view(ctx: EmitContext, op: Op) -> None:
    """Lower make_tensor_view to a descriptor."""
    kind = cast(TensorView, op.result.type)
    shape = _sizes(ctx, kind.shape, op.operands["dynamicShape"])
    strides = _sizes(ctx, kind.strides, op.operands["dynamicStrides"])
    ctx.tensors[op.result] = TensorDescriptor(ctx.scalar(op.operands["base"]), shape, strides)


def _sizes(ctx: EmitContext, static: Sequence[int | None], dynamic: Sequence[Value]) -> list[Size]:
    """Return extents or strides; dynamic ones as i64, zero-extended."""
    rest = iter(dynamic)
    return [ctx.unsigned(next(rest)) if size is None else size for size in static]


def same_tensor(ctx: EmitContext, op: Op) -> None:
    """Lower an assumption about a view, or a view of a view: both have the same descriptor."""
    ctx.tensors[op.result] = ctx.tensors[next(op.operand_list())]


def get_tensor_shape(ctx: EmitContext, op: Op) -> None:
    """Lower get_tensor_shape."""
    for result, size in zip(op.results, ctx.tensors[op.operands["src"]].shape, strict=True):
        ctx.define_scalar(result, _as(ctx, size, result))


def get_index_space_shape(ctx: EmitContext, op: Op) -> None:
    """Lower get_index_space_shape: the tiles along each dimension; the last may be partial."""
    builder, view = ctx.builder, op.operands["src"]
    kind = view.type
    for result, step, dim in zip(op.results, steps(kind), dimensions(kind), strict=True):
        size = ctx.tensors[view].shape[dim]
        if isinstance(size, int):
            count: Size = -(-size // step)
        else:
            whole = builder.udiv(size, ir.Constant(I64, step))
            rest = builder.urem(size, ir.Constant(I64, step))
            partial = builder.icmp_unsigned("!=", rest, ir.Constant(I64, 0))
            count = builder.add(whole, builder.zext(partial, I64))
        ctx.define_scalar(result, _as(ctx, count, result))


def _as(ctx: EmitContext, size: Size, result: Value) -> ir.Value:
    kind = ir.IntType(result.type.element.bits)
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    return size if kind == I64 else ctx.builder.trunc(size, kind)


def load_view_tko(ctx: EmitContext, op: Op) -> None:
    """Lower load_view_tko; a tile that was loaded ahead is there already."""
    for layout in ctx.assignment.defined_in(op.result):
        if op in ctx.loaded_ahead:
            ctx.define(op.result, layout, ctx.loaded_ahead[op])
            continue
        # An ordered load is made once, by the owner; threads with copies get its value.
        owner = None if is_weak(op) else ctx.owner(layout)
        values = load_tile(ctx, op, layout, owner)
        if owner is not None:
            element = op.result.type.element
            values = through_shared(ctx, values, element, layout, layout)
        ctx.define(op.result, layout, values)
    ordering.after(ctx, op)


def load_tile(
    ctx: EmitContext, op: Op, layout: LinearLayout, predicate: ir.Value | None
) -> Fragment:
    """Load a tile of a view, with padding outside of the tensor.

    In threads where the predicate is false, all elements are padding.
    """
    kind = op.operands["view"].type
    element = kind.view.element
    stored = integer_type(element)
    padding = constant(element, padding_bits(element, kind.padding))
    padding = bits_of(ctx.builder, padding, element)

    base = ctx.tensors[op.operands["view"]].base
    space, widest = ordering.space_of(ctx, op), 1 if is_packed(element) else None

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        if is_packed(element):
            return [nibbles.load(ctx, base, address, predicate, padding, space)]
        shape = access.AccessShape(stored.width, len(offsets))
        return access.load(ctx.builder, shape, *address, predicate, padding, space)

    loaded = TileAccess.of(ctx, op, layout, predicate, widest).run(move)
    return {o: value_of(ctx.builder, bits, element) for o, bits in loaded.items()}


def store_view_tko(ctx: EmitContext, op: Op) -> None:
    """Lower store_view_tko: owners store elements inside the tensor."""
    element = op.operands["view"].type.view.element
    layout = ctx.assignment.op_layouts[op]
    tile = ctx.operand(op, op.operands["tile"], layout)
    bits = {offset: bits_of(ctx.builder, value, element) for offset, value in tile.items()}
    base = ctx.tensors[op.operands["view"]].base
    space, widest = ordering.space_of(ctx, op), 1 if is_packed(element) else None

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        elements = [bits[offset] for offset in offsets]
        if is_packed(element):
            nibbles.store(ctx.builder, base, address, predicate, elements[0], space)
            return []
        shape = access.AccessShape(integer_type(element).width, len(offsets))
        access.store(ctx.builder, shape, *address, predicate, elements, space)
        return []

    ordering.before(ctx, op)
    TileAccess.of(ctx, op, layout, ctx.owner(layout), widest).run(move)
