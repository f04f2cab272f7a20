"""Roles: the last ops of a body, of warps of their own, with registers that a block has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from tileir.codegen.block.roles import role_of
from tileir.codegen.block.types import Mbarrier
from tileir.ir import Body, Op, Value

REGISTERS = 64 << 10
"""Registers of an SM, of all GPUs whose warps hand them over."""
_LANES = 32


def role_problems(body: Body) -> Iterator[tuple[Op, str]]:
    """Yield the ops that break a rule about roles."""
    roles = [op for op in body.walk() if op.name == "role"]
    if not roles:
        return
    if list(body.block.ops[-len(roles) - 1 : -1]) != roles:
        yield roles[0], "roles are not the last ops of the body"
    warps = [(role.attributes["first"], role.attributes["warps"]) for role in roles]
    taken = [warp for first, count in warps for warp in range(first, first + count)]
    if sorted(taken) != list(range(len(taken))):
        yield roles[0], "the roles do not divide the warps of the block"
    each = (role.attributes["registers"] * role.attributes["warps"] for role in roles)
    if sum(each) * _LANES > REGISTERS:
        yield roles[0], "the threads of all roles have more registers than an SM"
    for op in body.block.ops:
        for value in op.results:
            if isinstance(value.type, Mbarrier):
                yield from _arrivals(value)


def _arrivals(barriers: Value) -> Iterator[tuple[Op, str]]:
    """An empty mbarrier counts the warps that release its slot; a full one, who fills it."""
    users = [use.op for use in barriers.uses]
    due = 1
    for op in users:
        if op.name == "release_slot":
            due = cast(Op, role_of(op)).attributes["working"]
    for op in users:
        if op.name == "mbarrier_init" and (op.attributes["arrivals"] or 1) != due:
            yield op, f"each phase ends with {due} arrivals"
