"""Choose unroll factors of loops, so that enough loads are in flight.

A thread that sums what it loads waits for memory once an iteration. In an unrolled loop the loads
of several iterations come first, as far as ptxas may move them: not across barriers, and not across
stores, which might change what is loaded (for those see `register_loads`). LLVM unrolls the loops
that are marked here, but none with shuffles or votes.
"""

from __future__ import annotations

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.scalar.types import memory_bytes
from tileir.formats.ops.spec import SILENT, TERMINATES
from tileir.ir import Op, Value

BYTES_IN_FLIGHT = 128
"""Bytes of loads that a thread should have in flight: eight of the widest loads."""
LARGEST_FACTOR = 8


def unroll_loops(state: KernelState) -> None:
    """Give a factor to every `for` that only loads and computes."""
    for op in state.kernel.walk():
        if op.name == "for":
            factor, why = _factor(op)
            state.reasons[Decision.UNROLL].add(op, why)
            if factor > 1:
                op.attributes["unroll"] = factor


def _factor(loop: Op) -> tuple[int, Reason]:
    """Return an unroll factor, and why: a power of two, 1 where unrolling gains nothing."""
    ops = loop.regions[0].block.ops
    if op := plain_problem(loop):
        return 1, Reason("not_plain", op.name)
    if op := next(filter(_is_convergent, ops), None):
        return 1, Reason("convergent", op.name)
    loaded = sum(loaded_bytes(op.results[0]) for op in ops if is_plain_load(op))
    factor = 1
    while 0 < 2 * factor * loaded <= BYTES_IN_FLIGHT and factor < LARGEST_FACTOR:
        factor *= 2
    if not loaded:
        return 1, Reason("nothing_loaded")
    return factor, Reason("unrolled" if factor > 1 else "enough_loaded", loaded)


def loaded_bytes(tile: Value) -> int:
    """Return the bytes of a tile that each thread loads."""
    registers = tile.type.layout.register if isinstance(tile.type, Frag) else ()
    return memory_bytes(tile.type.element) << len(registers)


def plain_problem(loop: Op) -> Op | None:
    """Return the first op of a loop that does not only load or compute, None if there is none.

    It has a nested region, stores, or is an ordered load.
    """
    for inner in loop.regions[0].block.ops:
        if (
            inner.regions
            or inner.spec.effects not in (*SILENT, TERMINATES)
            or (is_plain_load(inner) and not is_weak(inner))
        ):
            return inner
    return None


def _is_convergent(op: Op) -> bool:
    """Whether the lanes of a warp execute an op together: by a shuffle or a vote."""
    if op.name == "convert_layout":
        return True
    if op.operands.get("mask") is None:
        return False
    return op.attributes["vector"] != op.attributes["masked"]
