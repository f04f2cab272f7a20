"""Defects of the order of warpgroups: turns that are not waited for, or not passed on."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.make import make
from tileir.codegen.block.role_rows import ORDERS
from tileir.ir import Body, Op

from .defect import VERIFIER, Site, defect, ops

_STAGE = "overlap_products"


@defect("order of warpgroups without one of its ops", VERIFIER, _STAGE)
def order_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, *ORDERS):
        yield Site(op, op.erase)


@defect("order of warpgroups with one of its ops twice", VERIFIER, _STAGE)
def order_twice(body: Body) -> Iterator[Site]:
    for op in ops(body, *ORDERS):
        yield Site(op, lambda op=op: make(op.name).insert_after(op))


@defect("turn passed on behind the wait for products", VERIFIER, _STAGE)
def passed_late(body: Body) -> Iterator[Site]:
    for op in ops(body, "order_pass"):
        waits = [each for each in op.parent.ops[op.index :] if each.name == "wait_mma"]
        yield Site(op, lambda op=op, wait=waits[0]: op.move_after(wait))


@defect("barrier of all warps of a role in the turn of one warpgroup", VERIFIER, _STAGE)
def barrier_in_turn(body: Body) -> Iterator[Site]:
    for op in ops(body, "order_wait"):
        yield Site(op, lambda op=op: _barrier().insert_after(op))


def _barrier() -> Op:
    return make("barrier", {"memory": ()}, {"pairs": ("here",)})


@defect("order of warpgroups that begins in a loop", VERIFIER, _STAGE)
def begins_in_a_loop(body: Body) -> Iterator[Site]:
    for start, wait in zip(ops(body, "order_start"), ops(body, "order_wait"), strict=False):
        yield Site(start, lambda start=start, wait=wait: start.move_before(wait))
