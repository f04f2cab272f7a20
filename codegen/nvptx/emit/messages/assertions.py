"""Lowering of assert: a thread prints the message, and the launch fails."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.control.grid import coordinates
from tileir.codegen.nvptx.emit.fragments import I32, I64, EmitContext
from tileir.codegen.scalar.types import OPAQUE
from tileir.ir import Op

from .vprintf import escaped, text, write

_FAIL = "__assertfail"


def lower_assert(ctx: EmitContext, op: Op) -> None:
    """Lower assert: a thread that holds a false element prints the message and fails the launch."""
    builder, condition = ctx.builder, op.operands["condition"]
    layout = ctx.assignment.defined_in(condition)[0]
    holds, *others = ctx.fragment(condition, layout).values()
    for other in others:
        holds = builder.and_(holds, other)
    fails, owner = builder.not_(holds), ctx.owner(layout)
    if owner is not None:
        fails = builder.and_(fails, owner)
    with builder.if_then(fails, likely=False):
        fail(ctx, op.attributes["message"] or "an assertion is false", op.location_text)


def fail(ctx: EmitContext, message: str, location: str) -> None:
    """Fail the launch with a message, also on standard output, as NVIDIA's compiler does."""
    builder, module = ctx.builder, ctx.builder.module
    block = [builder.zext(coordinate, I64) for coordinate in coordinates(ctx)]
    write(ctx, f"{escaped(location)}: block [%d, %d, %d]: {escaped(message)}\n", block)
    kind = ir.FunctionType(ir.VoidType(), [OPAQUE, OPAQUE, I32, OPAQUE, I64])
    function = module.globals.get(_FAIL) or ir.Function(module, kind, _FAIL)
    words, where, kernel = (text(ctx, each) for each in (message, location, ctx.kernel.symbol))
    # It writes to the standard error, and launchers learn that an assertion was false.
    arguments = [words, where, ir.Constant(I32, 0), kernel, ir.Constant(I64, 1)]
    builder.call(function, arguments)


LOWERINGS = {"assert": lower_assert}
