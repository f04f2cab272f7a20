"""Lowering of views, and of loads and stores through them."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.ir import Op, Value
from tileir.types import PartitionView

from ..scalar.constants import constant, padding_bits
from . import access
from .access import bits_of, integer_type, value_of
from .fragments import I64, Context, Tensor
from .tile_access import Place, Size, TileAccess


def make_tensor_view(ctx: Context, op: Op) -> None:
    kind = op.result.type
    shape = _sizes(ctx, kind.shape, op.operands["dynamicShape"])
    strides = _sizes(ctx, kind.strides, op.operands["dynamicStrides"])
    ctx.tensors[op.result] = Tensor(ctx.scalar(op.operands["base"]), shape, strides)


def _sizes(ctx: Context, static: Sequence[int | None], dynamic: Sequence[Value]) -> list[Size]:
    """Extents or strides as i64; dynamic ones are unsigned."""
    rest = iter(dynamic)
    return [ctx.unsigned(next(rest)) if size is None else size for size in static]


def same_tensor(ctx: Context, op: Op) -> None:
    """An assumption about a tensor view, or the view of a tensor as a grid of tiles."""
    ctx.tensors[op.result] = ctx.tensors[next(op.operand_list())]


def get_tensor_shape(ctx: Context, op: Op) -> None:
    for result, size in zip(op.results, ctx.tensors[op.operands["src"]].shape, strict=True):
        ctx.define_scalar(result, _as(ctx, size, result))


def get_index_space_shape(ctx: Context, op: Op) -> None:
    """How many tiles along each dimension, the last one perhaps ragged."""
    builder, view = ctx.builder, op.operands["src"]
    kind: PartitionView = view.type
    for result, tile, dim in zip(op.results, kind.tile, kind.dim_map, strict=True):
        size = ctx.tensors[view].shape[dim]
        if isinstance(size, int):
            count: Size = -(-size // tile)
        else:
            whole = builder.lshr(size, ir.Constant(I64, tile.bit_length() - 1))
            rest = builder.and_(size, ir.Constant(I64, tile - 1))
            ragged = builder.icmp_unsigned("!=", rest, ir.Constant(I64, 0))
            count = builder.add(whole, builder.zext(ragged, I64))
        ctx.define_scalar(result, _as(ctx, count, result))


def _as(ctx: Context, size: Size, result: Value) -> ir.Value:
    kind = ir.IntType(result.type.element.bits)
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    return size if kind == I64 else ctx.builder.trunc(size, kind)


def load_view_tko(ctx: Context, op: Op) -> None:
    kind: PartitionView = op.operands["view"].type
    element = kind.view.element
    stored = integer_type(element)
    padding = constant(element, padding_bits(element, kind.padding))
    padding = bits_of(ctx.builder, padding, element)

    def move(vector: int, place: Place, predicate: ir.Value | None, offset: int) -> list[ir.Value]:
        shape = access.Shape(stored.width, vector)
        return access.load(ctx.builder, shape, *place, predicate, padding)

    for layout in ctx.assignment.of(op.result):
        loaded = TileAccess.of(ctx, op, layout).run(move)
        values = {o: value_of(ctx.builder, bits, element) for o, bits in loaded.items()}
        ctx.define(op.result, layout, values)


def store_view_tko(ctx: Context, op: Op) -> None:
    element = op.operands["view"].type.view.element
    layout = ctx.assignment.stores[op]
    tile = ctx.operand(op, op.operands["tile"], layout)
    bits = {offset: bits_of(ctx.builder, value, element) for offset, value in tile.items()}

    def move(vector: int, place: Place, predicate: ir.Value | None, offset: int) -> list[ir.Value]:
        shape = access.Shape(integer_type(element).width, vector)
        elements = [bits[offset + step] for step in range(vector)]
        access.store(ctx.builder, shape, *place, predicate, elements)
        return []

    TileAccess.of(ctx, op, layout, ctx.owner(layout)).run(move)
