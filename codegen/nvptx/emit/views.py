"""Lowering of views, and of loads and stores through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.block.accesses import worked_on
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.scalar.constants import constant, padding_bits
from tileir.codegen.scalar.types import is_packed
from tileir.ir import Op, Value
from tileir.types import TensorView

from .context import I64, Context, TensorDescriptor
from .sequences import packed_elements
from .sequences.tile_accesses import Address, Size, TileAccess, both, owner_of, space_of


def make_tensor_view(ctx: Context, op: Op) -> None:
    """Lower make_tensor_view to a descriptor."""
    kind = cast(TensorView, op.result.type)
    shape = _sizes(ctx, kind.shape, op.operands["dynamicShape"])
    strides = _sizes(ctx, kind.strides, op.operands["dynamicStrides"])
    ctx.define(op.result, TensorDescriptor(ctx.scalar(op.operands["base"]), shape, strides))


def _sizes(ctx: Context, static: Sequence[int | None], dynamic: Sequence[Value]) -> list[Size]:
    """Return extents or strides; dynamic ones as i64, zero-extended."""
    rest = iter(dynamic)
    return [ctx.unsigned(next(rest)) if size is None else size for size in static]


def same_tensor(ctx: Context, op: Op) -> None:
    """Lower an assumption about a view, or a view of a view: both have the same descriptor."""
    ctx.define(op.result, ctx.values[next(op.operand_list())])


def get_tensor_shape(ctx: Context, op: Op) -> None:
    """Lower get_tensor_shape."""
    for result, size in zip(op.results, ctx.values[op.operands["src"]].shape, strict=True):
        ctx.define_scalar(result, _as(ctx, size, result))


def get_index_space_shape(ctx: Context, op: Op) -> None:
    """Lower get_index_space_shape: the tiles along each dimension; the last may be partial."""
    builder, view = ctx.builder, op.operands["src"]
    kind = view.type
    for result, step, dim in zip(op.results, steps(kind), dimensions(kind), strict=True):
        size = ctx.values[view].shape[dim]
        if isinstance(size, int):
            count: Size = -(-size // step)
        else:
            whole = builder.udiv(size, ir.Constant(I64, step))
            rest = builder.urem(size, ir.Constant(I64, step))
            partial = builder.icmp_unsigned("!=", rest, ir.Constant(I64, 0))
            count = builder.add(whole, builder.zext(partial, I64))
        ctx.define_scalar(result, _as(ctx, count, result))


def _as(ctx: Context, size: Size, result: Value) -> ir.Value:
    kind = ir.IntType(result.type.element.bits)
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    return size if kind == I64 else ctx.builder.trunc(size, kind)


def load_view_tko(ctx: Context, op: Op) -> None:
    """Lower load_view_tko, with padding outside of the tensor.

    In threads that load nothing, because of a predicate or another owner, all elements are padding.
    """
    builder, view = ctx.builder, op.operands["view"]
    kind, space, base = view.type, space_of(op), ctx.values[view].base
    element = kind.view.element
    padding = constant(element, padding_bits(element, kind.padding))
    padding = bits_of(builder, padding, element)
    if op.attributes["strong"]:
        space = "".join(packed_elements.strong(space))

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        if is_packed(element):
            if len(offsets) == 1:
                return [
                    packed_elements.load_half(builder, base, address, predicate, padding, space)
                ]
            loaded = packed_elements.load_bytes(
                builder, base, address, predicate, padding, space, len(offsets)
            )
            inside = tile.second_inside(offsets)
            if inside is not None:
                loaded[1] = builder.select(inside, loaded[1], padding)
            return loaded
        shape = access.AccessShape(integer_type(element).width, len(offsets))
        return access.load(builder, shape, *address, predicate, padding, space)

    layout, predicate = ctx.layout(worked_on(op)), op.operands["predicate"]
    wanted = None if predicate is None else ctx.scalar(predicate)
    wanted = both(builder, wanted, owner_of(ctx, op, layout))
    tile = TileAccess.of(ctx, op, layout, wanted)
    loaded = tile.run(move)
    ctx.define(op.results[0], {o: value_of(builder, bits, element) for o, bits in loaded.items()})


def store_view_tko(ctx: Context, op: Op) -> None:
    """Lower store_view_tko: owners store elements inside the tensor."""
    builder, view, tile = ctx.builder, op.operands["view"], worked_on(op)
    element, space, base = view.type.view.element, space_of(op), ctx.values[view].base
    if op.attributes["strong"]:
        space = "".join(packed_elements.strong(space))
    bits = {o: bits_of(builder, value, element) for o, value in ctx.fragment(tile).items()}

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        elements = [bits[offset] for offset in offsets]
        if is_packed(element):
            if len(elements) == 1:
                packed_elements.store_half(builder, base, address, predicate, elements[0], space)
            else:
                inside = accesses.second_inside(offsets)
                packed_elements.store_bytes(
                    builder, base, address, predicate, elements, space, inside
                )
        else:
            shape = access.AccessShape(integer_type(element).width, len(offsets))
            access.store(builder, shape, *address, predicate, elements, space)
        return []

    layout = ctx.layout(tile)
    accesses = TileAccess.of(ctx, op, layout, owner_of(ctx, op, layout))
    accesses.run(move)


LOWERINGS = {
    "get_index_space_shape": get_index_space_shape,
    "get_tensor_shape": get_tensor_shape,
    "load_view_tko": load_view_tko,
    "make_gather_scatter_view": same_tensor,
    "make_partition_view": same_tensor,
    "make_strided_view": same_tensor,
    "make_tensor_view": make_tensor_view,
    "store_view_tko": store_view_tko,
}
