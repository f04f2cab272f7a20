"""Defects of `share_copies`: a block of a cluster does something too early for the other one."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.block.roles import role_of
from tileir.ir import Body

from .defect import EMULATOR, VERIFIER, Site, defect, ops


@defect("blocks of a cluster that do not meet at the start", VERIFIER)
def start_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, "cluster_barrier"):
        if role_of(op) is None:
            yield Site(op, op.erase)


@defect("blocks of a cluster that do not meet at the end", VERIFIER)
def end_dropped(body: Body) -> Iterator[Site]:
    for op in ops(body, "cluster_barrier"):
        if role_of(op) is not None:
            yield Site(op, op.erase)


@defect("slot of both blocks that only one releases", VERIFIER)
def one_releases(body: Body) -> Iterator[Site]:
    for op in ops(body, "mbarrier_init"):
        if op.attributes["cluster"]:
            yield Site(op, lambda op=op: op.attributes.update(cluster=False))


@defect("slot of one block that both release", EMULATOR)
def both_release(body: Body) -> Iterator[Site]:
    """The full mbarriers: the phase of copies waits for an arrival more."""
    for op in ops(body, "mbarrier_init"):
        if op.attributes["arrivals"] is None:
            yield Site(op, lambda op=op: op.attributes.update(cluster=True))


@defect("half of a tile copied to one block only", VERIFIER)
def for_one_block(body: Body) -> Iterator[Site]:
    for op in ops(body, "copy_tensor"):
        if op.attributes["multicast"] is not None:
            yield Site(op, lambda op=op: op.attributes.update(multicast=None))


@defect("halves of a tile along another dimension", VERIFIER)
def other_dimension(body: Body) -> Iterator[Site]:
    for op in ops(body, "copy_tensor"):
        if (dim := op.attributes["multicast"]) is not None:
            yield Site(op, lambda op=op, dim=dim: op.attributes.update(multicast=1 - dim))
