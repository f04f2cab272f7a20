"""The ops of a kernel numbered in pre-order, and the loops around each.

The numbers are points in time for planning memory. A loop repeats its ops, so a value from outside
that is read inside is needed up to the end of the loop.
"""

from __future__ import annotations

from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Body, Op, Value

_REPEATING = {Family.FOLD, Family.LOOP}
"""Ops that run their region more than once."""


class Order:
    """The ops of a body in pre-order, with the ops and blocks around each."""

    def __init__(self, body: Body) -> None:
        self.ops: list[Op] = []
        self.index: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.block: dict[int, Block] = {}
        self._loops: dict[int, tuple[Op, ...]] = {}
        self._owner: dict[int, Op | None] = {id(body.block): None}
        self._visit(body.block, ())

    def _visit(self, block: Block, loops: tuple[Op, ...]) -> None:
        for op in block.ops:
            self.index[id(op)] = len(self.ops)
            self.ops.append(op)
            self.block[id(op)] = block
            self._loops[id(op)] = loops
            inner = (*loops, op) if family_of(op) in _REPEATING else loops
            for region in op.regions:
                for nested in region.blocks:
                    self._owner[id(nested)] = op
                    self._visit(nested, inner)
            self.last[id(op)] = len(self.ops) - 1

    def loops(self, op: Op) -> tuple[Op, ...]:
        """Return the repeating ops around an op, outermost first."""
        return self._loops[id(op)]

    def owner(self, block: Block) -> Op | None:
        """Return the op that a block is nested in; None for the body of the kernel."""
        return self._owner[id(block)]

    def defined_in(self, value: Value) -> tuple[Op, ...]:
        """Return the repeating ops around the definition of a value."""
        owner = value.owner
        if isinstance(owner, Op):
            return self._loops[id(owner)]
        around = self._owner[id(owner)]
        if around is None:
            return ()
        loops = self._loops[id(around)]
        return (*loops, around) if family_of(around) in _REPEATING else loops

    def is_repeated(self, value: Value, user: Op) -> bool:
        """Whether a loop repeats `user` but not the definition of `value`."""
        return len(self.loops(user)) > len(self.defined_in(value))

    def reach(self, value: Value, index: int) -> int:
        """Return the number of the last op that needs a value last read by op number `index`."""
        outside = len(self.defined_in(value))
        around = self._loops[id(self.ops[index])]
        return self.last[id(around[outside])] if len(around) > outside else index
