"""Lowering of atomic read-modify-write ops: the owner of an element updates it.

They are inline assembly, since LLVM 22 drops order and scope of atomics on their way to PTX. If the
old values have no uses, `red` is used where there is one, on vectors where the target has that (see
`red_forms`). Addition of bf16 on targets without it is a loop of compare-and-swap.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.convert import through_shared
from tileir.codegen.nvptx.emit.fragments import EmitContext, Fragment
from tileir.codegen.nvptx.machine import access, red_forms
from tileir.codegen.nvptx.machine.access import bits_of, value_of
from tileir.codegen.scalar.conversions.halves import HALVES
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op
from tileir.types import Element, Scalar

from . import ordering
from .pointer_access import PointerAccess
from .tile_access import Address, Move, TileAccess

_MODES = {
    # mode: (PTX's name, the letter of its type)
    "add": ("add", "u"),
    "addf": ("add", "f"),
    "and": ("and", "b"),
    "max": ("max", "s"),
    "min": ("min", "s"),
    "or": ("or", "b"),
    "umax": ("max", "u"),
    "umin": ("min", "u"),
    "xchg": ("exch", "b"),
    "xor": ("xor", "b"),
}


def atomic_rmw_tko(ctx: EmitContext, op: Op) -> None:
    """Lower atomic_rmw_tko; a masked element returns the argument (Tile IR leaves it open)."""
    layout = ctx.assignment.op_layouts[op]
    wanted = bool(ctx.assignment.required_in(op.results[0]))
    widest = _widest(ctx, op, wanted)
    ordering.before(ctx, op)
    move = _updates(ctx, op, "arg", wanted)
    _finish(ctx, op, PointerAccess(ctx, op, layout, ctx.owner(layout), widest).run(move))


def atomic_cas_tko(ctx: EmitContext, op: Op) -> None:
    """Lower atomic_cas_tko: floats are compared by bits; a masked element returns `cmp`."""
    element, layout = op.operands["cmp"].type.element, ctx.assignment.op_layouts[op]
    expected, replacements = (ctx.operand(op, op.operands[slot], layout) for slot in ("cmp", "val"))
    space = ordering.space_of(ctx, op)

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        words = [
            bits_of(ctx.builder, held[offsets[0]], element) for held in (expected, replacements)
        ]
        name = f"atom{space}.cas.b{words[0].type.width}"
        old = access.atomic(ctx.builder, name, address, predicate, words)
        return [value_of(ctx.builder, old, element)]

    ordering.before(ctx, op)
    _finish(ctx, op, PointerAccess(ctx, op, layout, ctx.owner(layout), widest=1).run(move))


def atomic_red_view_tko(ctx: EmitContext, op: Op) -> None:
    """Lower atomic_red_view_tko, which returns no old values."""
    layout, widest = ctx.assignment.op_layouts[op], _widest(ctx, op, wanted=False)
    move = _updates(ctx, op, "value", wanted=False)
    TileAccess.of(ctx, op, layout, ctx.owner(layout), widest).run(move)


def _widest(ctx: EmitContext, op: Op, wanted: bool) -> int:
    """Return how many neighbours one instruction updates at most."""
    return red_forms.widest(op, ctx.target, wanted, in_global=not ctx.state.variables.offsets)


def _finish(ctx: EmitContext, op: Op, result: Fragment) -> None:
    """Define the old values, also in threads that hold copies."""
    layout, value = ctx.assignment.op_layouts[op], op.results[0]
    if ctx.assignment.required_in(value):
        if layout.replicas:
            result = through_shared(ctx, result, value.type.element, layout, layout)
        ctx.define(value, layout, result)
    ordering.after(ctx, op)


def _updates(ctx: EmitContext, op: Op, slot: str, wanted: bool) -> Move:
    """Return how a vector is updated, given whether the old values have uses."""
    builder, element, layout = (
        ctx.builder,
        op.operands[slot].type.element,
        ctx.assignment.op_layouts[op],
    )
    values = ctx.operand(op, op.operands[slot], layout)
    is_red, (mode, kind) = red_forms.is_red(op, wanted), _MODES[op.attributes["mode"]]
    start = f"{'red' if is_red else 'atom'}{ordering.space_of(ctx, op)}.{mode}"

    def again(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        return [_add_by_cas(ctx, op, address, predicate, values[offsets[0]], element)]

    def update(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        bits = [bits_of(builder, values[offset], element) for offset in offsets]
        shape = access.AccessShape(bits[0].type.width, len(bits))
        name = f"{start}{_suffix(element, kind, shape)}"
        if is_red:
            access.update(builder, name, address, predicate, *access.words_of(builder, shape, bits))
            return []
        return [value_of(builder, access.atomic(builder, name, address, predicate, bits), element)]

    return update if kind != "f" or _adds(ctx, element) else again


def _suffix(element: Element, kind: str, shape: access.AccessShape) -> str:
    """Return the end of an instruction's name: vector and type."""
    if kind == "f" and element.name in HALVES:
        return f".noftz{shape.vector}.{element.name}{'x2' if shape.elements > 1 else ''}"
    return f"{shape.vector}.{kind}{shape.bits}"


def _adds(ctx: EmitContext, element: Scalar) -> bool:
    return element.name != "bf16" or ctx.target.has("red bf16")


def _add_by_cas(
    ctx: EmitContext,
    op: Op,
    address: Address,
    predicate: ir.Value | None,
    value: ir.Value,
    element: Scalar,
) -> ir.Value:
    """Add a half by compare-and-swap, in a loop until no other thread came in between."""
    builder, kind = ctx.builder, ir.IntType(16)
    before = builder.block
    enter, again, done = (builder.append_basic_block(n) for n in ("add", "again", "added"))
    if predicate is None:
        builder.branch(enter)
    else:
        builder.cbranch(predicate, enter, done)
    builder.position_at_end(enter)
    (first,) = access.load(builder, access.AccessShape(16, 1), *address, None, None, ".relaxed.sys")
    builder.branch(again)
    builder.position_at_end(again)
    seen = builder.phi(kind)
    seen.add_incoming(first, enter)
    total = builder.fadd(
        widen(builder, value_of(builder, seen, element), element), widen(builder, value, element)
    )
    bits = bits_of(builder, narrow(builder, total, element), element)
    name = f"atom{ordering.space_of(ctx, op)}.cas.b16"
    current = access.atomic(builder, name, address, None, [seen, bits])
    seen.add_incoming(current, again)
    builder.cbranch(builder.icmp_unsigned("==", current, seen), done, again)
    builder.position_at_end(done)
    if predicate is None:
        return value_of(builder, current, element)
    old = builder.phi(kind)
    old.add_incoming(ir.Constant(kind, 0), before)
    old.add_incoming(current, again)
    return value_of(builder, old, element)


LOWERINGS = {
    "atomic_cas_tko": atomic_cas_tko,
    "atomic_red_view_tko": atomic_red_view_tko,
    "atomic_rmw_tko": atomic_rmw_tko,
}
