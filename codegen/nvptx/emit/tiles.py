"""Lowering of ops that compute one tile: constants, iota, ops that renumber, element-wise ops.

The result is computed in the layout of its type. For ops that renumber, and for cat, pack and
unpack, the layouts of the operands follow from it, so that no element moves between threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, span
from tileir.codegen.layouts.renumber import joined_bit, regrouped
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.nvptx.machine.warps import converge
from tileir.codegen.scalar import elementwise, pairs, shared_divisor
from tileir.codegen.scalar.bits import bits_of, from_bits
from tileir.codegen.scalar.constants import constant as element_constant
from tileir.codegen.scalar.sizes import packed_bits
from tileir.codegen.scalar.types import llvm_type, memory_bytes
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.types import Tile

from .context import I32, Context, Fragment
from .sequences.either import either

Compute = Callable[[Context, Op, LinearLayout], Fragment]
"""From an op and the layout of its result to the fragment of the result."""


def constant(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute constant: where a thread's elements depend on its number, they are in a table."""
    value: Constant = op.attributes["value"]
    element = value.type.element
    if value.is_splat or value.type.size == 1:
        return dict.fromkeys(layout.offsets(), element_constant(element, value.bits()))
    if not any(layout.thread):
        return {o: element_constant(element, value.bits(o)) for o in layout.offsets()}
    table = _table(ctx.builder, value)
    return {offset: _look_up(ctx, table, value, layout, offset) for offset in layout.offsets()}


def _table(builder: ir.IRBuilder, value: Constant) -> ir.GlobalVariable:
    """Return the elements of a constant in global memory."""
    stored = access.integer_type(value.type.element)
    kind = ir.ArrayType(stored, value.type.size)
    module = builder.module
    name = module.get_unique_name(f"{builder.function.name}$table{len(module.globals)}")
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
    ctx: Context, table: ir.GlobalVariable, value: Constant, layout: LinearLayout, offset: int
) -> ir.Value:
    builder, element = ctx.builder, value.type.element
    index = builder.or_(ctx.position(layout), ir.Constant(I32, offset))
    address = builder.gep(table, [ir.Constant(I32, 0), index])
    return access.value_of(builder, builder.load(address), element)


