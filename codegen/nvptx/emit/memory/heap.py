"""Memory on the device's heap, which a tile block allocates at its start and frees at its end.

One thread calls the malloc that the driver provides, and passes the address to the others. The
launcher decides how large the heap is; if a block gets no memory, the launch fails.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.codegen.nvptx.emit.messages.assertions import fail
from tileir.codegen.nvptx.emit.one_thread import one_thread
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import SHARED
from tileir.codegen.nvptx.schedule.allocations import MOST, Area
from tileir.codegen.scalar.types import ADDRESS, OPAQUE

_ADDRESS = access.AccessShape(64, 1)


def allocate(ctx: EmitContext, area: Area) -> ir.Value:
    """Allocate all variables on the heap as one piece of memory; return its address."""
    builder = ctx.builder
    size = area.taken
    slot = ctx.shared.reserve(_ADDRESS.bits // 8)
    with one_thread(ctx):
        pointer = builder.call(_provided(ctx, "malloc", OPAQUE, ADDRESS), [ADDRESS(size)])
        memory = builder.ptrtoint(pointer, ADDRESS)
        nothing = builder.icmp_unsigned("==", memory, ADDRESS(0))
        with builder.if_then(nothing, likely=False):
            fail(ctx, f"the heap has no {size} bytes left for a block", ctx.kernel.symbol)
        access.store(builder, _ADDRESS, slot, 0, None, [memory], SHARED)
    ctx.shared.barrier()
    (memory,) = access.load(builder, _ADDRESS, slot, 0, None, None, SHARED)
    start = memory
    if area.slack:
        start = builder.add(start, ADDRESS(area.slack))
        start = builder.and_(start, ADDRESS(-area.alignment))
    for op, offset in area.offsets.items():
        ctx.heap[op] = builder.add(start, ADDRESS(min(offset, MOST)))
    return memory


def free(ctx: EmitContext, memory: ir.Value) -> None:
    """Free the memory of the block, behind a barrier."""
    builder = ctx.builder
    ctx.shared.barrier()
    with one_thread(ctx):
        function = _provided(ctx, "free", ir.VoidType(), OPAQUE)
        builder.call(function, [builder.inttoptr(memory, OPAQUE)])


def _provided(ctx: EmitContext, name: str, result: ir.Type, parameter: ir.Type) -> ir.Function:
    """Return the declaration of a function that the driver provides."""
    module = ctx.builder.module
    kind = ir.FunctionType(result, [parameter])
    return module.globals.get(name) or ir.Function(module, kind, name)
