"""Lowering of atomic read-modify-write ops: the owner of an element updates it.

They are inline assembly, since LLVM 22 drops order and scope of atomics on their way to PTX. Where
nobody wants the old elements, `red` is used, on vectors where the target has that (see
`red_forms`). Addition of bf16 on targets without it is a loop of compare-and-swap.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.block.accesses import worked_on
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, value_of
from tileir.codegen.scalar.conversions.halves import HALVES
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.ir import Op
from tileir.types import Element, Scalar

from .context import Context
from .pointers import PointerAccess
from .sequences.tile_accesses import Address, Move, TileAccess, owner_of, space_of

MODES = {
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


def atomic_rmw_tko(ctx: Context, op: Op) -> None:
    """Lower atomic_rmw_tko; a masked element returns the argument (Tile IR leaves it open)."""
    old = PointerAccess(ctx, op).run(_updates(ctx, op, "arg"))
    if not op.attributes["red"]:
        ctx.define(op.results[0], old)


def atomic_cas_tko(ctx: Context, op: Op) -> None:
    """Lower atomic_cas_tko: floats are compared by bits; a masked element returns `cmp`."""
    builder, element = ctx.builder, op.operands["cmp"].type.element
    expected, replacements = (ctx.fragment(op.operands[slot]) for slot in ("cmp", "val"))
    space = space_of(op)

    def move(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        words = [bits_of(builder, held[offsets[0]], element) for held in (expected, replacements)]
        name = f"atom{space}.cas.b{words[0].type.width}"
        old = access.atomic(builder, name, address, predicate, words)
        return [value_of(builder, old, element)]

    ctx.define(op.results[0], PointerAccess(ctx, op).run(move))


def atomic_red_view_tko(ctx: Context, op: Op) -> None:
    """Lower atomic_red_view_tko, which returns no old values."""
    layout = ctx.layout(worked_on(op))
    TileAccess.of(ctx, op, layout, owner_of(ctx, op, layout)).run(_updates(ctx, op, "value"))


def _updates(ctx: Context, op: Op, slot: str) -> Move:
    """Return how a vector is updated; with `red`, the update returns no old elements."""
    builder, element = ctx.builder, op.operands[slot].type.element
    values, is_red = ctx.fragment(op.operands[slot]), op.attributes["red"]
    mode, kind = MODES[op.attributes["mode"]]
    start = f"{'red' if is_red else 'atom'}{space_of(op)}.{mode}"

    def again(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        return [_add_by_cas(builder, op, address, predicate, values[offsets[0]], element)]

    def update(address: Address, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        bits = [bits_of(builder, values[offset], element) for offset in offsets]
        shape = access.AccessShape(bits[0].type.width, len(bits))
        name = f"{start}{_suffix(element, kind, shape)}"
        if is_red:
            access.update(builder, name, address, predicate, *access.words_of(builder, shape, bits))
            return []
        return [value_of(builder, access.atomic(builder, name, address, predicate, bits), element)]

    return again if op.attributes["by_cas"] else update


def _suffix(element: Element, kind: str, shape: access.AccessShape) -> str:
    """Return the end of an instruction's name: vector and type."""
    if kind == "f" and element.name in HALVES:
        return f".noftz{shape.vector}.{element.name}{'x2' if shape.elements > 1 else ''}"
    return f"{shape.vector}.{kind}{shape.bits}"


def _add_by_cas(
    builder: ir.IRBuilder,
    op: Op,
    address: Address,
    predicate: ir.Value | None,
    value: ir.Value,
    element: Scalar,
) -> ir.Value:
    """Add a half by compare-and-swap, in a loop until no other thread came in between."""
    kind = ir.IntType(16)
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
    name = f"atom{space_of(op)}.cas.b16"
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
