"""The ops of a body with the blocks around them, for transforms that edit while they walk."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.ir import Block, Body, Op


class BlockEnd:
    """The end of a block, behind its last op."""


BLOCK_END = BlockEnd()
Step = Block | Op | BlockEnd
"""A block when it is entered, an op of the block, or the end of the block."""


def steps(body: Body) -> Iterator[Step]:
    """Yield blocks and ops in pre-order, and the end of each block.

    The op that was yielded last may be moved out of its block or erased. Ops that are inserted into
    a block after it was entered are left out.
    """
    stack = [_steps(body.block)]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        yield step
        if isinstance(step, Op):
            nested = [block for region in step.regions for block in region.blocks]
            stack += [_steps(block) for block in reversed(nested)]


def _steps(block: Block) -> Iterator[Step]:
    yield block
    yield from list(block.ops)
    yield BLOCK_END
