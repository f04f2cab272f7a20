"""Remarks for people who tune kernels: each decision that costs or saves time, from the last state.

They are derived as the launch plan is: from the ops of block IR, behind the last stage that changes
them, and from the reasons that stages have noted. Twins, which do without tensor maps, have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from tileir.codegen.analysis.view_geometry import dimensions
from tileir.codegen.block.accesses import accesses_of, worked_on
from tileir.codegen.block.areas import slot_bytes
from tileir.codegen.block.bank_conflicts import conflicts
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.block.op_facts import EXCHANGES
from tileir.codegen.launch_terms import TERMS
from tileir.codegen.nvptx.advice import ADVICE
from tileir.codegen.nvptx.launch.contract import COMPILER, registers_of
from tileir.codegen.nvptx.launch.tensor_maps import Moved, loads_of, outside_prologues, stores_of
from tileir.codegen.nvptx.needs import calling_op
from tileir.codegen.nvptx.reasons import Decision, Reason
from tileir.codegen.nvptx.schedule.view_facts import ACCESS_BYTES
from tileir.codegen.nvptx.state import KernelState, State
from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Op
from tileir.messages.wording import counted
from tileir.types import Pointer

from .block_remarks import ring_of

PASSED, MISSED, ANALYSIS = Outcome.PASSED, Outcome.MISSED, Outcome.ANALYSIS
STAGE = "unroll_loops"
"""The stage behind which everything has been decided."""


class Row(NamedTuple):
    """One decision; the rest is as in a `Remark`."""

    op: Op | None
    outcome: Outcome
    what: str
    reasons: Sequence[Reason] = ()
    why: str = ""
    facts: Mapping[str, object] = {}


Rows = Iterator[Row]


def remarks_of(state: State) -> Iterator[Remark]:
    """Yield the remarks on the kernels of a module: by kernel, topic and place in the kernel."""
    for each in state.kernels:
        if each.twin_of is None:
            for topic, rows in ROWS.items():
                for row in rows(each, state.target):
                    yield _remark(each.symbol, topic, row)


def exchanges_of(state: State) -> Iterator[Remark]:
    """Yield a detail about each op that moves a tile between registers and shared memory.

    Its facts: whether it `converts` a layout, the `turns` that bank conflicts add to each of its
    accesses, and how many `loops` are around it.
    """
    for each in state.kernels:
        if each.twin_of is not None:
            continue
        for op in outside_prologues(each.kernel.body.block):
            if op.name in EXCHANGES:
                converts = bool(each.reasons[Decision.CONVERSION].of(op))
                facts = {"converts": converts, "turns": conflicts(op)}
                facts["loops"] = _loops_around(op)
                yield Remark(STAGE, each.symbol, op, op.name, facts=facts)


def _remark(entry: str, topic: Topic, row: Row) -> Remark:
    advice = [ADVICE[reason.id] for reason in row.reasons if reason.id in ADVICE]
    return Remark(
        STAGE,
        entry,
        row.op,
        row.what,
        row.why or "; ".join(map(str, row.reasons)),
        {"reasons": tuple(reason.id for reason in row.reasons), **row.facts},
        topic,
        row.outcome,
        "; ".join(dict.fromkeys(advice)) if row.outcome is MISSED else "",
    )


def _improvable(reasons: Sequence[Reason], otherwise: Outcome) -> Outcome:
    """Return `missed` where the kernel's author can do something about a reason."""
    return MISSED if any(reason.id in ADVICE for reason in reasons) else otherwise


def _tensor_copies(each: KernelState, target: Target) -> Rows:
    if not target.has("tensor copies"):
        return
    for moved in loads_of(each.kernel, target, each.reasons):
        yield _moved(moved, "loaded")
    for moved in stores_of(each.kernel, each.reasons[Decision.STORE], target):
        yield _moved(moved, "stored")


