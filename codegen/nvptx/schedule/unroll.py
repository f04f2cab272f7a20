"""How many trips of a loop are made at once, so that enough loads are under way.

A thread that adds up what it loads waits for memory once a trip. Of several trips in a row the
loads come first, as far as ptxas may move them: not across barriers, and not across stores, which
might change what is loaded (there see `read_ahead`). LLVM unrolls what we mark, and leaves alone
what holds barriers or shuffles.
"""

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.scalar.types import memory_bytes
from tileir.formats.ops.spec import SILENT, TERMINATES
from tileir.ir import Op

from .assignment import Assignment

BYTES_IN_FLIGHT = 128
"""That a thread should wait for at once: eight of the widest loads."""
MOST_TRIPS = 8
_MEETING = ("llvm.nvvm.barrier", "llvm.nvvm.shfl", "llvm.nvvm.vote")


def trips_at_once(op: Op, assignment: Assignment) -> int:
    """For a `for` op: a power of two, 1 where nothing is gained."""
    if not is_plain(op):
        return 1
    loaded = 0
    for inner in op.regions[0].block.ops:
        if is_plain_load(inner):
            size = memory_bytes(inner.results[0].type.element)
            layouts = assignment.computed(inner.results[0])
            loaded += sum(size << len(layout.register) for layout in layouts)
    trips = 1
    while 0 < 2 * trips * loaded <= BYTES_IN_FLIGHT and trips < MOST_TRIPS:
        trips *= 2
    return trips


def is_plain(op: Op) -> bool:
    """Whether a loop does nothing but load and compute."""
    return not any(
        inner.regions
        or inner.spec.effects not in (*SILENT, TERMINATES)
        or (is_plain_load(inner) and not is_weak(inner))
        for inner in op.regions[0].block.ops
    )


def may_repeat(blocks: Iterable[ir.Block]) -> bool:
    """Whether LLVM is free to repeat the code of a loop: it is not where threads meet in it."""
    calls = (it for block in blocks for it in block.instructions if isinstance(it, ir.CallInstr))
    names = (getattr(call.callee, "name", "") for call in calls)
    return not any(name.startswith(_MEETING) for name in names)


def mark(branch: ir.Instruction, trips: int) -> None:
    """Have LLVM unroll the loop that the branch closes."""
    module = branch.function.module
    count = ir.Constant(ir.IntType(32), trips)
    option = module.add_metadata(["llvm.loop.unroll.count", count])
    # A loop's node names itself, which tells it from those of other loops.
    loop = ir.MDValue(module, (), str(len(module.metadata)))
    loop.operands = (loop, option)
    branch.set_metadata("llvm.loop", loop)
