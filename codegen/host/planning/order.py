"""Where the ops of a kernel stand: their places in pre-order, and the loops around them.

A place is a point in time for whoever plans memory. Inside a loop time runs in circles, so a value
from outside of it is in use up to its end.
"""

from __future__ import annotations

from tileir.codegen.ops import Family, family_of
from tileir.ir import Block, Body, Op, Value

_REPEATING = {Family.FOLD, Family.LOOP}
"""Ops that run their region more than once."""


class Order:
    """The ops of a body in pre-order, with what encloses them."""

    def __init__(self, body: Body) -> None:
        self.ops: list[Op] = []
        self.place: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.block: dict[int, Block] = {}
        self._loops: dict[int, tuple[Op, ...]] = {}
        self._owner: dict[int, Op | None] = {id(body.block): None}
        self._visit(body.block, ())

    def _visit(self, block: Block, loops: tuple[Op, ...]) -> None:
        for op in block.ops:
            self.place[id(op)] = len(self.ops)
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
        """The repeating ops around an op, outermost first."""
        return self._loops[id(op)]

    def owner(self, block: Block) -> Op | None:
        """The op that a block is nested in; None for the body of the kernel."""
        return self._owner[id(block)]

    def defined_in(self, value: Value) -> tuple[Op, ...]:
        """The repeating ops around the definition of a value."""
        owner = value.owner
        if isinstance(owner, Op):
            return self._loops[id(owner)]
        around = self._owner[id(owner)]
        if around is None:
            return ()
        loops = self._loops[id(around)]
        return (*loops, around) if family_of(around) in _REPEATING else loops

    def is_repeated(self, value: Value, user: Op) -> bool:
        """Whether a loop that `value` comes from outside of runs `user` again and again."""
        return len(self.loops(user)) > len(self.defined_in(value))

    def reach(self, value: Value, place: int) -> int:
        """Up to which place a value is needed that is last read at `place`."""
        outside = len(self.defined_in(value))
        around = self._loops[id(self.ops[place])]
        return self.last[id(around[outside])] if len(around) > outside else place
