"""Calls of vprintf, the printf that the driver provides."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import I32, I64, EmitContext
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.scalar.types import OPAQUE

MOST_ARGUMENTS = 32
"""The most arguments of a call ("Formatted Output" in the CUDA C++ Programming Guide)."""
_PRINTF = "vprintf"


def escaped(words: str) -> str:
    """Return a text as a part of a format."""
    return words.replace("%", "%%")


def write(ctx: EmitContext, words: str, arguments: Sequence[ir.Value]) -> None:
    """Call vprintf with a format of C's printf. Arguments of eight bytes each are in a buffer."""
    builder, module = ctx.builder, ctx.builder.module
    kind = ir.FunctionType(I32, [OPAQUE, OPAQUE])
    function = module.globals.get(_PRINTF) or ir.Function(module, kind, _PRINTF)
    buffer: ir.Value = ir.Constant(OPAQUE, None)
    if arguments:
        buffer = ctx.variable(ir.ArrayType(I64, len(arguments)))
        for number, argument in enumerate(arguments):
            bits = argument if argument.type == I64 else builder.bitcast(argument, I64)
            address = builder.gep(buffer, [I64(0), I64(number)], inbounds=True)
            builder.store(bits, address)
    builder.call(function, [text(ctx, words), buffer])


def text(ctx: EmitContext, words: str) -> ir.Value:
    """Return the address of a zero-terminated string in global memory."""
    module = ctx.builder.module
    data = bytearray(words.encode("utf-8", "surrogateescape") + b"\0")
    kind = ir.ArrayType(ir.IntType(8), len(data))
    name = f"{ctx.kernel.symbol}$text{len(module.globals)}"
    memory = ir.GlobalVariable(module, kind, name, addrspace=GLOBAL)
    memory.initializer, memory.linkage = ir.Constant(kind, data), "internal"
    memory.global_constant, memory.align = True, 1
    return ctx.builder.addrspacecast(memory, OPAQUE)
