"""Warpgroups take turns: each waits for the one before, and passes its place on once.

A warpgroup that waited for another one between its turn and passing it on would wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.op_rules import WARPGROUP
from tileir.codegen.block.role_rows import ORDERS
from tileir.codegen.block.roles import role_of
from tileir.ir import Block, Body, Op

_WAITING = ("acquire_slot", "barrier", "cluster_barrier", "wait_mma", "wait_mma_reads")
"""What waits for others, besides slots: for those, nobody needs another warpgroup's turn."""


def order_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops that break the order of warpgroups."""
    roles = dict[Op | None, list[Op]]()
    for op in body.walk():
        if op.name in ORDERS:
            roles.setdefault(role_of(op), []).append(op)
    for role, ops in roles.items():
        if role is None or role.attributes["working"] < 2 * WARPGROUP:
            yield ops[0], "there are no two warpgroups of a role"
            continue
        yield from _ends(role.regions[0].block, ops)
        for block in dict.fromkeys(op.parent for op in ops):
            yield from _turns(block)


def _ends(block: Block, ops: list[Op]) -> Iterator[tuple[Op, str]]:
    """The order begins once and ends once, around all turns."""
    start, *between, end = ops if len(ops) > 1 else (ops[0], ops[0])
    if start.name != "order_start" or start.parent is not block:
        yield start, "no order of the warpgroups has begun"
    if end.name != "order_end" or end.parent is not block:
        yield end, "the order of the warpgroups does not end"
    for op in between:
        if op.name in ("order_start", "order_end"):
            yield op, "the order of the warpgroups begins or ends again"


def _turns(block: Block) -> Iterator[tuple[Op, str]]:
    """In a block, whoever has its turn passes it on, and waits for nobody before."""
    turn: Op | None = None
    for op in block.ops:
        if op.name == "order_wait":
            if turn is not None:
                yield op, "it is the turn of this warpgroup already"
            turn = op
        elif op.name == "order_pass":
            if turn is None:
                yield op, "it is not the turn of this warpgroup"
            turn = None
        elif turn is not None and (op.name in _WAITING or op.regions or op.spec.terminator):
            yield op, "the next warpgroup has not been let in"
            turn = None if op.spec.terminator else turn
