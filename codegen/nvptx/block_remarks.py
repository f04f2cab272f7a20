"""Remarks of the stages of block IR: what the ops say themselves, and reasons from the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tileir.codegen.block.accesses import COPIES, Accesses, accesses_of
from tileir.codegen.block.areas import area_bytes, slot_bytes
from tileir.codegen.block.types import Frag
from tileir.codegen.layouts.linear_layout import dim_bits
from tileir.ir import Op
from tileir.messages.wording import counted

from .reasons import Reason
from .schedule.mma_reads import read_by
from .state import KernelState, State

_PRODUCTS = ("mma", "mma_scaled")


class Row(NamedTuple):
    """One decision: the op that it is about, and the rest as in a `Remark`."""

    op: Op | None
    what: str
    why: str = ""
    facts: Mapping[str, object] = {}


Found = Iterator[Row]


def _because(op: Op | None, what: str, *reasons: Reason) -> Row:
    """Return a decision with its reasons."""
    ids = {"reasons": tuple(reason.id for reason in reasons)}
    return Row(op, what, "; ".join(map(str, reasons)), ids)


def _made(state: State, each: KernelState) -> Found:
    """Return how wide accesses to global memory are, how operands are read, what folds take."""
    for op in each.kernel.walk():
        if op.name in _PRODUCTS:
            slots = ", ".join(f"{slot} from {_read(op, slot)}" for slot in ("lhs", "rhs"))
            yield Row(op, f"reads {slots}")
        elif op.name == "fold":
            yield Row(op, f"folded {_folded_bits(op)}")
        elif access := accesses_of(op):
            yield _access(op, access, each.narrow.get(op))


def _folded_bits(fold: Op) -> str:
    """Return how many elements of a thread and of lanes a fold makes into one."""
    kind = fold.operands["operands"][0].type
    if not isinstance(kind, Frag):
        return "over nothing"
    low, _ = dim_bits(kind.shape, fold.attributes["dim"])
    bases = [1 << low + bit for bit in fold.attributes["over"]]
    registers = sum(base in kind.layout.register for base in bases)
    lanes = len(bases) - registers
    parts = [(registers, "registers of a thread"), (lanes, "lanes, by shuffles")]
    return " and ".join(f"over {1 << count} {what}" for count, what in parts if count)


def _folded(state: State, each: KernelState) -> Found:
    if each.folded:
        what = f"{counted(each.folded, 'conversion')} removed"
        yield Row(None, what, "other values have the results, or nothing uses them")


def _copies(state: State, each: KernelState) -> Found:
    for op in each.kernel.walk():
        if way := each.conversions.get(op):
            by = "in registers" if way.in_registers else "through shared memory"
            yield _because(op, f"layout converted {by}", way.reason)


def _loops(state: State, each: KernelState) -> Found:
    for op in each.kernel.walk():
        if op.name == "pipelined_for":
            yield from _pipelined(op, each)
        elif reason := each.ahead.get(op):
            ahead = counted(op.parent.parent_op.attributes["ahead"], "iteration")
            how = "copied" if op.name in COPIES else "loaded into registers"
            yield _because(op, f"{how} {ahead} ahead", reason)
            if access := accesses_of(op) if op.name in COPIES else None:
                yield _access(op, access, None)
        elif reasons := each.refused.loads.get(op):
            yield _because(op, "loaded in its own iteration", *reasons)


def _pipelined(loop: Op, each: KernelState) -> Found:
    ring = _ring_of(loop)
    if ring is None:
        return
    slots = ring.results[0].type.slots
    size = slot_bytes(ring)
    ahead = f"copies for {counted(slots - 1, 'iteration')} are under way"
    what = f"ring of {slots} slots of {size} bytes, {ahead} beside the slot that is read"
    yield _because(loop, what, each.ring_depths[loop])


def _ring_of(loop: Op) -> Op | None:
    """Return the op that allocates the ring of a pipelined loop, None if it has none."""
    for op in loop.regions[0].block.ops:
        if op.name == "wait_group":
            return op.operands["rings"][0].owner
    return None


def _barriers(state: State, each: KernelState) -> Found:
    barriers = [op for op in each.kernel.walk() if op.name == "barrier"]
    if barriers:
        yield Row(None, counted(len(barriers), "barrier"), "all threads of the block wait there")
    for op in barriers:
        yield Row(op, "orders these accesses", "; ".join(op.attributes["pairs"]))


def _memory(state: State, each: KernelState) -> Found:
    yield Row(None, f"{each.shared_bytes} bytes of shared memory in all")
    places: list[tuple[Op, int, int]] = []
    for op in each.kernel.walk():
        if op.name in ("alloca", "shared_alloc") and op.attributes["offset"] is not None:
            start = op.attributes["offset"]
            places.append((op, start, start + area_bytes(op)))
    for op, start, end in places:
        others = [
            f"{low} to {high - 1}"
            for other, low, high in places
            if other is not op and low < end and start < high
        ]
        why = f"at other times, other areas lie there: {', '.join(others)}" if others else ""
        yield Row(op, f"bytes {start} to {end - 1}", why)


def _unrolled(state: State, each: KernelState) -> Found:
    for op in each.kernel.walk():
        if reason := each.unrolling.get(op):
            factor = op.attributes["unroll"]
            yield _because(op, f"unroll factor {factor}" if factor else "not unrolled", reason)


def _access(op: Op, access: Accesses, narrow: Reason | None) -> Row:
    """Return how wide the accesses of an op are, how many a thread makes, why they are narrow."""
    count = ", ".join(filter(None, [f"{access.count} a thread", access.otherwise]))
    why = _because(op, f"accesses of {access.bytes} bytes", *([narrow] if narrow else []))
    facts = {**why.facts, "bytes": access.bytes, "count": access.count}
    return Row(op, why.what, "; ".join(filter(None, [count, why.why])), facts)


def _read(op: Op, slot: str) -> str:
    by = read_by(op, slot)
    return by if by == "registers" else f"shared memory by {by}"


ROWS: dict[str, Callable[[State, KernelState], Found]] = {
    "to_block_ir": _made,
    "fold_conversions": _folded,
    "choose_copies": _copies,
    "pipeline_loops": _loops,
    "place_barriers": _barriers,
    "allocate_memory": _memory,
    "unroll_loops": _unrolled,
}
"""Stage -> its decisions: the op that each is about, the decision, and the reason."""
