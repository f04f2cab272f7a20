"""Defects about products and copies under way: fences, waits, mbarriers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.block.control_edges import loop_block
from tileir.ir import Body, Op, Value

from .defect import EMULATOR, VERIFIER, Site, advanced, defect, loops, ops


@defect("fence of the async proxy dropped", VERIFIER)
def fence_dropped(body: Body) -> Iterator[Site]:
    for fence in ops(body, "fence_proxy"):
        yield Site(fence, fence.erase)


@defect("fence of the async proxy behind its barrier", VERIFIER)
def fence_late(body: Body) -> Iterator[Site]:
    for fence in ops(body, "fence_proxy"):
        barrier = fence.parent.ops[fence.index + 1]
        yield Site(fence, lambda fence=fence, barrier=barrier: fence.move_after(barrier))


@defect("fence of the async proxy before the wait for copies", VERIFIER)
def fence_early(body: Body) -> Iterator[Site]:
    for fence in ops(body, "fence_proxy"):
        before = fence.parent.ops[fence.index - 1] if fence.index else None
        if before is not None and before.name == "wait_group":
            yield Site(fence, lambda fence=fence, wait=before: fence.move_before(wait))


@defect("wait for one product less", VERIFIER)
def product_pending(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma", "wait_mma_reads"):
        more = wait.attributes["pending"] + 1
        yield Site(wait, lambda wait=wait, more=more: wait.attributes.update(pending=more))


@defect("wait for a product without its operands", VERIFIER)
def operands_dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma"):
        yield Site(wait, lambda wait=wait: wait.operands.update(memory=()))


@defect("wait for the reads of products dropped", VERIFIER)
def reads_dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma_reads"):
        if not wait.operands["memory"]:  # a role releases them
            continue
        yield Site(wait, wait.erase)


@defect("wait for the reads of products behind copies to their slots", VERIFIER)
def reads_late(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma_reads"):
        copies = [op for op in wait.parent.ops if op.name == "copy_tensor" and wait.is_before(op)]
        if copies:
            yield Site(wait, lambda wait=wait, last=copies[-1]: wait.move_after(last))


@defect("copies of threads to slots of products under way", VERIFIER, "overlap_products")
def filled_too_early(body: Body) -> Iterator[Site]:
    """The ring has a slot for them, but threads fill that one, an iteration too early."""
    for wait in ops(body, "wait_mma_reads"):
        if not _filled_later(wait):
            continue
        turn, read = wait.operands["memory"][0].owner.operands["turn"], _filled(wait)

        def change(turn: Value = turn, read: list[Op] = read) -> None:
            for slot in read:
                slot.operands["turn"] = turn

        yield Site(wait, change)


def _filled(wait: Op) -> list[Op]:
    """Return the slots that threads fill in the block of an op."""
    commits = (op for op in wait.parent.ops if op.name == "commit_group")
    return [tile.owner for commit in commits for tile in commit.operands["tiles"]]


def _filled_later(wait: Op) -> bool:
    """Whether threads fill the slots that products have read in the next iteration only."""
    freed = {tile.owner.operands["turn"] for tile in wait.operands["memory"]}
    return any(slot.operands["turn"] not in freed for slot in _filled(wait))


@defect("slots of products under way forgotten", VERIFIER, "overlap_products")
def slots_forgotten(body: Body) -> Iterator[Site]:
    """No barrier is placed for them, unless another access to them needs it."""
    for wait in ops(body, "wait_mma_reads"):
        if not wait.operands["memory"]:  # a role releases them
            continue
        around = loop_block(cast(Op, wait.parent.parent_op).parent)
        again = around is not None and any(op.name == "mbarrier_init" for op in around.ops)
        excuse = "all threads wait there for mbarriers that are initialised again" if again else ""
        if _filled_later(wait):
            excuse = "a barrier for copies stands before these slots are filled"
        if any(op.name == "copy_shared" for op in wait.parent.ops):
            excuse = "each iteration has a barrier between what threads copy and products"
        yield Site(wait, lambda wait=wait: wait.operands.update(memory=()), excuse)


@defect("wait for the last products forgets what they read", VERIFIER, "overlap_products")
def rings_forgotten(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma"):
        if not isinstance(wait.operands["flight"].owner, Op):
            continue
        if wait.operands["flight"].owner.name == "pipelined_for":
            yield Site(wait, lambda wait=wait: wait.operands.update(memory=()))


@defect("products go on with an accumulator that is under way as if it were not", VERIFIER)
def flight_dropped(body: Body) -> Iterator[Site]:
    """The first accumulator, in each iteration."""
    for loop in loops(body):
        starts = [value.owner for value in loop.op.operands["initValues"]]
        for start in starts:
            if isinstance(start, Op) and start.name == "mma_init":
                for product in ops(body, "mma_async"):
                    change = {"acc": start.operands["acc"]}
                    yield Site(product, lambda op=product, to=change: op.operands.update(to))


@defect("copies of tensors to the next slot", VERIFIER)
def next_slot(body: Body) -> Iterator[Site]:
    """All tiles, but not the mbarrier."""
    for commit in ops(body, "commit_copies"):
        slots = [tile.owner for tile in commit.operands["tiles"]]

        def change(slots: list[Op] = slots) -> None:
            for slot in slots:
                ring, turn = slot.operands["ring"], slot.operands["turn"]
                slot.operands["turn"] = advanced(ring, turn, slot)

        yield Site(commit, change)


@defect("a product added to other columns", EMULATOR)
def other_columns(body: Body) -> Iterator[Site]:
    for op in ops(body, "add_columns"):
        first = op.operands["product"].type.shape[-1] - op.attributes["first"]
        yield Site(op, lambda op=op, first=first: op.attributes.update(first=first))


@defect("other columns multiplied", EMULATOR)
def other_columns_multiplied(body: Body) -> Iterator[Site]:
    for op in ops(body, "shared_view"):
        if op.attributes["first"]:
            yield Site(op, lambda op=op: op.attributes.update(first=None))


@defect("copies in shared memory to the next slot", VERIFIER)
def copied_to_next_slot(body: Body) -> Iterator[Site]:
    """But products read the one whose turn it is."""
    for copy in ops(body, "copy_shared"):
        slot = copy.operands["destination"].owner
        if slot.name != "shared_slot":
            continue

        def change(copy: Op = copy, slot: Op = slot) -> None:
            ring, turn = slot.operands["ring"], slot.operands["turn"]
            other = slot.clone({turn: advanced(ring, turn, copy)})
            other.insert_before(copy)
            copy.operands["destination"] = other.result

        yield Site(copy, change)


@defect("conversion of a tensor copy dropped", VERIFIER)
def conversion_dropped(body: Body) -> Iterator[Site]:
    for copy in ops(body, "copy_tensor"):
        if copy.attributes["conversion"] is not None:
            yield Site(copy, lambda copy=copy: copy.attributes.update(conversion=None))


@defect("wait for tensor copies to another slot", VERIFIER)
def other_slot(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_copies"):
        filled = wait.operands["turn"].owner.operands["turn"]
        yield Site(wait, lambda wait=wait, filled=filled: wait.operands.update(turn=filled))


@defect("mbarriers not initialised", VERIFIER)
def not_initialised(body: Body) -> Iterator[Site]:
    for op in ops(body, "mbarrier_init"):
        yield Site(op, op.erase)


@defect("mbarriers not invalidated", VERIFIER)
def not_invalidated(body: Body) -> Iterator[Site]:
    for op in ops(body, "mbarrier_inval"):
        yield Site(op, op.erase)
