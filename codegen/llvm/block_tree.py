"""Dominators and loops of a function that is being emitted.

Dominators are known while a block is being filled, because every edge to it has been emitted by
then, except for those back to the head of a loop, which that block dominates.
"""

from __future__ import annotations

from collections.abc import Iterator

from llvmlite import ir


class BlockTree:
    """What is known so far about the blocks of a function, from its edges and loops."""

    def __init__(self) -> None:
        self._dominators: dict[ir.Block, ir.Block] = {}
        """Block -> the nearest other one on every way from the entry."""
        self.before: dict[ir.Block, ir.Block] = {}
        """The head of a loop -> the block before the loop."""
        self._left: dict[ir.Block, ir.Block] = {}
        """The block behind a loop -> the head of the loop."""
        self._around: dict[ir.Block, tuple[ir.Block, ...]] = {}

    def add_edge(self, source: ir.Block, target: ir.Block) -> None:
        """Add an edge, unless no way leads to its source."""
        entry = source.function.entry_basic_block
        before = list(self.dominating(source))
        if target is entry or before[-1] is not entry:
            return
        known = self._dominators.get(target)
        if known is None:
            self._dominators[target] = source
        else:
            common = set(before)
            self._dominators[target] = next(
                block for block in self.dominating(known) if block in common
            )

    def dominating(self, block: ir.Block) -> Iterator[ir.Block]:
        """Yield a block and those that dominate it, the nearest first."""
        each: ir.Block | None = block
        while each is not None:
            yield each
            each = self._dominators.get(each)

    def enter(self, head: ir.Block, before: ir.Block) -> None:
        """Begin a loop at its head; the block before it has no other successor in the loop."""
        self.before[head] = before

    def leave(self, head: ir.Block, after: ir.Block) -> None:
        """End the loop of a head: what is behind it is not in it, though the head may dominate."""
        self._left[after] = head

    def loops(self, block: ir.Block) -> tuple[ir.Block, ...]:
        """Return the heads of the loops around a block, the innermost first."""
        if block not in self._around:
            heads, left = [], set()
            for each in self.dominating(block):
                if each in self._left:
                    left.add(self._left[each])
                if each in self.before and each not in left:
                    heads.append(each)
            self._around[block] = tuple(heads)
        return self._around[block]
