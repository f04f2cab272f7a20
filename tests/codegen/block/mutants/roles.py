"""Defects of `specialise_warps`: slots that are filled or released too early, late, or never."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.types import Turn
from tileir.ir import Body, Op

from .defect import EMULATOR, VERIFIER, Site, advanced, defect, ops


@defect("slot filled without waiting until it is empty", VERIFIER)
def acquire_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, "acquire_slot"):
        yield Site(op, op.erase)


@defect("another slot acquired than is filled", VERIFIER)
def acquire_other(body: Body) -> Iterator[Site]:
    yield from _other_slot(body, "acquire_slot")


@defect("another slot awaited than was filled", VERIFIER)
def wait_other(body: Body) -> Iterator[Site]:
    yield from _other_slot(body, "wait_slot")


@defect("another slot released than was read", VERIFIER)
def release_other(body: Body) -> Iterator[Site]:
    yield from _other_slot(body, "release_slot")


def _other_slot(body: Body, name: str) -> Iterator[Site]:
    for op in ops(body, name):
        ring, turn = op.operands["rings"][0], op.operands["turn"]

        def change(op: Op = op, ring=ring, turn=turn) -> None:
            op.operands["turn"] = advanced(ring, turn, op)

        yield Site(op, change)


@defect("slot not released", VERIFIER)
def release_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, "release_slot"):
        yield Site(op, op.erase)


@defect("slot released while products read it", VERIFIER)
def release_under_way(body: Body) -> Iterator[Site]:
    """The one of this iteration, instead of the one before."""
    for op in ops(body, "release_slot"):
        waits = [each for each in op.parent.ops if each.name == "wait_slot"]
        for wait in waits:
            turn = wait.operands["turn"]
            if turn is not op.operands["turn"]:
                yield Site(op, lambda op=op, turn=turn: op.operands.update(turn=turn))


@defect("full and empty mbarriers swapped", VERIFIER)
def mbarriers_swapped(body: Body) -> Iterator[Site]:
    empties = [op.operands["barriers"] for op in ops(body, "acquire_slot")]
    fulls = [op.operands["barriers"] for op in ops(body, "commit_slot")]
    for full, empty in zip(fulls, empties, strict=True):
        for op in ops(body, "wait_slot", "release_slot"):
            other = {full: empty, empty: full}.get(op.operands["barriers"])
            if other is not None:
                yield Site(op, lambda op=op, other=other: op.operands.update(barriers=other))


@defect("turn carried on by a role as it was", VERIFIER)
def turn_carried(body: Body) -> Iterator[Site]:
    for op in ops(body, "advance"):
        before = op.operands["turn"]
        carried = any(use.op.name == "continue" for use in op.result.uses)
        if carried and isinstance(before.type, Turn) and not isinstance(before.owner, Op):
            yield Site(op, lambda op=op, before=before: _skip(op, before))


def _skip(op: Op, before) -> None:
    for use in op.result.uses:
        if use.op.name == "continue":
            use.set(before)


@defect("a phase that ends with an arrival more", VERIFIER)
def arrivals_more(body: Body) -> Iterator[Site]:
    yield from _arrivals(body, 1)


@defect("a phase that ends with an arrival less", VERIFIER)
def arrivals_less(body: Body) -> Iterator[Site]:
    yield from _arrivals(body, -1)


def _arrivals(body: Body, more: int) -> Iterator[Site]:
    for op in ops(body, "mbarrier_init"):
        count = op.attributes["arrivals"]
        if count is not None:
            yield Site(op, lambda op=op, to=count + more: op.attributes.update(arrivals=to))


@defect("more registers than others give up", EMULATOR)
def registers_more(body: Body) -> Iterator[Site]:
    for op in ops(body, "role"):
        if not op.attributes["frees"]:
            yield Site(op, lambda op=op: op.attributes.update(registers=256))


@defect("registers kept that others wait for", EMULATOR)
def registers_kept(body: Body) -> Iterator[Site]:
    for op in ops(body, "role"):
        if op.attributes["frees"]:
            yield Site(op, lambda op=op: op.attributes.update(registers=128))


@defect("a role of another one's warps", VERIFIER)
def warps_shared(body: Body) -> Iterator[Site]:
    for op in ops(body, "role"):
        if op.attributes["first"]:
            yield Site(op, lambda op=op: op.attributes.update(first=0))
