"""Defects of `pipeline_loops`: copies under way, their groups, slots of rings and turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tileir.codegen.block.make import make
from tileir.codegen.block.op_facts import COPIES
from tileir.codegen.block.types import Flight, Frag
from tileir.ir import Body, Op, Value

from . import excuses
from .defect import EMULATOR, IN_RINGS, VERIFIER, Loop, Site, advanced, defect, loops, ops


@defect("wait_group dropped", VERIFIER)
def wait_dropped(body: Body) -> Iterator[Site]:
    def drop(wait: Op) -> None:
        turn = wait.operands["turn"]
        for ring, tile in zip(wait.operands["rings"], wait.results, strict=True):
            slot = make("shared_slot", {"ring": ring, "turn": turn}, results=[tile.type])
            slot.insert_before(wait)
            tile.replace_all_uses_with(slot.result)
        wait.erase()

    for wait in ops(body, "wait_group"):
        yield Site(wait, lambda wait=wait: drop(wait))


@defect("wait_group for one group less", VERIFIER)
def pending(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_group"):
        more = wait.attributes["pending"] + 1
        yield Site(wait, lambda wait=wait, more=more: wait.attributes.update(pending=more))


@defect("wait_group behind its barrier", VERIFIER)
def wait_late(body: Body) -> Iterator[Site]:
    for wait in ops(body, "wait_group"):
        following = wait.parent.ops[wait.index + 1]
        if following.name == "barrier":
            excuse = excuses.another_barrier(wait, following)
            yield Site(wait, lambda wait=wait, barrier=following: wait.move_after(barrier), excuse)


@defect("commit_group before the last copy", VERIFIER)
def early_commit(body: Body) -> Iterator[Site]:
    for commit in ops(body, "commit_group"):
        copies = [op for op in commit.parent.ops[: commit.index] if op.name in COPIES]
        yield Site(commit, lambda commit=commit, last=copies[-1]: commit.move_before(last))


@defect("commit_group dropped", VERIFIER)
def commit_dropped(body: Body) -> Iterator[Site]:
    """The flight that is handed on is the one that was awaited."""

    def drop(loop: Loop, commit: Op) -> None:
        for use in commit.result.uses:
            number = use.index - len(use.op.operands["operands"])
            use.set(loop.delayed[number + len(loop.delayed)])
        commit.erase()

    for loop in loops(body):
        for commit in [op for op in loop.body.ops if op.name == "commit_group"]:
            yield Site(commit, lambda loop=loop, commit=commit: drop(loop, commit))


@defect("copies to the next slot", VERIFIER, IN_RINGS)
def next_slot(body: Body) -> Iterator[Site]:
    """All copies of an iteration go to the slot behind the one whose turn it is."""
    for commit in ops(body, "commit_group"):
        slots = [each.owner for each in commit.operands["tiles"]]

        def change(slots: list[Op] = slots) -> None:
            for slot in slots:
                slot.operands["turn"] = advanced(*_of(slot), slot)

        yield Site(commit, change)


@defect("one tile copied to the next slot", VERIFIER, IN_RINGS)
def one_next_slot(body: Body) -> Iterator[Site]:
    for slot in ops(body, "shared_slot"):
        if any(use.op.name == "copy_shared" for use in slot.result.uses):
            continue  # who reads it takes the same slot
        yield Site(slot, lambda slot=slot: slot.operands.update(turn=advanced(*_of(slot), slot)))


def _of(slot: Op) -> tuple[Value, Value]:
    return slot.operands["ring"], slot.operands["turn"]


@defect("slots of two tiles swapped", VERIFIER, IN_RINGS)
def tiles_swapped(body: Body) -> Iterator[Site]:
    for commit in ops(body, "commit_group"):
        slots = [each.owner for each in commit.operands["tiles"]]
        for one, other in pairwise(slots):

            def change(one: Op = one, other: Op = other) -> None:
                rings = one.operands["ring"], other.operands["ring"]
                other.operands["ring"], one.operands["ring"] = rings

            yield Site(one, change)


@defect("destinations of two copies swapped", EMULATOR, IN_RINGS)
def destinations_swapped(body: Body) -> Iterator[Site]:
    for commit in ops(body, "commit_group"):
        copies = [use.op for each in commit.operands["tiles"] for use in each.uses]
        copies = [op for op in copies if op.name in COPIES]
        for one, other in pairwise(copies):
            tiles = [op.operands["destination"] for op in (one, other)]
            if tiles[0].type == tiles[1].type:

                def change(one: Op = one, other: Op = other, tiles=tiles) -> None:
                    tiles[1].owner.move_before(one)
                    other.operands["destination"], one.operands["destination"] = tiles

                yield Site(one, change)


@defect("turn not advanced", VERIFIER, IN_RINGS)
def turn_kept(body: Body) -> Iterator[Site]:
    for loop in loops(body):
        for end, place, turn in loop.turns:
            before = turn.owner.operands["turn"]
            yield Site(
                end, lambda loop=loop, a=(end, place, before): loop.set_handed(*a)
            )  # fmt: skip


@defect("turn advanced twice", VERIFIER, IN_RINGS)
def turn_skipped(body: Body) -> Iterator[Site]:
    for loop in loops(body):
        for end, place, turn in loop.turns:

            def change(loop: Loop = loop, end: Op = end, place: int = place, turn=turn) -> None:
                ring = turn.owner.operands["ring"]
                loop.set_handed(end, place, advanced(ring, turn, end))

            yield Site(end, change)


@defect("waits for the slot that is filled", VERIFIER, IN_RINGS)
def wait_for_filled(body: Body) -> Iterator[Site]:
    """The turn of the reader is that of the writer."""
    for wait in ops(body, "wait_group"):
        filled = wait.operands["turn"].owner.operands["turn"]
        yield Site(wait, lambda wait=wait, filled=filled: wait.operands.update(turn=filled))


@defect("a delayed value of the iteration before", EMULATOR, IN_RINGS)
def delayed(body: Body) -> Iterator[Site]:
    """A tile that was loaded ahead is not handed on: the one from before is, again."""
    for loop in loops(body):
        for end in loop.ends:
            for number, value in enumerate(loop.delayed):
                if isinstance(value.type, Frag):
                    place = number - len(loop.delayed)
                    yield Site(
                        end, lambda loop=loop, a=(end, place, value): loop.set_handed(*a)
                    )  # fmt: skip


@defect("a flight handed on again", VERIFIER, IN_RINGS)
def flight_again(body: Body) -> Iterator[Site]:
    for loop in loops(body):
        for end in loop.ends:
            for number, value in enumerate(loop.delayed):
                if isinstance(value.type, Flight):
                    place = number - len(loop.delayed)
                    yield Site(
                        end, lambda loop=loop, a=(end, place, value): loop.set_handed(*a)
                    )  # fmt: skip


@defect("one iteration more ahead", VERIFIER, "specialise_warps")
def more_ahead(body: Body) -> Iterator[Site]:
    for loop in loops(body):
        attributes = loop.op.attributes
        yield Site(
            loop.op, lambda attributes=attributes: attributes.update(ahead=attributes["ahead"] + 1)
        )


@defect("one iteration less ahead", VERIFIER, "specialise_warps")
def less_ahead(body: Body) -> Iterator[Site]:
    for loop in loops(body):
        attributes = loop.op.attributes
        if attributes["ahead"] > 1:
            yield Site(
                loop.op,
                lambda attributes=attributes: attributes.update(ahead=attributes["ahead"] - 1),
            )


@defect("predicate of a load ahead dropped", VERIFIER, IN_RINGS)
def predicate(body: Body) -> Iterator[Site]:
    for op in ops(body, *COPIES, "load_view_tko"):
        if op.operands.get("predicate") is not None:
            yield Site(op, lambda op=op: op.operands.update(predicate=None))


@defect("mask of a copy dropped", EMULATOR, IN_RINGS)
def mask(body: Body) -> Iterator[Site]:
    for op in ops(body, "gather_async"):
        if op.operands["mask"] is not None:
            yield Site(op, lambda op=op: op.operands.update(mask=None))


@defect("loads ahead of its own iteration", VERIFIER, IN_RINGS)
def index(body: Body) -> Iterator[Site]:
    for loop in loops(body):

        def change(loop: Loop = loop) -> None:
            loop.index_ahead.replace_all_uses_with(loop.index)

        yield Site(loop.op, change)
