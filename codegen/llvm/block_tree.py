"""Dominators and loops of a function that is being emitted.

Dominators are known while a block is being filled, because every edge to it has been emitted by
then, except for those back to the head of a loop, which that block dominates.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from llvmlite import ir


class _Place(NamedTuple):
    """Where a block is in the tree of dominators."""

    depth: int
    above: ir.Block
    """The nearest other block on every way from the entry."""
    far: ir.Block
    """One that dominates it, too: by such steps any of them is reached in logarithmic time."""


class BlockTree:
    """What is known so far about the blocks of a function, from its edges and loops.

    Each question takes logarithmic time, though functions may have thousands of blocks in a row.
    """

    def __init__(self) -> None:
        self._places: dict[ir.Block, _Place] = {}
        """Blocks that a way from the entry leads to; the entry is above itself."""
        self.before: dict[ir.Block, ir.Block] = {}
        """The head of a loop -> the block before the loop."""
        self._left: dict[ir.Block, ir.Block] = {}
        """The block behind a loop -> the head of the loop."""
        self._around: dict[ir.Block, tuple[ir.Block, ...]] = {}

    def add_edge(self, source: ir.Block, target: ir.Block) -> None:
        """Add an edge, unless no way leads to its source."""
        entry = source.function.entry_basic_block
        self._places.setdefault(entry, _Place(0, entry, entry))
        if target is entry or source not in self._places:
            return
        above = source
        if target in self._places:
            above = self._common(source, self._places[target].above)
        depth, far = self._places[above].depth, self._places[above].far
        further = self._places[far].far
        middle = self._places[far].depth
        even = depth - middle == middle - self._places[further].depth
        self._places[target] = _Place(depth + 1, above, further if even else above)

    def _common(self, one: ir.Block, other: ir.Block) -> ir.Block:
        """Return the nearest block that dominates both."""
        depth = min(self._places[one].depth, self._places[other].depth)
        one, other = self._at(one, depth), self._at(other, depth)
        while one is not other:
            if self._places[one].far is self._places[other].far:
                one, other = self._places[one].above, self._places[other].above
            else:
                one, other = self._places[one].far, self._places[other].far
        return one

    def _at(self, block: ir.Block, depth: int) -> ir.Block:
        """Return the block of a depth that dominates a block, at most as deep as that one."""
        while (place := self._places[block]).depth > depth:
            block = place.far if self._places[place.far].depth >= depth else place.above
        return block

    def dominates(self, above: ir.Block, block: ir.Block) -> bool:
        """Whether a block is on every way to another one, or is that one."""
        if above is block:
            return True
        if above not in self._places or block not in self._places:
            return False
        depth = self._places[above].depth
        return depth < self._places[block].depth and self._at(block, depth) is above

    def nearest(self, blocks: Iterable[ir.Block], block: ir.Block) -> ir.Block | None:
        """Return the deepest of some blocks that dominate a block; None if none does."""
        above = (each for each in blocks if self.dominates(each, block))
        return max(above, key=self._depth, default=None)

    def _depth(self, block: ir.Block) -> int:
        return self._places[block].depth if block in self._places else 0

    def enter(self, head: ir.Block, before: ir.Block) -> None:
        """Begin a loop at its head; the block before it has no other successor in the loop."""
        self.before[head] = before

    def leave(self, head: ir.Block, after: ir.Block) -> None:
        """End the loop of a head: what is behind it is not in it, though the head may dominate."""
        self._left[after] = head

    def loops(self, block: ir.Block) -> tuple[ir.Block, ...]:
        """Return the heads of the loops around a block, the innermost first."""
        asked = []
        while block not in self._around:
            asked.append(block)
            place = self._places.get(block)
            if place is None or not place.depth:
                break
            block = place.above
        heads = self._around.get(block, ())
        for each in reversed(asked):
            if each in self._left:
                heads = tuple(head for head in heads if head is not self._left[each])
            if each in self.before:
                heads = (each, *heads)
            self._around[each] = heads
        return heads
