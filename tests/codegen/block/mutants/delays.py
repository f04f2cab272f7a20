"""Defects of products that are delayed by an iteration: slots, operands and iterations mixed up."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.types import Frag, Turn
from tileir.ir import Block, Body, Op, Value

from .defect import EMULATOR, VERIFIER, Site, defect, ops

_STAGE = "overlap_products"


@defect("slot of a delayed product released too early", VERIFIER, _STAGE)
def early_release(body: Body) -> Iterator[Site]:
    for release in _delayed_releases(body):
        wait = _before(release, "wait_mma")
        yield Site(release, lambda release=release, wait=wait: release.move_before(wait))


@defect("slot of a delayed product never released", VERIFIER, _STAGE)
def no_release(body: Body) -> Iterator[Site]:
    for release in _delayed_releases(body):
        yield Site(release, release.erase)


@defect("slot of the iteration released, not that of the delayed product", VERIFIER, _STAGE)
def other_release(body: Body) -> Iterator[Site]:
    for release in _delayed_releases(body):
        for turn in _other_turns(release):
            yield Site(release, lambda op=release, turn=turn: op.operands.update(turn=turn))


@defect(
    "slot of this iteration awaited for a delayed product, or the other way round", VERIFIER, _STAGE
)
def other_wait(body: Body) -> Iterator[Site]:
    for loop in _loops(body):
        for wait in [op for op in loop.regions[0].block.ops if op.name == "wait_slot"]:
            for turn in _other_turns(wait):
                yield Site(wait, lambda op=wait, turn=turn: op.operands.update(turn=turn))


def _other_turns(op: Op) -> list[Value]:
    """Return the turns of other waits in the block of an op."""
    waits = (each for each in op.parent.ops if each.name == "wait_slot")
    turns = dict.fromkeys(wait.operands["turn"] for wait in waits)
    return [turn for turn in turns if turn is not op.operands["turn"]]


@defect("delayed product of the slot of this iteration", EMULATOR, _STAGE)
def own_slot(body: Body) -> Iterator[Site]:
    """Both slots may be read: only the result says which one has to be."""
    for slot in ops(body, "held_slot"):
        if slot.operands["turn"].owner is slot.parent:
            turn = _before(slot, "wait_slot").operands["turn"]
            yield Site(slot, lambda slot=slot, turn=turn: slot.operands.update(turn=turn))


@defect("delayed product of operands of the iteration before", EMULATOR, _STAGE)
def old_operand(body: Body) -> Iterator[Site]:
    """What is carried in registers is handed on again."""
    for loop in _loops(body):
        end = loop.regions[0].block.ops[-1]
        for number, value in enumerate(end.operands["operands"]):
            argument = loop.regions[0].block.arguments[1 + number]
            if any(use.op.name == "mma_async" and use.slot == "lhs" for use in argument.uses):
                handed = [*end.operands["operands"]]
                handed[number] = argument
                assert isinstance(value.type, Frag)
                yield Site(end, lambda end=end, to=tuple(handed): end.operands.update(operands=to))


@defect("turn of a delayed product of the iteration before", VERIFIER, _STAGE)
def old_turn(body: Body) -> Iterator[Site]:
    for loop in _loops(body):
        end, arguments = loop.regions[0].block.ops[-1], loop.regions[0].block.arguments
        for number, value in enumerate(end.operands["operands"]):
            if isinstance(value.type, Turn) and value in arguments:
                handed = [*end.operands["operands"]]
                handed[number] = arguments[1 + number]
                yield Site(end, lambda end=end, to=tuple(handed): end.operands.update(operands=to))


@defect("loop begins again with the iteration before it", EMULATOR, _STAGE)
def first_again(body: Body) -> Iterator[Site]:
    for loop in _loops(body):
        start = loop.operands["lowerBound"].owner
        low = start.operands["val_if_true"].owner.operands["lhs"]
        yield Site(loop, lambda loop=loop, low=low: loop.operands.update(lowerBound=low))


def _loops(body: Body) -> Iterator[Op]:
    """Yield the loops in which products are delayed."""
    for loop in ops(body, "for"):
        if _is_delayed(loop.regions[0].block):
            yield loop


def _is_delayed(block: Block) -> bool:
    """Whether a wait leaves a product under way that is awaited in the same iteration."""
    return any(op.name == "wait_mma" and op.attributes["pending"] for op in block.ops)


def _delayed_releases(body: Body) -> Iterator[Op]:
    for release in ops(body, "release_slot"):
        if _is_delayed(release.parent):
            yield release


def _before(op: Op, name: str) -> Op:
    """Return the last op of that name before another one in its block."""
    return [each for each in op.parent.ops[: op.index] if each.name == name][-1]
