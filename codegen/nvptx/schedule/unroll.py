"""Choose unroll factors of loops, so that enough loads are in flight.

A thread that sums what it loads waits for memory once an iteration. In an unrolled loop the loads
of several iterations come first, as far as ptxas may move them: not across barriers, and not across
stores, which might change what is loaded (for those see `read_ahead`). LLVM unrolls the loops that
are marked here, but none with barriers or shuffles.
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
"""Bytes of loads that a thread should have in flight: eight of the widest loads."""
LARGEST_FACTOR = 8
_CONVERGENT = ("llvm.nvvm.barrier", "llvm.nvvm.shfl", "llvm.nvvm.vote")


def unroll_factor(op: Op, assignment: Assignment) -> int:
    """Return the unroll factor of a `for` op: a power of two, 1 where unrolling gains nothing."""
    if not is_plain(op):
        return 1
    loaded = 0
    for inner in op.regions[0].block.ops:
        if is_plain_load(inner):
            size = memory_bytes(inner.results[0].type.element)
            layouts = assignment.defined_in(inner.results[0])
            loaded += sum(size << len(layout.register) for layout in layouts)
    factor = 1
    while 0 < 2 * factor * loaded <= BYTES_IN_FLIGHT and factor < LARGEST_FACTOR:
        factor *= 2
    return factor


def is_plain(op: Op) -> bool:
    """Whether a loop only loads and computes: it has no nested regions, stores or ordered loads."""
    return not any(
        inner.regions
        or inner.spec.effects not in (*SILENT, TERMINATES)
        or (is_plain_load(inner) and not is_weak(inner))
        for inner in op.regions[0].block.ops
    )


def may_repeat(blocks: Iterable[ir.Block]) -> bool:
    """Whether LLVM may duplicate the code of a loop: not if it has barriers, shuffles or votes."""
    calls = (it for block in blocks for it in block.instructions if isinstance(it, ir.CallInstr))
    names = (getattr(call.callee, "name", "") for call in calls)
    return not any(name.startswith(_CONVERGENT) for name in names)


def mark(branch: ir.Instruction, factor: int) -> None:
    """Have LLVM unroll the loop whose back edge is the branch."""
    module = branch.function.module
    count = ir.Constant(ir.IntType(32), factor)
    option = module.add_metadata(["llvm.loop.unroll.count", count])
    # The node of a loop refers to itself, so that no two loops have the same node.
    loop = ir.MDValue(module, (), str(len(module.metadata)))
    loop.operands = (loop, option)
    branch.set_metadata("llvm.loop", loop)
