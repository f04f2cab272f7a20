"""Accesses under the memory orderings of Tile IR, in terms of PTX's memory model.

Weak accesses are plain. Others have a scope, and each thread makes those of its elements. So a
barrier follows an acquire, after which all threads of the block have acquired; and a barrier
precedes a release, so that the writes of all threads are released with it.
"""

from __future__ import annotations

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.ir import Op

_SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}


def space_of(ctx: EmitContext, op: Op) -> str:
    """Return order, scope and state space in an instruction's name, as in ".acquire.gpu.global".

    If the block has variables in shared memory, addresses are generic.
    """
    order, scope = op.attributes["memory_ordering_semantics"], op.attributes["memory_scope"]
    space = "" if ctx.state.variables.offsets else ".global"
    return space if order == "weak" else f".{order}.{_SCOPES[scope]}{space}"


def before(ctx: EmitContext, op: Op) -> None:
    """Emit the barrier before an access that releases."""
    if op.attributes["memory_ordering_semantics"] in ("release", "acq_rel"):
        ctx.shared.ensure_barrier("what all threads have done is released")


def after(ctx: EmitContext, op: Op) -> None:
    """Emit the barrier behind an access that acquires."""
    if op.attributes["memory_ordering_semantics"] in ("acquire", "acq_rel"):
        ctx.shared.ensure_barrier("all threads have acquired")
