"""Loads ahead are of iterations that exist: behind the last iteration, nothing is under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tileir.codegen.block.op_facts import COMMITS, COPIES
from tileir.ir import Block, Body, Op, Value


def ahead_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the loads ahead that are of another iteration, or of one that may not exist."""
    for loop in body.walk():
        if loop.name != "pipelined_for":
            continue
        inside, prologue = (region.block for region in loop.regions)
        exists = inside.arguments[2 + len(loop.operands["initValues"])]
        yield from _made(inside, exists, inside.arguments[0])
        if loop.attributes["ahead"] > 1:
            yield from _made(prologue, prologue.arguments[1], None)


def _made(block: Block, exists: Value, index: Value | None) -> Iterator[tuple[Op, str]]:
    """Check what a block loads ahead; `index` is that of its own iteration."""
    handed_on = {use for op in block.ops if op.spec.terminator for use in op.operand_list()}
    for op in block.ops:
        ahead = op.name == "load_view_tko" and op.results[0] in handed_on
        if not ahead and op.name not in (*COMMITS, *COPIES):
            continue
        if op.operands.get("predicate", exists) is not exists:
            yield op, "it is made for an iteration that may not exist"
        if op.name in COMMITS:
            continue
        if index is not None and index in _behind(_where(op), block):
            yield op, "it is made for this iteration, not for the one that is ahead"


def _where(op: Op) -> Iterable[Value]:
    """Return the values that say what an op loads."""
    if "index" in op.operands:
        return op.operands["index"]
    slots = (op.operands["source"], op.operands["mask"])
    return [value for value in slots if value is not None]


def _behind(values: Iterable[Value], block: Block) -> set[Value]:
    """Return values, and those of a block that they are computed from."""
    found, left = set[Value](), list(values)
    while left:
        value = left.pop()
        if value not in found:
            found.add(value)
            if isinstance(value.owner, Op) and value.owner.parent is block:
                left += value.owner.operand_list()
    return found
