"""Lowering of cat, extract, insert, pack and unpack: tiles taken apart and put together.

Where an element of a cat, a pack or an unpack comes from is known statically, so layouts are chosen
such that the thread that needs it has it. The indices of extract and insert are known at run time
only: their tile is stored to shared memory and reloaded (see `row_major`).
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout, combine, dim_bits, span
from tileir.codegen.layouts.renumber import joined_bit, needed, regrouped
from tileir.codegen.nvptx.emit.fragments import I32, EmitContext, Fragment
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.codegen.scalar.bits import bits_of as plain_bits
from tileir.codegen.scalar.bits import from_bits
from tileir.codegen.scalar.sizes import packed_bits
from tileir.codegen.scalar.types import llvm_type
from tileir.ir import Op, Value

from .row_major import staged


def cat(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower cat: one bit of an element's number says which operand it is from."""
    builder, bit = ctx.builder, 1 << joined_bit(op)
    lhs, rhs = (ctx.operand(op, op.operands[slot], layout) for slot in ("lhs", "rhs"))
    if bit in layout.register:
        return {o: (rhs if o & bit else lhs)[o] for o in layout.offsets()}
    second = ctx.thread_has(layout.thread_bits(bit))
    return {o: builder.select(second, rhs[o], lhs[o]) for o in layout.offsets()}


def regroup(ctx: EmitContext, op: Op, layout: LinearLayout) -> Fragment:
    """Lower pack and unpack: the bits of consecutive elements become other elements."""
    builder, source = ctx.builder, op.operands["source"]
    old, new = packed_bits(source.type.element), packed_bits(op.result.type.element)
    kind, grown = llvm_type(op.result.type.element), regrouped(op)
    wide = ir.IntType(new)
    if grown > 0:
        parts = ctx.fragment(source, needed(op, layout))
        result = {}
        for offset in layout.offsets():
            total: ir.Value = ir.Constant(wide, 0)
            for number, low in enumerate(span([1 << bit for bit in range(grown)])):
                part = plain_bits(builder, parts[offset << grown | low])
                moved = builder.shl(builder.zext(part, wide), ir.Constant(wide, number * old))
                total = builder.or_(total, moved)
            result[offset] = from_bits(builder, total, kind)
        return result
    wholes, mask = ctx.operand(op, source, layout), (1 << -grown) - 1
    bases = tuple((base & mask) * new for base in layout.thread)
    result = {}
    for offset in layout.offsets():
        bits = plain_bits(builder, wholes[offset])
        if any(bases):
            shift = ctx.combined(bases)
            width = bits.type.width
            if width != I32.width:
                resize = builder.zext if width > I32.width else builder.trunc
                shift = resize(shift, bits.type)
            bits = builder.lshr(bits, shift)
        if offset & mask:
            bits = builder.lshr(bits, ir.Constant(bits.type, (offset & mask) * new))
        bits = bits if bits.type == wide else builder.trunc(bits, wide)
        result[offset] = from_bits(builder, bits, kind)
    return result


def extract(ctx: EmitContext, op: Op) -> None:
    """Lower extract: the source is stored to shared memory, from which the slice is loaded."""
    source, result = op.operands["source"], op.results[0]
    if source.type.size == 1:
        return ctx.define(result, ctx.uniform, ctx.fragment(source, ctx.uniform))
    size = integer_type(source.type.element).width // 8
    bases = [0] * (result.type.size.bit_length() - 1)
    start: ir.Value = ir.Constant(I32, 0)
    for dim in range(source.type.rank):
        inner, count = dim_bits(result.type.shape, dim)
        outer, _ = dim_bits(source.type.shape, dim)
        for bit in range(count):
            bases[inner + bit] = 1 << outer + bit
        number = _slice(ctx, op, dim, source, result)
        start = _moved(ctx, start, number, size << outer + count)
    layouts = ctx.assignment.defined_in(result)
    fragments = _read(ctx, source, ctx.assignment.op_layouts[op], layouts, bases, start)
    for layout, fragment in zip(layouts, fragments, strict=True):
        ctx.define(result, layout, fragment)
    return None


