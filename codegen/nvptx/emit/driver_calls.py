"""Lowering of what the driver does for a kernel: messages, assertions, memory of the heap.

It provides the functions vprintf, __assertfail, malloc and free. One thread of the block calls them
where the whole block needs the effect once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.spaces import GLOBAL
from tileir.codegen.scalar.types import ADDRESS, OPAQUE
from tileir.ir import Op

from .context import I32, I64, Context
from .grid import AXES, special_register

MOST_ARGUMENTS = 32
"""The most arguments of a call ("Formatted Output" in the CUDA C++ Programming Guide)."""
_WARP_SYNC = "llvm.nvvm.bar.warp.sync"
_ADDRESS = access.AccessShape(64, 1)


@contextmanager
def one_thread(ctx: Context) -> Iterator[None]:
    """Run the code inside in the first thread only; its warp reconverges behind it."""
    builder = ctx.builder
    first = builder.icmp_unsigned("==", ctx.thread, ir.Constant(I32, 0))
    with builder.if_then(first):
        yield
    warp_sync = _provided(builder, _WARP_SYNC, ir.VoidType(), I32)
    builder.call(warp_sync, [ir.Constant(I32, -1)])


# Messages -------------------------------------------------------------------------------------


def escaped(words: str) -> str:
    """Return a text as a part of a format."""
    return words.replace("%", "%%")


def write(ctx: Context, words: str, arguments: Sequence[ir.Value]) -> None:
    """Call vprintf with a format of C's printf. Arguments of eight bytes each are in a buffer."""
    builder = ctx.builder
    buffer: ir.Value = ir.Constant(OPAQUE, None)
    if arguments:
        buffer = ctx.variable(ir.ArrayType(I64, len(arguments)))
        for number, argument in enumerate(arguments):
            bits = argument if argument.type == I64 else builder.bitcast(argument, I64)
            address = builder.gep(buffer, [I64(0), I64(number)], inbounds=True)
            builder.store(bits, address)
    function = _provided(builder, "vprintf", I32, OPAQUE, OPAQUE)
    builder.call(function, [_text(builder, words), buffer])


def _text(builder: ir.IRBuilder, words: str) -> ir.Value:
    """Return the address of a zero-terminated string in global memory."""
    module = builder.module
    data = bytearray(words.encode("utf-8", "surrogateescape") + b"\0")
    kind = ir.ArrayType(ir.IntType(8), len(data))
    name = f"{builder.function.name}$text{len(module.globals)}"
    memory = ir.GlobalVariable(module, kind, name, addrspace=GLOBAL)
    memory.initializer, memory.linkage = ir.Constant(kind, data), "internal"
    memory.global_constant, memory.align = True, 1
    return builder.addrspacecast(memory, OPAQUE)


# Assertions -----------------------------------------------------------------------------------


def lower_assert(ctx: Context, op: Op) -> None:
    """Lower assert: a thread that holds a false element prints the message and fails the launch."""
    builder, condition = ctx.builder, op.operands["condition"]
    holds, *others = ctx.fragment(condition).values()
    for other in others:
        holds = builder.and_(holds, other)
    fails, owner = builder.not_(holds), ctx.owner(ctx.layout(condition))
    if owner is not None:
        fails = builder.and_(fails, owner)
    with builder.if_then(fails, likely=False):
        _fail(ctx, op, op.attributes["message"] or "an assertion is false", op.location_text)


def _fail(ctx: Context, op: Op, message: str, location: str) -> None:
    """Fail the launch with a message, also on standard output, as NVIDIA's compiler does."""
    builder = ctx.builder
    register = "clusterid" if op.attributes["clusters"] else "ctaid"
    block = [builder.zext(special_register(builder, f"{register}.{axis}"), I64) for axis in AXES]
    write(ctx, f"{escaped(location)}: block [%d, %d, %d]: {escaped(message)}\n", block)
    function = _provided(builder, "__assertfail", ir.VoidType(), OPAQUE, OPAQUE, I32, OPAQUE, I64)
    texts = (message, location, builder.function.name)
    words, where, kernel = (_text(builder, each) for each in texts)
    # It writes to the standard error, and launchers learn that an assertion was false.
    arguments = [words, where, ir.Constant(I32, 0), kernel, ir.Constant(I64, 1)]
    builder.call(function, arguments)


# The heap -------------------------------------------------------------------------------------


def heap_alloc(ctx: Context, op: Op) -> None:
    """Lower heap_alloc; the launcher decides how large the heap is."""
    builder, size = ctx.builder, op.attributes["bytes"]
    with one_thread(ctx):
        pointer = builder.call(_provided(builder, "malloc", OPAQUE, ADDRESS), [ADDRESS(size)])
        memory = builder.ptrtoint(pointer, ADDRESS)
        nothing = builder.icmp_unsigned("==", memory, ADDRESS(0))
        with builder.if_then(nothing, likely=False):
            message = f"the heap has no {size} bytes left for a block"
            _fail(ctx, op, message, builder.function.name)
        place = ctx.values[op.operands["destination"]]
        access.store(builder, _ADDRESS, place, 0, None, [memory], access.SHARED)


def heap_free(ctx: Context, op: Op) -> None:
    """Lower heap_free."""
    with one_thread(ctx):
        function = _provided(ctx.builder, "free", ir.VoidType(), OPAQUE)
        address = ctx.scalar(op.operands["address"])
        ctx.builder.call(function, [ctx.builder.inttoptr(address, OPAQUE)])


def _provided(
    builder: ir.IRBuilder, name: str, result: ir.Type, *parameters: ir.Type
) -> ir.Function:
    """Return the declaration of a function that the driver or LLVM provides."""
    module = builder.module
    kind = ir.FunctionType(result, parameters)
    return module.globals.get(name) or ir.Function(module, kind, name)


LOWERINGS = {"assert": lower_assert, "heap_alloc": heap_alloc, "heap_free": heap_free}
