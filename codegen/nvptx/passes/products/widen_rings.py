"""A slot more for rings that threads fill, so that products under way read one of their own.

Copies of threads take a barrier in each iteration, behind the wait for them. If the slot that is
filled behind it was read two iterations before, all warps have awaited the products that read it
before that barrier, so no other barrier is needed although those of the iteration before are under
way. There are as many iterations ahead as before.

The slot is there only where it costs no resident block: other blocks overlap better.
"""

from __future__ import annotations

from tileir.codegen.block.areas import alignment, slot_bytes
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Shared, Turn
from tileir.codegen.nvptx.passes.memory.allocate_memory import memory_needed
from tileir.codegen.nvptx.passes.ring_loads import RESIDENT_THREADS
from tileir.codegen.nvptx.state import KernelState
from tileir.gpus import Target
from tileir.ir import Op, Value


def threads_fill(loop: Op) -> Op | None:
    """Return the op that waits for what threads copy in a loop, None if they copy nothing."""
    waits = (op for op in loop.regions[0].block.ops if op.name == "wait_group")
    return next(waits, None) if loop.name == "pipelined_for" else None


def widen_ring(state: KernelState, loop: Op, target: Target) -> bool:
    """Add a slot to the ring that threads fill in a loop; return whether there is memory for it."""
    wait = threads_fill(loop)
    assert wait is not None
    alloc: Op = wait.operands["rings"][0].owner
    slots = alloc.results[0].type.slots + 1
    longer = {loop: (slot_bytes(alloc) * slots, alignment(alloc))}
    needed = memory_needed(state.kernel.body, longer, without={alloc})
    resident = max(RESIDENT_THREADS // state.threads, state.contract["minnctapersm"])
    if needed > target.shared_of_each(resident):
        return False
    for ring in alloc.results:
        kind = ring.type
        ring.type = Shared(kind.element, kind.shape, kind.offsets, slots)
    _count_to(slots, loop, alloc.results[0])
    following = wait.operands["turn"]
    operands = {"ring": wait.operands["rings"][0], "turn": following}
    read = make("advance", operands, results=[following.type], origin=wait)
    read.insert_before(wait)
    wait.operands["turn"] = read.result
    return True


def _count_to(slots: int, loop: Op, ring: Value) -> None:
    """Have the turns of a ring, which a loop hands on, count so many slots."""
    ahead = loop.operands["aheadValues"]
    (number,) = [
        index for index, value in enumerate(ahead)
        if isinstance(value.owner, Op) and value.owner.operands.get("ring") is ring
    ]  # fmt: skip
    body, prologue = (region.block for region in loop.regions)
    inits = len(loop.operands["initValues"])
    turns = [ahead[number], prologue.arguments[2 + number], body.arguments[3 + inits + number]]
    while turns:
        turn = turns.pop()
        turn.type = Turn(slots, turn.type.phased)
        turns += [use.op.result for use in turn.uses if use.op.name == "advance"]
