"""Lowering of loads and stores through tiles of pointers."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.analysis.memory_ops import is_weak
from tileir.codegen.nvptx.emit.convert import through_shared
from tileir.codegen.nvptx.emit.fragments import EmitContext, Fragment
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.scalar.constants import constant
from tileir.ir import Op

from . import ordering
from .pointer_access import PointerAccess, optional
from .tile_access import Address


def load_ptr_tko(ctx: EmitContext, op: Op) -> None:
    """Lower load_ptr_tko; a masked element is the padding, or zero.

    An ordered load is made once, by the owner; the other threads with copies get its value.
    """
    builder, element = ctx.builder, op.results[0].type.element
    space, zero = ordering.space_of(ctx, op), constant(element, 0)
    for layout in ctx.assignment.defined_in(op.results[0]):
        padding = optional(ctx, op, "paddingValue", layout)
        others = {o: bits_of(builder, padding.get(o, zero), element) for o in layout.offsets()}

        def move(
            address: Address, mask: ir.Value | None, offsets: list[int], others: Fragment = others
        ) -> list[ir.Value]:
            shape = access.AccessShape(integer_type(element).width, len(offsets))
            other = [others[offset] for offset in offsets]
            return access.load(builder, shape, *address, mask, other, space)

        owner = None if is_weak(op) else ctx.owner(layout)
        loaded = PointerAccess(ctx, op, layout, owner).run(move)
        result = {offset: value_of(builder, bits, element) for offset, bits in loaded.items()}
        if owner is not None:
            result = through_shared(ctx, result, element, layout, layout)
        ctx.define(op.results[0], layout, result)
    ordering.after(ctx, op)


def store_ptr_tko(ctx: EmitContext, op: Op) -> None:
    """Lower store_ptr_tko."""
    builder, element = ctx.builder, op.operands["value"].type.element
    layout, space = ctx.assignment.op_layouts[op], ordering.space_of(ctx, op)
    values = ctx.operand(op, op.operands["value"], layout)
    bits = {offset: bits_of(builder, value, element) for offset, value in values.items()}

    def move(address: Address, mask: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        shape = access.AccessShape(integer_type(element).width, len(offsets))
        elements = [bits[offset] for offset in offsets]
        access.store(builder, shape, *address, mask, elements, space)
        return []

    ordering.before(ctx, op)
    PointerAccess(ctx, op, layout, ctx.owner(layout)).run(move)
