"""Lowering of assert: a thread prints what is wrong, and the launch ends."""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op

from .fragments import I64, Context
from .lower_grid import special_register
from .vprintf import escaped, write


def lower_assert(ctx: Context, op: Op) -> None:
    """A thread that holds a false element says so, and the launch ends with an error."""
    builder, condition = ctx.builder, op.operands["condition"]
    layout = ctx.assignment.computed(condition)[0]
    holds, *others = ctx.fragment(condition, layout).values()
    for other in others:
        holds = builder.and_(holds, other)
    fails, owner = builder.not_(holds), ctx.owner(layout)
    if owner is not None:
        fails = builder.and_(fails, owner)
    message = op.attributes["message"]
    with builder.if_then(fails, likely=False):
        fail(ctx, f"assertion failed{': ' if message else ''}{message}", op.place)


def fail(ctx: Context, message: str, place: str) -> None:
    """End the launch with a message."""
    builder = ctx.builder
    block = [builder.zext(special_register(builder, f"ctaid.{axis}"), I64) for axis in "xyz"]
    write(ctx, f"{escaped(place)}: block [%d, %d, %d]: {escaped(message)}\n", block)
    # LLVM's own trap would be the end of the thread, and tear its warp apart before barriers.
    builder.asm(ir.FunctionType(ir.VoidType(), []), "trap;", "", [], side_effect=True)


LOWERINGS = {"assert": lower_assert}
