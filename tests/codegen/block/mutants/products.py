"""Defects about products and copies under way: fences, waits, mbarriers."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.ir import Body, Op

from .defect import VERIFIER, Site, advanced, defect, ops


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
    for wait in ops(body, "wait_mma"):
        more = wait.attributes["pending"] + 1
        yield Site(wait, lambda wait=wait, more=more: wait.attributes.update(pending=more))


@defect("wait for a product without its operands", VERIFIER)
def operands_dropped(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_mma"):
        yield Site(wait, lambda wait=wait: wait.operands.update(memory=()))


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
