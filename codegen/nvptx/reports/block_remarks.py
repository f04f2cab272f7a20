"""Remarks of the stages of block IR: what the ops say themselves, and reasons from the state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple, cast

from tileir.codegen.block.accesses import Accesses, accesses_of
from tileir.codegen.block.areas import (
    ALLOCATIONS,
    AREAS,
    alignment,
    area_bytes,
    behind,
    slot_bytes,
    slot_layout,
)
from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.control_edges import LOOPS, loop_block
from tileir.codegen.block.op_facts import ARRIVALS, COPIES, EXCHANGES, accessed, exchanged
from tileir.codegen.block.roles import role_of
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.layouts.linear_layout import dim_bits
from tileir.codegen.layouts.linear_maps import combine
from tileir.codegen.layouts.shared_offsets import side_by_side
from tileir.codegen.nvptx.passes.memory.allocate_memory import memory_needed
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.schedule.mma_plan import plan_of
from tileir.codegen.nvptx.schedule.mma_reads import read_by
from tileir.codegen.nvptx.state import KernelState, State
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op
from tileir.messages.wording import counted

from .loop_schedules import Names, barriers, k_range, loop_name
from .several_barriers import pairs_of_several


class Row(NamedTuple):
    """One decision: the op that it is about, and the rest as in a `Remark`."""

    op: Op | None
    what: str
    why: str = ""
    facts: Mapping[str, object] = {}


Found = Iterator[Row]
Named = Callable[[], Names]
"""The function that gives the names of values in the text of the stage."""


def _reasons(each: KernelState, decision: Decision, op: Op) -> Sequence[Reason]:
    return each.reasons[decision].of(op)


def _because(op: Op | None, what: str, *reasons: Reason) -> Row:
    """Return a decision with its reasons."""
    ids = {"reasons": tuple(reason.id for reason in reasons)}
    return Row(op, what, "; ".join(map(str, reasons)), ids)


def _made(state: State, each: KernelState, named: Named) -> Found:
    """Return how wide accesses to global memory are, how operands are read, what folds take."""
    for op in each.kernel.walk():
        if op.name in PRODUCT_NAMES:
            slots = ", ".join(f"{slot} from {_read(op, slot)}" for slot in ("lhs", "rhs"))
            yield Row(op, f"reads {slots}; {_share(op)}")
        elif op.name == "fold":
            yield Row(op, f"folded {_folded_bits(op)}")
        elif op.name in EXCHANGES:
            yield _shared_access(op)
        elif access := accesses_of(op):
            yield _access(op, access, _reasons(each, Decision.ACCESS_BYTES, op))


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


def _folded(state: State, each: KernelState, named: Named) -> Found:
    if each.folded:
        what = f"{counted(each.folded, 'conversion')} removed"
        yield Row(None, what, "other values have the results, or nothing uses them")


def _copies(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if reasons := _reasons(each, Decision.CONVERSION, op):
            by = "in registers" if op.name == "convert_layout" else "through shared memory"
            yield _because(op, f"layout converted {by}", *reasons)
            if op.name == "load_shared":
                stores = (use.op for use in behind(op.operands["source"])[0].uses)
                yield from map(_shared_access, (each for each in stores if each.name in EXCHANGES))


def _stores(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if reasons := _reasons(each, Decision.STORE, op):
            by = "tensor copies" if op.name == "store_tensor" else "threads"
            yield _because(op, f"tile stored by {by}", *reasons)
        if op.name == "store_shared" and op.attributes["matrices"]:
            yield Row(op, "rows of 16 bytes stored by stmatrix, those of up to 4 matrices at once")


def _loops(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if op.name == "pipelined_for":
            yield from _pipelined(op, state, each)
        elif reasons := _reasons(each, Decision.AHEAD, op):
            ahead = counted(op.parent.parent_op.attributes["ahead"], "iteration")
            how = "copied" if op.name in COPIES else "loaded into registers"
            yield _because(op, f"{how} {ahead} ahead", *reasons)
            if access := accesses_of(op) if op.name in COPIES else None:
                yield _access(op, access)
                exists = op.operands["predicate"]
                if exists is not None:
                    what = f"no copy where {named().name(exists)} is false"
                    yield Row(op, what, "the group is committed all the same")
        elif reasons := _reasons(each, Decision.NOT_AHEAD, op):
            here = "in its own iteration" if _is_in_loop(op) else "in place, not copied ahead"
            yield _because(op, f"loaded {here}", *reasons)
        elif part := k_range(op) if op.name in PRODUCT_NAMES else "":
            rest = "" if op.attributes["first"] else "copies start behind this part"
            yield Row(op, part.removeprefix(", "), rest)


def _is_in_loop(op: Op) -> bool:
    return loop_block(op.parent) is not None


def _pipelined(loop: Op, state: State, each: KernelState) -> Found:
    ring = ring_of(loop)
    if ring is None:
        return
    slots = ring.results[0].type.slots
    size = slot_bytes(ring)
    ahead = f"copies for {counted(loop.attributes['ahead'], 'iteration')} are under way"
    what = f"ring of {slots} slots of {size} bytes, {ahead} beside the slot that is read"
    reasons = _reasons(each, Decision.RING_SLOTS, loop)
    yield _because(loop, what, *reasons)
    if not any(reason.id == "ring_room" for reason in reasons):
        return
    longer = {loop: (size * (slots + 1), alignment(ring))}
    more = memory_needed(each.kernel.body, longer, without={ring})
    room = state.target.shared_of_each(each.contract["minnctapersm"])
    yield Row(loop, f"a slot more would take {more} of {room} bytes of shared memory in all")


def ring_of(loop: Op) -> Op | None:
    """Return the op that allocates the ring that a loop awaits slots of, None if it has none."""
    for op in loop.regions[0].block.ops:
        if op.name in ARRIVALS or op.name == "wait_slot":
            return op.operands["rings"][0].owner
    return None


def _roles(state: State, each: KernelState, named: Named) -> Found:
    roles = [op for op in each.kernel.walk() if op.name == "role"]
    if roles:
        warps = sum(role.attributes["warps"] for role in roles)
        threads = f"{warps * state.target.warp} threads a block, {counted(warps, 'warp')}"
        yield Row(None, threads, f"those of {counted(len(roles), 'role')}")
    for role in roles:
        working, warps, registers = (
            role.attributes[slot] for slot in ("working", "warps", "registers")
        )
        works = "" if working == warps else f", of which {working} works"
        does = "fills" if role.attributes["frees"] else "waits for, reads and releases"
        what = f"{counted(warps, 'warp')} from number {role.attributes['first']} on{works}"
        yield Row(role, f"{what}; {registers} registers a thread", f"it {does} slots of rings")
    for op in each.kernel.walk():
        if reasons := _reasons(each, Decision.RING_SLOTS, op):
            yield from _ring_of_roles(op, reasons)
        if reasons := _reasons(each, Decision.ONE_ROLE, op):
            yield _because(op, "all warps have one role", *reasons)
        if op.name == "copy_tensor" and op.attributes["multicast"] is not None:
            yield Row(op, "each block of the cluster copies half, and to both", "both multiply it")


def _ring_of_roles(loop: Op, reasons: Sequence[Reason]) -> Found:
    """Return the slots of a ring that another role fills, and the parts that it is filled in."""
    waits = [op for op in loop.regions[0].block.ops if op.name == "wait_slot"]
    if not waits:  # all warps have one role
        return
    ring = waits[0].operands["rings"][0].owner
    what = f"ring of {ring.results[0].type.slots} slots of {slot_bytes(ring)} bytes"
    parts = f", each filled and released in {len(waits)} parts" if len(waits) > 1 else ""
    yield _because(loop, what + parts, *reasons)


def _overlapping(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if reasons := _reasons(each, Decision.OVERLAP, op):
            inside = op.regions[0].block.ops
            late = any(inner.name == "wait_mma_reads" for inner in inside)
            when = "while the next iteration starts its own" if late else "in their own iteration"
            if Reason("delayed") in reasons:
                when = "while the next iteration computes what comes behind its own"
            yield _because(op, f"products awaited {when}", *reasons)
            if Reason("ring_read") in _reasons(each, Decision.RING_SLOTS, op):
                yield from _pipelined(op, state, each)


def _barriers(state: State, each: KernelState, named: Named) -> Found:
    found = barriers(each)
    if found:
        own = any(role_of(op) is not None for op in found)
        those = "; in a role, those of its warps" if own else ""
        what = counted(len(found), "barrier")
        yield Row(None, what, f"all threads of the block wait there{those}")
    areas = [op for op in each.kernel.walk() if op.name in ALLOCATIONS]
    several = pairs_of_several(each.kernel.body, areas)
    for number, op in enumerate(found, 1):
        where = f"barrier {number} of {len(found)}, {_place(op, named())}"
        pairs = (_pair(op, pair, areas, named()) for pair in op.attributes["pairs"])
        yield Row(op, where, "; ".join(pairs))
        if more := several.get(op):
            what = f"barrier {number} together with a later one"
            yield Row(op, what, "; ".join(_pair(op, pair, areas, named()) for pair in more))


def _fences(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if op.name == "fence_proxy":
            why = "the async proxy accesses what threads have stored or copied"
            yield Row(op, f"fence before a barrier, {_place(op, named())}", why)


def _place(op: Op, names: Names) -> str:
    """Return where a barrier is: in which loop, or between which ones."""
    here = loop_block(op.parent)
    if here is not None:
        return f"in {loop_name(here.parent_op, names)}"
    at = op
    while at.parent_op is not None:
        at = at.parent_op
    loops = [(each.index, each) for each in at.parent.ops if each.name in LOOPS]
    before = [f"behind {loop_name(loop, names)}" for index, loop in loops if index < at.index]
    behind = [f"before {loop_name(loop, names)}" for index, loop in loops if index > at.index]
    return ", ".join([*before[-1:], *behind[:1]]) or "outside of loops"


def _pair(op: Op, pair: str, areas: Sequence[Op], names: Names) -> str:
    """Return a pair with the names of the memory instead of numbers."""
    memory = op.operands["memory"]

    def name(found: re.Match[str]) -> str:
        if found["area"]:
            return names.name(areas[int(found["area"])].results[int(found["tile"] or 0)])
        return names.name(memory[int(found[0])])

    numbers, colon, words = pair.rpartition(": ")
    return re.sub(r"area (?P<area>\d+)(#(?P<tile>\d+))?|\d+", name, numbers) + colon + words


def _memory(state: State, each: KernelState, named: Named) -> Found:
    yield Row(None, f"{each.shared_bytes} bytes of shared memory in all")
    places: list[tuple[Op, int, int]] = []
    for op in each.kernel.walk():
        if op.name in AREAS and op.attributes["offset"] is not None:
            start = op.attributes["offset"]
            places.append((op, start, start + area_bytes(op)))
    for op, start, end in places:
        others = [
            f"{named().name(other.results[0]).partition('#')[0]} in bytes {low} to {high - 1}"
            for other, low, high in places
            if other is not op and low < end and start < high
        ]
        why = f"at other times, others lie there: {', '.join(others)}" if others else ""
        yield Row(op, f"bytes {start} to {end - 1}{_slots(op, named)}", why)


def _slots(op: Op, named: Named) -> str:
    """Return how the slots and tiles of an area lie in it."""
    if op.name != "shared_alloc" or op.results[0].type.slots * len(op.results) == 1:
        return ""
    begins, size = slot_layout(op)
    slots, parts = op.results[0].type.slots, []
    if slots > 1:
        parts.append(f"{slots} slots of {size} bytes")
    if len(op.results) > 1:
        pairs = zip(op.results, begins, strict=True)
        parts += [f"{named().name(tile)} at +{begin}" for tile, begin in pairs]
    return f": {', '.join(parts)}"


def _unrolled(state: State, each: KernelState, named: Named) -> Found:
    for op in each.kernel.walk():
        if reasons := _reasons(each, Decision.UNROLL, op):
            factor = op.attributes["unroll"]
            yield _because(op, f"unroll factor {factor}" if factor else "not unrolled", *reasons)


def _access(op: Op, access: Accesses, narrow: Sequence[Reason] = ()) -> Row:
    """Return how wide the accesses of an op are, how many a thread makes, why they are narrow."""
    count = ", ".join(filter(None, [f"{access.count} a thread", access.otherwise]))
    why = _because(op, f"accesses of {access.bytes} bytes", *narrow)
    facts = {**why.facts, "bytes": access.bytes, "count": access.count}
    return Row(op, why.what, "; ".join(filter(None, [count, why.why])), facts)


def _shared_access(op: Op) -> Row:
    """Return how wide the accesses of an op to shared memory are, and how many a thread makes."""
    ((tile, _),), held = accessed(op), exchanged(op)
    kind = cast(Shared, tile.type)
    size = memory_bytes(kind.element)
    registers: Sequence[int] = held.layout.register if isinstance(held, Frag) else ()
    vector = side_by_side(held.layout, kind.offsets, size) if isinstance(held, Frag) else []
    others = [base for base in registers if base not in vector and combine(kind.offsets, base)]
    access = Accesses(size << len(vector), 1 << len(others), "")
    return _access(op, access)


def _share(op: Op) -> str:
    """Return what a warp computes of a product."""
    along = plan_of(op).along
    atoms = prod(1 << len(steps) for dim, steps in along.items() if dim in "bmnk")
    return counted(atoms, "instruction") + " a warp"


def _read(op: Op, slot: str) -> str:
    by = read_by(op, slot)
    return by if by == "registers" else f"shared memory by {by}"


ROWS: dict[str, Callable[[State, KernelState, Named], Found]] = {
    "to_block_ir": _made,
    "fold_conversions": _folded,
    "store_tensors": _stores,
    "choose_copies": _copies,
    "pipeline_loops": _loops,
    "specialise_warps": _roles,
    "overlap_products": _overlapping,
    "place_barriers": _barriers,
    "place_fences": _fences,
    "allocate_memory": _memory,
    "unroll_loops": _unrolled,
}
"""Stage -> its decisions: the op that each is about, the decision, and the reason."""
