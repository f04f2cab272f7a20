"""Lowering of assert: a call of the function that a driver provides for it."""

from __future__ import annotations

from llvmlite import ir

from tileir.ir import Op

from ..scalar.types import OPAQUE
from .fragments import I32, I64, Context
from .spaces import GLOBAL

_FAIL = "__assertfail"


def lower_assert(ctx: Context, op: Op) -> None:
    """A thread that holds a false element says so, and the launch ends with an error."""
    builder, condition = ctx.builder, op.operands["condition"]
    layout = ctx.assignment.computed(condition)[0]
    holds, *others = ctx.fragment(condition, layout).values()
    for other in others:
        holds = builder.and_(holds, other)
    with builder.if_then(builder.not_(holds), likely=False):
        fail(ctx, op.attributes["message"], op.place)


def fail(ctx: Context, message: str, place: str) -> None:
    """End the launch with a message."""
    module = ctx.builder.module
    kind = ir.FunctionType(ir.VoidType(), [OPAQUE, OPAQUE, I32, OPAQUE, I64])
    function = module.globals.get(_FAIL) or ir.Function(module, kind, _FAIL)
    words, where, kernel = (text(ctx, each) for each in (message, place, ctx.kernel.symbol))
    arguments = [words, where, ir.Constant(I32, 0), kernel, ir.Constant(I64, 1)]
    ctx.builder.call(function, arguments)


def text(ctx: Context, words: str) -> ir.Value:
    """The address of a string that ends with a zero."""
    module = ctx.builder.module
    data = bytearray(words.encode("utf-8", "surrogateescape") + b"\0")
    kind = ir.ArrayType(ir.IntType(8), len(data))
    name = f"{ctx.kernel.symbol}$text{len(module.globals)}"
    memory = ir.GlobalVariable(module, kind, name, addrspace=GLOBAL)
    memory.initializer, memory.linkage = ir.Constant(kind, data), "internal"
    memory.global_constant, memory.align = True, 1
    return ctx.builder.addrspacecast(memory, OPAQUE)


LOWERINGS = {"assert": lower_assert}
