"""Lowering of ops that compute a tile: constants, iota, shape ops, and element-wise ops.

Each function returns the fragment of an op's result in one layout.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext, Fragment
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.scalar import elementwise, pairs
from tileir.codegen.scalar.constants import constant as element_constant
from tileir.codegen.scalar.types import llvm_type, memory_bytes
from tileir.ir import Op
from tileir.ir.constants import Constant

from . import pieces

Lower = Callable[[EmitContext, Op, LinearLayout], Fragment]


def constant(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower constant; if a thread's elements depend on its number, they are loaded from a table."""
    value: Constant = op.attributes["value"]
    element = value.type.element
    if value.is_splat or value.type.size == 1:
        return dict.fromkeys(layout.offsets(), element_constant(element, value.bits()))
    if not any(layout.thread):
        return {o: element_constant(element, value.bits(o)) for o in layout.offsets()}
    table = _table(ctx, value)
    return {offset: _look_up(ctx, table, value, layout, offset) for offset in layout.offsets()}


def _table(ctx: EmitContext, value: Constant) -> ir.GlobalVariable:
    """Return the elements of a constant in global memory."""
    stored = access.integer_type(value.type.element)
    kind = ir.ArrayType(stored, value.type.size)
    module = ctx.builder.module
    name = module.get_unique_name(f"{ctx.kernel.symbol}$table{len(module.globals)}")
    table = ir.GlobalVariable(module, kind, name, addrspace=GLOBAL)
    shift = stored.width - value.type.element.bits if value.type.element.name == "tf32" else 0
    table.initializer = ir.Constant(
        kind, [ir.Constant(stored, value.bits(k) << shift) for k in range(value.type.size)]
    )
    table.linkage = "internal"
    table.global_constant = True
    table.align = stored.width // 8
    return table


def _look_up(
    ctx: EmitContext, table: ir.GlobalVariable, value: Constant, layout: LinearLayout, offset: int
) -> ir.Value:
    builder, element = ctx.builder, value.type.element
    index = builder.or_(ctx.position(layout), ir.Constant(I32, offset))
    address = builder.gep(table, [ir.Constant(I32, 0), index])
    return access.value_of(builder, builder.load(address), element)


def iota(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower iota: element numbers, as unsigned integers of the element's width."""
    builder, kind = ctx.builder, llvm_type(op.result.type.element)
    result = {}
    for offset in layout.offsets():
        number = builder.or_(ctx.position(layout), ir.Constant(I32, offset))
        if kind.width < I32.width:
            number = builder.trunc(number, kind)
        elif kind.width > I32.width:
            number = builder.zext(number, kind)
        result[offset] = number
    return result


def same_elements(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower assume, reshape, broadcast and permute: the operand, renumbered."""
    return ctx.operand(op, next(op.operand_list()), layout)


def offset(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower offset: of a single pointer in plain LLVM IR, which LLVM may simplify.

    Offsets that are known to fit in 32 bits are multiplied in one instruction.
    """
    if op.result.type.size == 1:
        return each_element(ctx, op, layout)
    pointers = ctx.operand(op, op.operands["ptr"], layout)
    amounts = ctx.operand(op, op.operands["offset"], layout)
    size = memory_bytes(op.result.type.pointee)
    facts, half = ctx.facts[op.operands["offset"]], 1 << I32.width - 1
    if -half <= facts.lower and facts.upper < half:
        amounts = {o: _narrow(ctx.builder, amount) for o, amount in amounts.items()}
    return {
        offset: access.offset_address(ctx.builder, pointers[offset], amounts[offset], size)
        for offset in layout.offsets()
    }


def _narrow(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    return builder.trunc(number, I32) if number.type.width > I32.width else number


def each_element(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower an element-wise op, element by element, or two by two where it has a packed form."""
    sources = [ctx.operand(op, value, layout) for value in op.operand_list()]
    offsets = layout.offsets()
    neighbours = len(offsets) > 1 and offsets[1] == offsets[0] + 1
    if len(offsets) > 1 and pairs.takes_pairs(ctx.builder, op, neighbours):
        result = {}
        for two in zip(offsets[::2], offsets[1::2], strict=True):
            operands = [tuple(source[offset] for offset in two) for source in sources]
            result |= zip(two, pairs.emit(ctx.builder, op, operands), strict=True)
        return result
    return {
        offset: elementwise.emit(ctx.builder, op, [source[offset] for source in sources])
        for offset in offsets
    }


VALUES: dict[str, Lower] = {
    "assume": same_elements,
    "broadcast": same_elements,
    "constant": constant,
    "iota": iota,
    "offset": offset,
    "permute": same_elements,
    "reshape": same_elements,
    **pieces.VALUES,
}
"""Mnemonic -> lowering, for ops that are not element-wise."""


def lower_value(ctx: EmitContext, op: Op) -> None:
    """Define the result of an op in all layouts that it is computed in."""
    lower = VALUES.get(op.name, each_element)
    for layout in ctx.assignment.defined_in(op.result):
        ctx.define(op.result, layout, lower(ctx, op, layout))
