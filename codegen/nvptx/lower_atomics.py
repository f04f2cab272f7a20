"""Lowering of atomic read-modify-write ops: one instruction for each element, made by its owner.

They are inline assembly: LLVM 22 drops order and scope of atomics on their way to PTX. Where
nobody wants the old values, `red` does where there is one, which does not wait for them. bf16 sums
on targets that cannot add them in memory are a loop of compare-and-swap.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op
from tileir.types import Element, Scalar

from ..scalar.halves import HALVES
from ..scalar.narrowing import narrow
from ..scalar.widening import widen
from . import access, ordering
from .access import bits_of, value_of
from .convert import through_shared
from .fragments import Context, Fragment
from .tile_access import Place, TileAccess

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


def atomic_rmw_tko(ctx: Context, op: Op) -> None:
    """What a masked element returns is unspecified: here, the argument."""
    element, layout = op.operands["arg"].type.element, ctx.assignment.own[op]
    pointers = ctx.operand(op, op.operands["pointers"], layout)
    arguments = ctx.operand(op, op.operands["arg"], layout)
    unused = not ctx.assignment.of(op.results[0])
    ordering.before(ctx, op)
    result = {}
    for offset in layout.offsets():
        place = (pointers[offset], 0)
        predicate = _predicate(ctx, op, offset)
        result[offset] = _update(ctx, op, place, predicate, arguments[offset], element, unused)
    _finish(ctx, op, result)


def atomic_cas_tko(ctx: Context, op: Op) -> None:
    """Floats are compared by their bits. A masked element returns what it would be compared to."""
    element, layout = op.operands["cmp"].type.element, ctx.assignment.own[op]
    pointers, expected, replacements = (
        ctx.operand(op, op.operands[slot], layout) for slot in ("pointers", "cmp", "val")
    )
    ordering.before(ctx, op)
    result = {}
    for offset in layout.offsets():
        words = [bits_of(ctx.builder, held[offset], element) for held in (expected, replacements)]
        name = f"atom{ordering.space_of(ctx, op)}.cas.b{words[0].type.width}"
        predicate = _predicate(ctx, op, offset)
        old = access.change(ctx.builder, name, (pointers[offset], 0), predicate, words)
        result[offset] = value_of(ctx.builder, old, element)
    _finish(ctx, op, result)


def atomic_red_view_tko(ctx: Context, op: Op) -> None:
    element, layout = op.operands["value"].type.element, ctx.assignment.own[op]
    values = ctx.operand(op, op.operands["value"], layout)

    def move(place: Place, predicate: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        _update(ctx, op, place, predicate, values[offsets[0]], element, True)
        return []

    TileAccess.of(ctx, op, layout, ctx.owner(layout), widest=1).run(move)


def _predicate(ctx: Context, op: Op, offset: int) -> ir.Value | None:
    """Whether this thread changes the element at an offset."""
    layout, mask = ctx.assignment.own[op], op.operands["mask"]
    owner = ctx.owner(layout)
    if mask is None:
        return owner
    chosen = ctx.operand(op, mask, layout)[offset]
    return chosen if owner is None else ctx.builder.and_(chosen, owner)


def _finish(ctx: Context, op: Op, result: Fragment) -> None:
    """Tell the old values to threads that hold copies."""
    layout, value = ctx.assignment.own[op], op.results[0]
    if ctx.assignment.of(value):
        if layout.replicas:
            result = through_shared(ctx, result, value.type.element, layout, layout)
        ctx.define(value, layout, result)
    ordering.after(ctx, op)


def _update(
    ctx: Context, op: Op, place: Place, predicate: ir.Value | None, value: ir.Value,
    element: Element, unused: bool,
) -> ir.Value | None:  # fmt: skip
    builder, (name, kind) = ctx.builder, _MODES[op.attributes["mode"]]
    if kind == "f" and not _adds(ctx, element):
        return _add_again(ctx, op, place, predicate, value, element)
    bits = bits_of(builder, value, element)
    suffix = f"{kind}{bits.type.width}"
    if isinstance(element, Scalar) and element.name in HALVES and kind == "f":
        suffix = f"noftz.{element.name}"
    order = op.attributes["memory_ordering_semantics"]
    silent = unused and order in ("relaxed", "release") and name != "exch"
    text = f"{'red' if silent else 'atom'}{ordering.space_of(ctx, op)}.{name}.{suffix}"
    if silent:
        access.reduce(builder, text, place, predicate, bits)
        return None
    return value_of(builder, access.change(builder, text, place, predicate, [bits]), element)


def _adds(ctx: Context, element: Scalar) -> bool:
    return element.name != "bf16" or ctx.target.adds_bf16


def _add_again(
    ctx: Context, op: Op, place: Place, predicate: ir.Value | None, value: ir.Value,
    element: Scalar,
) -> ir.Value:  # fmt: skip
    """Add a half, again and again until nobody came in between."""
    builder, kind = ctx.builder, ir.IntType(16)
    before = builder.block
    enter, again, done = (builder.append_basic_block(n) for n in ("add", "again", "added"))
    if predicate is None:
        builder.branch(enter)
    else:
        builder.cbranch(predicate, enter, done)
    builder.position_at_end(enter)
    (first,) = access.load(builder, access.Shape(16, 1), *place, None, None, ".relaxed.sys")
    builder.branch(again)
    builder.position_at_end(again)
    seen = builder.phi(kind)
    seen.add_incoming(first, enter)
    total = builder.fadd(
        widen(builder, value_of(builder, seen, element), element), widen(builder, value, element)
    )
    bits = bits_of(builder, narrow(builder, total, element), element)
    name = f"atom{ordering.space_of(ctx, op)}.cas.b16"
    found = access.change(builder, name, place, None, [seen, bits])
    seen.add_incoming(found, again)
    builder.cbranch(builder.icmp_unsigned("==", found, seen), done, again)
    builder.position_at_end(done)
    if predicate is None:
        return value_of(builder, found, element)
    old = builder.phi(kind)
    old.add_incoming(ir.Constant(kind, 0), before)
    old.add_incoming(found, again)
    return value_of(builder, old, element)


LOWERINGS = {
    "atomic_cas_tko": atomic_cas_tko,
    "atomic_red_view_tko": atomic_red_view_tko,
    "atomic_rmw_tko": atomic_rmw_tko,
}
