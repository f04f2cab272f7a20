"""Roles: the last ops of a body, of warps of their own, with registers that a block has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tileir.codegen.block.roles import of_cluster, role_of
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
    end = 0
    for role in sorted(roles, key=lambda role: role.attributes["first"]):
        if role.attributes["first"] != end:
            yield role, "the roles do not divide the warps of the block"
        end = role.attributes["first"] + role.attributes["warps"]
    if all(role.attributes["frees"] for role in roles) or not any(
        role.attributes["frees"] for role in roles
    ):
        yield roles[0], "no role gives up registers, or none takes them"
    for role in roles:
        for op in role.walk():
            if op.name == "return" and op.parent is not role.regions[0].block:
                yield op, "a role ends before the others may"
    each = (role.attributes["registers"] * role.attributes["warps"] for role in roles)
    if sum(each) * _LANES > REGISTERS:
        yield roles[0], "the threads of all roles have more registers than an SM"
    for op in body.block.ops:
        for value in op.results:
            if isinstance(value.type, Mbarrier):
                yield from _arrivals(value)
    yield from _clusters(roles)


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


def _clusters(roles: Sequence[Op]) -> Iterator[tuple[Op, str]]:
    """What a block copies to the other one of its cluster, or what arrives there, finds it ready.

    The mbarriers have been initialised there, its slots are free, and it has not ended.
    """
    reaching = dict[Op, str]()
    for op in [op for role in roles for op in role.walk()]:
        if op.name == "copy_tensor" and op.attributes["multicast"] is not None:
            reaching[op] = "copies"
            if not _is_released_by_both(op):
                yield op, "the other block may not have released the slot that is filled there"
        elif op.name == "release_slot" and of_cluster(op.operands["barriers"]):
            reaching[op] = "arrivals"
    if not reaching:
        return
    before = [op.name for op in roles[0].parent.ops[: roles[0].index]]
    last_init = max((n for n, name in enumerate(before) if name == "mbarrier_init"), default=-1)
    if "cluster_barrier" not in before[last_init + 1 :]:
        yield roles[0], "the other block of the cluster may not have initialised its mbarriers"
    for role in {
        cast(Op, role_of(op)): None for op, what in reaching.items() if what == "arrivals"
    }:
        ops = role.regions[0].block.ops
        if len(ops) < 2 or ops[-2].name != "cluster_barrier":
            yield role, "the block may end before the other one has arrived at its mbarriers"


def _is_released_by_both(copy: Op) -> bool:
    """Whether the empty mbarriers of the slot that is filled count arrivals of both blocks."""
    ring = copy.operands["destination"].owner.operands["ring"]
    acquired = [use.op for use in ring.uses if use.op.name == "acquire_slot"]
    return bool(acquired) and all(of_cluster(op.operands["barriers"]) for op in acquired)
