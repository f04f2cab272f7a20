"""Choose unroll factors of loops, so that enough loads are in flight.

A thread that sums what it loads waits for memory once an iteration. In an unrolled loop the loads
of several iterations come first, as far as ptxas may move them: not across barriers, and not across
stores, which might change what is loaded (for those see `register_loads`). LLVM unrolls the loops
that are marked here, but none with shuffles or votes.
"""

from __future__ import annotations

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.types import Frag
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
        if op.name == "for" and (factor := _factor(op)) > 1:
            op.attributes["unroll"] = factor


def _factor(loop: Op) -> int:
    """Return an unroll factor: a power of two, 1 where unrolling gains nothing."""
    ops = loop.regions[0].block.ops
    if not is_plain(loop) or any(_is_convergent(op) for op in ops):
        return 1
    loaded = sum(loaded_bytes(op.results[0]) for op in ops if is_plain_load(op))
    factor = 1
    while 0 < 2 * factor * loaded <= BYTES_IN_FLIGHT and factor < LARGEST_FACTOR:
        factor *= 2
    return factor


def loaded_bytes(tile: Value) -> int:
    """Return the bytes of a tile that each thread loads."""
    registers = tile.type.layout.register if isinstance(tile.type, Frag) else ()
    return memory_bytes(tile.type.element) << len(registers)


def is_plain(loop: Op) -> bool:
    """Whether a loop only loads and computes: it has no nested regions, stores or ordered loads."""
    return not any(
        inner.regions
        or inner.spec.effects not in (*SILENT, TERMINATES)
        or (is_plain_load(inner) and not is_weak(inner))
        for inner in loop.regions[0].block.ops
    )


def _is_convergent(op: Op) -> bool:
    """Whether the lanes of a warp execute an op together: by a shuffle or a vote."""
    if op.name == "convert_layout":
        return True
    if op.operands.get("mask") is None:
        return False
    return op.attributes["vector"] != op.attributes["masked"]
