"""Split matrix products along k, so that copies are issued while tensor cores have work."""

from __future__ import annotations

from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.schedule.mma_plan import MOST_ATOMS, ProductPlan, plan_of
from tileir.ir import Block, Op

_PRODUCTS = ("mma", "mma_scaled")


def first_slice(block: Block) -> Op | None:
    """Split off the first slice of the first product that every iteration computes.

    Return the op behind which copies go; None if they go to the start of the iteration.
    """
    for op in block.ops:
        if op.name in _PRODUCTS:
            return _split(op)
        if op.name == "if":
            # The if may continue with the next iteration.
            break
    return None


def _split(op: Op) -> Op | None:
    """Split off the first slice; return it, the op itself if it has only one.

    A product that is lowered to a loop is not split, and none whose sum would be rounded between
    the slices: copies go before it.
    """
    plan = plan_of(op)
    first = op.attributes["first"] or 0
    end = op.attributes["end"] or plan.extents["k"]
    rounded = op.result.type.element.name == "f16"
    if rounded or _is_looped(op, plan, end - first):
        at = op.index
        return op.parent.ops[at - 1] if at else None
    if end - first <= plan.slice:
        return op
    part = op.clone({})
    part.attributes["end"] = first + plan.slice
    op.parent.insert(op.index, part)
    op.operands["acc"] = part.result
    op.attributes["first"] = first + plan.slice
    return part


def _is_looped(op: Op, plan: ProductPlan, length: int) -> bool:
    """Whether a product of this length along k is lowered to a loop over its slices."""
    in_memory = all(isinstance(op.operands[slot].type, Shared) for slot in ("lhs", "rhs"))
    return in_memory and op.name == "mma" and plan.atoms(length) > MOST_ATOMS
