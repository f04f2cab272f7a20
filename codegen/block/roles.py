"""Whose ops and arrivals are meant: those of a role, of a block, or of a cluster."""

from __future__ import annotations

from tileir.ir import Op, Value


def role_of(op: Op) -> Op | None:
    """Return the role that an op stands in; None if all warps of the block execute it."""
    here: Op | None = op
    while here is not None and here.name != "role":
        here = here.parent.parent_op
    return here


def of_cluster(barriers: Value) -> bool:
    """Whether threads of both blocks of a cluster arrive at mbarriers."""
    inits = [use.op for use in barriers.uses if use.op.name == "mbarrier_init"]
    return any(op.attributes["cluster"] for op in inits)
