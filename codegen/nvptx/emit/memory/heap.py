"""Memory that a tile block takes from the device's heap when it starts, and gives back at its end.

One thread calls the malloc that a driver provides, and tells the others. A launcher decides how
large the heap is; of a block that gets nothing the launch fails.
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


def take(ctx: EmitContext, area: Area) -> ir.Value:
    """All that the block allocates on the heap, in one piece; notes where each part of it lies."""
    builder = ctx.builder
    size = area.taken
    slot = ctx.shared.reserve(_ADDRESS.bits // 8)
    with one_thread(ctx):
        found = builder.call(_provided(ctx, "malloc", OPAQUE, ADDRESS), [ADDRESS(size)])
        memory = builder.ptrtoint(found, ADDRESS)
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
    for op, place in area.offsets.items():
        ctx.heap[op] = builder.add(start, ADDRESS(min(place, MOST)))
    return memory


def give_back(ctx: EmitContext, memory: ir.Value) -> None:
    """Once no thread of the block uses it any more."""
    builder = ctx.builder
    ctx.shared.barrier()
    with one_thread(ctx):
        free = _provided(ctx, "free", ir.VoidType(), OPAQUE)
        builder.call(free, [builder.inttoptr(memory, OPAQUE)])


def _provided(ctx: EmitContext, name: str, result: ir.Type, parameter: ir.Type) -> ir.Function:
    """A function that a driver provides."""
    module = ctx.builder.module
    kind = ir.FunctionType(result, [parameter])
    return module.globals.get(name) or ir.Function(module, kind, name)