def _moved(moved: Moved, done: str) -> Row:
    facts = {"tile": str(moved.tile), "tile_bytes": _tile_bytes(moved.op)}
    facts["loops"] = _loops_around(moved.op)
    if moved.why is None:
        return Row(moved.op, PASSED, f"{moved.tile} {done} by tensor copies", facts=facts)
    why = [moved.why]
    outcome = _improvable(why, ANALYSIS)
    return Row(moved.op, outcome, f"{moved.tile} {done} by threads", why, facts=facts)


def _tensor_cores(each: KernelState, target: Target) -> Rows:
    for op, plan in each.products.items():
        atom, why = plan.atom, each.reasons[Decision.NOT_BY_GROUPS].of(op)
        kind = op.operands["lhs"].type
        facts = {"instruction": atom.mnemonic, "operands": plan.operand_type}
        if atom.fused:
            reason = Reason("no_atom", kind.element)
            yield Row(op, MISSED, "product by fused multiply-adds", [reason], facts=facts)
        else:
            outcome = _improvable(why, PASSED)
            yield Row(op, outcome, f"product by {atom.mnemonic}", why, facts=facts)


def _accesses(each: KernelState, target: Target) -> Rows:
    for op in outside_prologues(each.kernel.body.block):
        access = accesses_of(op)
        if access is None or access.count * access.bytes == 0:
            continue
        reasons = each.reasons[Decision.ACCESS_BYTES].of(op)
        facts = {"bytes": access.bytes, "count": access.count, "tile_bytes": _tile_bytes(op)}
        facts["loops"] = _loops_around(op)
        facts["together"] = _together(op, reasons)
        outcome = _improvable(reasons, PASSED) if access.bytes < ACCESS_BYTES else PASSED
        times = "one access" if access.count == 1 else f"{access.count} accesses"
        what = f"{op.name}: {times} of {access.bytes} bytes"
        yield Row(op, outcome, f"{what} a thread", reasons, facts=facts)


def _tile_bytes(op: Op) -> int:
    """Return the bytes of the tile that an op accesses."""
    view = op.operands.get("view")
    if view is not None:
        return prod(view.type.tile) * memory_bytes(view.type.view.element)
    kind = worked_on(op).type
    element = kind.element.pointee if isinstance(kind.element, Pointer) else kind.element
    return prod(kind.shape) * memory_bytes(element)


def _together(op: Op, reasons: Sequence[Reason]) -> int:
    """Return how many bytes of the tile that an op accesses are known to lie together in memory."""
    view = op.operands.get("view")
    if view is None:
        return op.attributes["run"] * memory_bytes(worked_on(op).type.pointee)
    kind, size = view.type, memory_bytes(view.type.view.element)
    if any(reason.id == "no_unit_stride" for reason in reasons):
        return size
    along, run = op.attributes["along"], kind.tile[op.attributes["along"]]
    strides = [kind.view.strides[of] for of in dimensions(kind)]
    others = [(each, dim) for dim, each in enumerate(strides) if each and dim != along]
    for stride, dim in sorted(others):
        run *= kind.tile[dim] if stride == run else 1  # rows without gaps
    return run * size


def _loops_around(op: Op) -> int:
    """Return how many loops are around an op."""
    around: Op | None = op
    found = 0
    while (around := around.parent.parent_op if around.parent else None) is not None:
        found += around.name in LOOPS
    return found


def _indices(each: KernelState, target: Target) -> Rows:
    for op in outside_prologues(each.kernel.body.block):
        if op.attributes.get("narrow") is False:
            each_element = op.name == "offset"  # which costs two registers each; views have one
            what = "offsets" if each_element else "extents, strides and indices"
            outcome = MISSED if each_element else ANALYSIS
            yield Row(op, outcome, f"{op.name}: offsets of 64 bits", [Reason("long_offsets", what)])