def insert(ctx: EmitContext, op: Op) -> None:
    """Lower insert: elements of the slice are taken from the source, all others stay."""
    builder, source, result = ctx.builder, op.operands["source"], op.results[0]
    layout = ctx.assignment.defined_in(result)[0]
    if result.type.size == 1:
        return ctx.define(result, layout, ctx.fragment(source, ctx.uniform))
    before = ctx.fragment(op.operands["destination"], layout)
    bases = [0] * layout.bits
    tests = []
    for dim in range(source.type.rank):
        inner, count = dim_bits(source.type.shape, dim)
        outer, whole = dim_bits(result.type.shape, dim)
        for bit in range(count):
            bases[outer + bit] = 1 << inner + bit
        if whole > count:
            number = [0] * layout.bits
            for bit in range(count, whole):
                number[outer + bit] = 1 << bit - count
            tests.append((number, _slice(ctx, op, dim, result, source)))
    (after,) = _read(
        ctx, source, ctx.assignment.op_layouts[op], [layout], bases, ir.Constant(I32, 0)
    )
    fragment = {}
    for offset in layout.offsets():
        value = after[offset]
        for number, index in tests:
            mine = ctx.combined(tuple(combine(number, thread) for thread in layout.thread))
            here = builder.xor(mine, ir.Constant(I32, combine(number, offset)))
            inside = builder.icmp_unsigned("==", here, index)
            value = builder.select(inside, value, before[offset])
        fragment[offset] = value
    ctx.define(result, layout, fragment)
    return None


def _read(
    ctx: EmitContext,
    value: Value,
    own: LinearLayout,
    layouts: Sequence[LinearLayout],
    bases: Sequence[int],
    start: ir.Value,
) -> list[Fragment]:
    """Return a fragment for each of `layouts`, read from a tile that is stored from `own`.

    Bit b of the number of an element that is read moves by `bases[b]` elements in the tile; `start`
    is a further distance in bytes, which has no bits in common with the bases.
    """
    builder, element = ctx.builder, value.type.element
    kind = integer_type(element)
    shape, size = access.AccessShape(kind.width, 1), kind.width // 8
    fragments: list[dict[int, ir.Value]] = [{} for _ in layouts]
    for piece in staged(ctx, value, own):
        for layout, bits in zip(layouts, fragments, strict=True):
            thread_bases = tuple(combine(bases, base) * size for base in layout.thread)
            reached = piece.reached(builder.add(start, ctx.combined(thread_bases)))
            for offset in layout.offsets():
                address, fixed, inside = reached(combine(bases, offset) * size)
                before = bits.get(offset, ir.Constant(kind, 0))
                (bits[offset],) = access.load(
                    builder, shape, address, fixed, inside, before, access.SHARED
                )
    return [
        {offset: value_of(builder, word, element) for offset, word in bits.items()}
        for bits in fragments
    ]


def _slice(ctx: EmitContext, op: Op, dim: int, whole: Value, part: Value) -> ir.Value:
    """Return the number of a slice along a dimension, i32; one out of range is wrapped."""
    builder = ctx.builder
    number = ctx.unsigned(op.operands["indices"][dim])
    slices = whole.type.shape[dim] // part.type.shape[dim]
    return builder.and_(builder.trunc(number, I32), ir.Constant(I32, slices - 1))


def _moved(ctx: EmitContext, base: ir.Value, number: ir.Value, size: int) -> ir.Value:
    return ctx.builder.add(base, ctx.builder.mul(number, ir.Constant(I32, size)))


LOWERINGS = {"extract": extract, "insert": insert}
VALUES = {"cat": cat, "pack": regroup, "unpack": regroup}
