"""Split matrix products along k, so that copies are issued while tensor cores have work."""

from __future__ import annotations

from tileir.codegen.block.async_rows import PRODUCT_NAMES
from tileir.codegen.block.op_facts import ASYNC_PROXY
from tileir.codegen.nvptx.schedule.mma_plan import plan_of
from tileir.codegen.nvptx.schedule.mma_reads import slices_in_loop, slices_of
from tileir.ir import Block, Op


def first_slice(block: Block) -> Op | None:
    """Split off the first slice of the first product that every iteration computes.

    Return the op behind which copies go; None if they go to the start of the iteration.
    """
    for op in block.ops:
        if op.name in PRODUCT_NAMES:
            # The copies are issued while it, or its first slice, is under way.
            return op if op.name in ASYNC_PROXY else _split(op)
        if op.name == "if":
            # The if may continue with the next iteration.
            break
    return None


def _split(op: Op) -> Op | None:
    """Split off the first slice; return it, the op itself if it has only one.

    A product that is lowered to a loop is not split: copies go before it.
    """
    slices = slices_of(op, plan_of(op))
    if slices_in_loop(op):
        at = op.index
        return op.parent.ops[at - 1] if at else None
    if len(slices) == 1:
        return op
    first = op.clone({})
    op.attributes["first"] = first.attributes["end"] = slices[1]
    op.parent.insert(op.index, first)
    op.operands["acc"] = first.result
    return first
