"""Loads ahead are of iterations that exist: behind the last iteration, nothing is under way."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.ir import Block, Body, Op, Value


def ahead_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the loads ahead that are made whether there is such an iteration or not."""
    for loop in body.walk():
        if loop.name != "pipelined_for":
            continue
        inside, prologue = (region.block for region in loop.regions)
        exists = inside.arguments[2 + len(loop.operands["initValues"])]
        yield from _unasked(inside, exists)
        if loop.attributes["ahead"] > 1:
            yield from _unasked(prologue, prologue.arguments[1])


def _unasked(block: Block, exists: Value) -> Iterator[tuple[Op, str]]:
    handed_on = {use for op in block.ops if op.spec.terminator for use in op.operand_list()}
    for op in block.ops:
        made = op.name == "load_view_tko" and op.results[0] in handed_on
        if (made or op.name == "copy_async") and op.operands["predicate"] is not exists:
            yield op, "it is made for an iteration that may not exist"
