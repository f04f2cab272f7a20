"""Accesses under the memory orderings of Tile IR, in terms of PTX's memory model.

Weak accesses are plain. Others say their scope, and each thread makes those of its elements: so an
access that acquires is followed by a barrier, after which all threads of the block have acquired;
one that releases comes after a barrier, so that what all threads have written goes along with it.
"""

from __future__ import annotations

from tileir.codegen.nvptx.emit.fragments import EmitContext
from tileir.ir import Op

_SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}


def space_of(ctx: EmitContext, op: Op) -> str:
    """The part of an instruction's name that says how it is ordered, and where memory is.

    As in ".acquire.gpu.global". Where blocks have variables, addresses may be of shared memory.
    """
    order, scope = op.attributes["memory_ordering_semantics"], op.attributes["memory_scope"]
    space = "" if ctx.state.variables.offsets else ".global"
    return space if order == "weak" else f".{order}.{_SCOPES[scope]}{space}"


def before(ctx: EmitContext, op: Op) -> None:
    """What has to happen in all threads before the access of one of them."""
    if op.attributes["memory_ordering_semantics"] in ("release", "acq_rel"):
        ctx.shared.ensure_barrier("what all threads have done is released")


def after(ctx: EmitContext, op: Op) -> None:
    """What has to happen in all threads after the access of one of them."""
    if op.attributes["memory_ordering_semantics"] in ("acquire", "acq_rel"):
        ctx.shared.ensure_barrier("all threads have acquired")
