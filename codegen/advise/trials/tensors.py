"""The tensors that accesses are of: where a kernel says what it knows of one."""

from __future__ import annotations

from tileir.codegen.ops.extents import tensor_view_op
from tileir.ir import Op


def tensor_of(op: Op) -> Op | None:
    """Return the make_tensor_view behind an access; None for those through pointers."""
    view = op.operands.get("view")
    return None if view is None else tensor_view_op(view)


def view_of(op: Op) -> Op | None:
    """Return the op that makes the view of an access; None for those through pointers."""
    view = op.operands.get("view")
    return view.owner if view is not None and isinstance(view.owner, Op) else None