def iota(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute iota: element numbers, as unsigned integers of the element's width."""
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


def same_elements(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute assume, reshape, broadcast and permute: the operand, renumbered."""
    return ctx.operand(op, next(op.operand_list()), layout)


def offset(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute offset: of a single pointer in plain LLVM IR, which LLVM may simplify.

    Narrow offsets are multiplied in one instruction.
    """
    if op.result.type.size == 1:
        return each_element(ctx, op, layout)
    pointers = ctx.operand(op, op.operands["ptr"], layout)
    amounts = ctx.operand(op, op.operands["offset"], layout)
    size = memory_bytes(op.result.type.pointee)
    if op.attributes["narrow"]:
        amounts = {o: _narrow(ctx.builder, amount) for o, amount in amounts.items()}
    return {
        offset: access.offset_address(ctx.builder, pointers[offset], amounts[offset], size)
        for offset in layout.offsets()
    }


def _narrow(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    return builder.trunc(number, I32) if number.type.width > I32.width else number


def cat(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute cat: one bit of an element's number says which operand it is from."""
    builder, bit = ctx.builder, 1 << joined_bit(op)
    lhs, rhs = (ctx.operand(op, op.operands[slot], layout) for slot in ("lhs", "rhs"))
    if bit in layout.register:
        return {o: (rhs if o & bit else lhs)[o] for o in layout.offsets()}
    second = ctx.thread_has(layout.thread_bits(bit))
    return {o: builder.select(second, rhs[o], lhs[o]) for o in layout.offsets()}


def regroup(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute pack and unpack: the bits of consecutive elements become other elements."""
    grown = regrouped(op)
    return _joined(ctx, op, layout, grown) if grown > 0 else _divided(ctx, op, layout, -grown)


def _joined(ctx: Context, op: Op, layout: LinearLayout, count: int) -> Fragment:
    """Return elements that 2**`count` consecutive elements of the operand make."""
    builder, source = ctx.builder, op.operands["source"]
    parts, old = ctx.fragment(source), packed_bits(source.type.element)
    element = op.result.type.element
    wide = ir.IntType(packed_bits(element))
    result = {}
    for offset in layout.offsets():
        total: ir.Value = ir.Constant(wide, 0)
        for number, low in enumerate(span([1 << bit for bit in range(count)])):
            part = bits_of(builder, parts[offset << count | low])
            moved = builder.shl(builder.zext(part, wide), ir.Constant(wide, number * old))
            total = builder.or_(total, moved)
        result[offset] = from_bits(builder, total, llvm_type(element))
    return result


def _divided(ctx: Context, op: Op, layout: LinearLayout, count: int) -> Fragment:
    """Return elements of which 2**`count` consecutive ones were one element of the operand."""
    builder, element = ctx.builder, op.result.type.element
    new = packed_bits(element)
    kind = ir.IntType(new)
    wholes, mask = ctx.operand(op, op.operands["source"], layout), (1 << count) - 1
    bases = tuple((base & mask) * new for base in layout.thread)
    result = {}
    for offset in layout.offsets():
        bits = bits_of(builder, wholes[offset])
        if any(bases):
            shift = ctx.combined(bases)
            width = bits.type.width
            if width != I32.width:
                resize = builder.zext if width > I32.width else builder.trunc
                shift = resize(shift, bits.type)
            bits = builder.lshr(bits, shift)
        if offset & mask:
            bits = builder.lshr(bits, ir.Constant(bits.type, (offset & mask) * new))
        bits = bits if bits.type == kind else builder.trunc(bits, kind)
        result[offset] = from_bits(builder, bits, llvm_type(element))
    return result


def each_element(ctx: Context, op: Op, layout: LinearLayout) -> Fragment:
    """Compute an element-wise op, element by element, or two by two where it has a packed form.

    Where many elements have one divisor, as where it was broadcast, they are divided together.
    """
    sources = [ctx.operand(op, value, layout) for value in op.operand_list()]
    offsets = layout.offsets()
    if op.name == "divf":
        operands = [[source[offset] for offset in offsets] for source in sources]
        if shared_divisor.applies(ctx.builder, op, operands[1]):
            return _quotients(ctx, op, offsets, *operands)
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


def _quotients(
    ctx: Context,
    op: Op,
    offsets: Sequence[int],
    dividends: Sequence[ir.Value],
    divisors: Sequence[ir.Value],
) -> Fragment:
    """Divide elements by few divisors; a thread decides once how."""
    builder, operands = ctx.builder, (dividends, divisors)
    usual = shared_divisor.condition(builder, op, *operands)
    found = either(
        builder,
        usual,
        True,
        lambda: dict(zip(offsets, shared_divisor.fast(builder, op, *operands), strict=True)),
        lambda: dict(zip(offsets, shared_divisor.slow(builder, op, *operands), strict=True)),
    )
    converge(builder)  # for what a warp executes together
    return found


def _lowering(compute: Compute) -> Callable[[Context, Op], None]:
    """Return the lowering that defines the result of an op as what `compute` returns."""

    def lower(ctx: Context, op: Op) -> None:
        ctx.define(op.result, compute(ctx, op, ctx.layout(op.result)))

    return lower


def lower_assume(ctx: Context, op: Op) -> None:
    """Lower assume, which may be about a tensor view, too."""
    if isinstance(op.result.type, Tile):
        ctx.define(op.result, same_elements(ctx, op, ctx.layout(op.result)))
    else:
        ctx.define(op.result, ctx.values[op.operands["value"]])


def lower_token(ctx: Context, op: Op) -> None:
    """Emit nothing: tokens have no value."""


LOWERINGS = {
    "assume": lower_assume,
    "broadcast": _lowering(same_elements),
    "cat": _lowering(cat),
    "constant": _lowering(constant),
    "iota": _lowering(iota),
    "join_tokens": lower_token,
    "make_token": lower_token,
    **dict.fromkeys(elementwise.ELEMENTWISE, _lowering(each_element)),
    "offset": _lowering(offset),
    "pack": _lowering(regroup),
    "permute": _lowering(same_elements),
    "reshape": _lowering(same_elements),
    "unpack": _lowering(regroup),
}
