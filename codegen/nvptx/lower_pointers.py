"""Lowering of loads and stores through tiles of pointers: one predicated access per element."""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op

from ..scalar.constants import constant
from . import access, ordering
from .access import bits_of, integer_type, value_of
from .convert import through_shared
from .fragments import Context
from .layout import LinearLayout


def load_ptr_tko(ctx: Context, op: Op) -> None:
    """Where the mask is not set nothing is read; the element is the padding, or zero.

    An ordered load is made once: its owner tells those that hold copies.
    """
    builder, element = ctx.builder, op.results[0].type.element
    shape = access.Shape(integer_type(element).width, 1)
    for layout in ctx.assignment.computed(op.results[0]):
        pointers = ctx.operand(op, op.operands["source"], layout)
        masks = _optional(ctx, op, "mask", layout)
        padding = _optional(ctx, op, "paddingValue", layout)
        owner = None if ordering.is_weak(op) else ctx.owner(layout)
        result = {}
        for offset in layout.offsets():
            other = padding.get(offset, constant(element, 0))
            other = bits_of(builder, other, element)
            mask = _both(builder, masks.get(offset), owner)
            (bits,) = access.load(
                builder, shape, pointers[offset], 0, mask, other, ordering.space_of(ctx, op)
            )
            result[offset] = value_of(builder, bits, element)
        if owner is not None:
            result = through_shared(ctx, result, element, layout, layout)
        ctx.define(op.results[0], layout, result)
    ordering.after(ctx, op)


def store_ptr_tko(ctx: Context, op: Op) -> None:
    builder, element = ctx.builder, op.operands["value"].type.element
    shape, layout = access.Shape(integer_type(element).width, 1), ctx.assignment.own[op]
    pointers = ctx.operand(op, op.operands["destination"], layout)
    values = ctx.operand(op, op.operands["value"], layout)
    masks, owner = _optional(ctx, op, "mask", layout), ctx.owner(layout)
    ordering.before(ctx, op)
    for offset in layout.offsets():
        predicate = _both(builder, masks.get(offset), owner)
        bits = [bits_of(builder, values[offset], element)]
        access.store(
            builder, shape, pointers[offset], 0, predicate, bits, ordering.space_of(ctx, op)
        )


def _both(builder: ir.IRBuilder, mask: ir.Value | None, owner: ir.Value | None) -> ir.Value | None:
    if mask is None or owner is None:
        return owner if mask is None else mask
    return builder.and_(mask, owner)


def _optional(ctx: Context, op: Op, slot: str, layout: LinearLayout) -> dict[int, ir.Value]:
    """The fragment of an operand that may be absent; without it, nothing."""
    value = op.operands[slot]
    return {} if value is None else dict(ctx.operand(op, value, layout))
