"""Turns: only `first_turn` and `advance` make them, and an iteration advances each exactly once."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.control_edges import continues
from tileir.codegen.block.types import Turn
from tileir.ir import Body, Op, Value

_MAKERS = ("advance", "first_turn")
_LOOPS = ("for", "pipelined_for")
_CARRYING = (*_LOOPS, "if")


def turn_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops that make a turn, or hand on another one than the next."""
    for op in body.walk():
        if op.name not in (*_MAKERS, *_CARRYING) and any(
            isinstance(each.type, Turn) for each in op.results
        ):
            yield op, "a turn is made by first_turn and advance only"
        if op.name == "pipelined_for":
            yield from _advanced(op)
        if op.name in _LOOPS:
            yield from _carried_on(op)
        elif op.name == "if":
            for value in op.results:
                if isinstance(value.type, Turn) and _source(value) is None:
                    yield (
                        op,
                        "turns of first_turn and advance only; its regions yield ones of the same",
                    )


def _advanced(loop: Op) -> Iterator[tuple[Op, str]]:
    """Check what a pipelined loop hands on: each turn, advanced once."""
    body, prologue = (region.block for region in loop.regions)
    inits, ahead = len(loop.operands["initValues"]), len(loop.operands["aheadValues"])
    ways = [(end, body.arguments[3 + inits :], inits) for end in continues(body)]
    ways.append((prologue.ops[-1], prologue.arguments[2:], 0))
    for end, arguments, skipped in ways:
        handed = list(end.operand_list())[skipped:]
        for value, argument in zip(handed[:ahead], arguments[:ahead], strict=True):
            if isinstance(argument.type, Turn) and _turns_behind(value, argument) != 1:
                yield end, "the turn that is handed on is not the next one"


def _carried_on(loop: Op) -> Iterator[tuple[Op, str]]:
    """Check what a loop carries: a turn, advanced once in it or in a loop within.

    A turn may be carried one iteration longer: that of the slot that is still read.
    """
    block, count = loop.regions[0].block, len(loop.operands["initValues"])
    for end in continues(block):
        pairs = zip(end.operand_list(), block.arguments[1 : 1 + count], strict=False)
        for value, argument in pairs:
            if not isinstance(argument.type, Turn):
                continue
            if value.owner is block and value is not argument:
                continue
            if _source(value) not in ((argument, 1, False), (argument, 0, True)):
                yield end, "the turn that is carried on is not the next one"


def _source(value: Value) -> tuple[Value, int, bool] | None:
    """Return the turn that another one is made of, how often that has been advanced in the same
    block, and whether loops and branches have advanced it.

    None if a branch does not yield turns of the same one: that advanced at most once before a loop,
    whose first iteration it has, or that itself.
    """
    count, inside = 0, False
    while isinstance(value.owner, Op) and value.owner.name in ("advance", *_CARRYING):
        op = value.owner
        if op.name == "advance":
            value, count = op.operands["turn"], count + 1
            continue
        inside = True
        if op.name in _LOOPS:
            value = op.operands["initValues"][value.index]
            continue
        ends = [region.block.ops[-1].operands["operands"] for region in op.regions]
        sources = [_source(each[value.index]) for each in ends]
        found = {each[0] if each is not None and each[1] <= 1 else None for each in sources}
        source = found.pop() if len(found) == 1 else None
        if source is None:
            return None
        value = source
    return value, count, inside


def _turns_behind(value: Value, argument: Value) -> int | None:
    """Return how often a turn has been advanced since an argument; None if it is of another."""
    count = 0
    while value is not argument:
        if not isinstance(value.owner, Op) or value.owner.name != "advance":
            return None
        value, count = value.owner.operands["turn"], count + 1
    return count