def _rings(each: KernelState, target: Target) -> Rows:
    for op in each.kernel.walk():
        if reasons := each.reasons[Decision.RING_SLOTS].of(op):
            ring = ring_of(op)
            if ring is not None:
                slots, size = ring.results[0].type.slots, slot_bytes(ring)
                outcome = MISSED if Reason("ring_room") in reasons else PASSED
                facts = {"slots": slots, "slot_bytes": size}
                what = f"ring of {slots} slots of {size} bytes"
                yield Row(op, outcome, what, reasons, facts=facts)
        if reasons := each.reasons[Decision.NOT_AHEAD].of(op):
            if any(reason.id == "no_loop" for reason in reasons):
                continue
            outcome = _improvable(reasons, ANALYSIS)
            yield Row(op, outcome, "loaded in its own iteration", reasons)


def _roles(each: KernelState, target: Target) -> Rows:
    roles = [op for op in each.kernel.walk() if op.name == "role"]
    if roles:
        names = [role.attributes["name"] for role in roles]
        yield Row(None, PASSED, f"warps have {len(roles)} roles", facts={"roles": names})
    for op in each.kernel.walk():
        if reasons := each.reasons[Decision.ONE_ROLE].of(op):
            yield Row(op, MISSED, "all warps have one role", reasons)


def _overlap(each: KernelState, target: Target) -> Rows:
    ops = list(each.kernel.walk())
    calling = calling_op(each.kernel.body)
    if calling is not None and any(op.name == "mma_async" for op in ops):
        op = next(op for op in ops if op.name == calling)
        yield Row(op, MISSED, "each product is awaited at once", [Reason("calls", calling)])
        return
    for op in ops:
        if reasons := each.reasons[Decision.OVERLAP].of(op):
            good = any(reason.id in ("under_way", "delayed") for reason in reasons)
            what = "products are under way in the next iteration"
            here = "products are awaited in their own iteration"
            yield Row(op, PASSED if good else MISSED, what if good else here, reasons)


def _unrolling(each: KernelState, target: Target) -> Rows:
    for op in each.kernel.walk():
        if (factor := op.attributes.get("unroll")) and factor > 1:
            reasons = each.reasons[Decision.UNROLL].of(op)
            facts = {"factor": factor}
            yield Row(op, PASSED, f"loop unrolled {factor} times", reasons, facts=facts)


def _hints(each: KernelState, target: Target) -> Rows:
    for term in TERMS:
        choice = each.contract.choices.get(term.name)
        if choice is None or choice.by == COMPILER:
            continue
        facts = {"term": term.name, "value": choice.value, "by": choice.by}
        if choice.why:
            what = f"{choice.by} asks for {term.name} {choice.asked or choice.value}"
            kept = f"{what}, and it is {choice.value}" if choice.asked else what
            yield Row(None, MISSED, kept, why=choice.why, facts=facts)
        else:
            yield Row(None, PASSED, f"{term.name} is {choice.value}", why=choice.by, facts=facts)


def _occupancy(each: KernelState, target: Target) -> Rows:
    """Yield the blocks that an SM holds, as far as it is known without ptxas: no registers."""
    threads = each.contract["num_warps"] * target.warp  # of all roles, as in the plan
    limits = target.limits(threads, each.shared_bytes)
    most = min(limits.values())
    by = " and ".join(name for name, blocks in limits.items() if blocks == most)
    facts = {"blocks": most, "by": by, "threads": threads, "shared_bytes": each.shared_bytes}
    what = f"{threads} threads and {each.shared_bytes} bytes of shared memory a block"
    why = f"an SM holds at most {counted(most, 'block')}, limited by {by}"
    if each.contract["maxnreg"]:
        facts["registers"] = registers_of(target, each.contract, each.threads)
    yield Row(None, ANALYSIS, what, why=why, facts=facts)


ROWS: dict[Topic, Callable[[KernelState, Target], Rows]] = {
    Topic.TENSOR_CORES: _tensor_cores,
    Topic.TENSOR_COPIES: _tensor_copies,
    Topic.ACCESSES: _accesses,
    Topic.INDICES: _indices,
    Topic.RINGS: _rings,
    Topic.ROLES: _roles,
    Topic.OVERLAP: _overlap,
    Topic.UNROLLING: _unrolling,
    Topic.HINTS: _hints,
    Topic.OCCUPANCY: _occupancy,
}
"""Topic -> its decisions about a kernel."""
