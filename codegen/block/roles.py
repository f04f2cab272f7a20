"""Which warps an op is for: those of the role around it, or all of them."""

from __future__ import annotations

from tileir.ir import Op


def role_of(op: Op) -> Op | None:
    """Return the role that an op stands in; None if all warps of the block execute it."""
    here: Op | None = op
    while here is not None and here.name != "role":
        here = here.parent.parent_op
    return here
