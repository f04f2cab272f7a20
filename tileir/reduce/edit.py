"""Changes of a function that are made together: ops go, values stand for others.

Thousands of ops may go at once, so the uses are not followed one by one: what changes is noted
first, and one walk over the body makes it true.
"""

from __future__ import annotations

from typing import Any

from tileir.bytecode import Function
from tileir.errors import BuildError
from tileir.ir import Block, Op, Value

from .stand_ins import StandIns


class Edit:
    """What is to change in one function; `finish` makes it so.

    Uses of what is gone become uses of what stands for it, or else of a stand-in.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self._gone: set[Op] = set()
        self._lost: set[Value] = set()
        self._instead: dict[Value, Value] = {}
        self._parameters: list[Value] = []

    def erase(self, op: Op) -> None:
        """Take out an op with all that is in it."""
        self._gone.add(op)

    def replace(self, value: Value, other: Value | None) -> None:
        """Use another value of the same type in the place of one; a stand-in for None.

        The other value is visible wherever the first one is.
        """
        if other is None or other.type != value.type:
            self._lost.add(value)
        else:
            self._instead[value] = other

    def drop_parameter(self, value: Value) -> None:
        """Take out a parameter of the function."""
        self._lost.add(value)
        self._parameters.append(value)

    def inline(self, op: Op, block: Block, arguments: list[Value | None], end: str) -> None:
        """Put the ops of a block of an op in the place of the op.

        Its arguments become the given values; what the terminator `end` hands over, the results.
        With another terminator the block leaves the parent, too, whose ops behind `op` go.
        """
        around = op.parent
        if around is None:
            return
        for argument, given in zip(block.arguments, arguments, strict=True):
            self.replace(argument, given)
        inner = list(block.ops)
        block.ops = []
        index = around.ops.index(op)
        before, behind = around.ops[:index], around.ops[index + 1 :]
        if inner and inner[-1].name == end:
            handed: tuple[Value, ...] = inner.pop().operands["operands"]
            for number, result in enumerate(op.results):
                self.replace(result, handed[number] if number < len(handed) else None)
        else:
            self._lost.update(op.results)
            self._lost.update(value for each in behind for value in each.defined())
            behind = []
        around.ops = [*before, *inner, *behind]

    def finish(self) -> None:
        """Make the changes. BuildError if there is no stand-in for a type."""
        block = self.function.body.block
        for op in self._gone:
            self._lost.update(value for value in op.defined() if value not in self._instead)
        waiting = [block]
        while waiting:
            around = waiting.pop()
            kept = [op for op in around.ops if op not in self._gone]
            if len(kept) < len(around.ops):
                around.ops = kept
            waiting += [inner for op in kept for region in op.regions for inner in region.blocks]
        left = [value for value in block.arguments if value not in self._parameters]
        stand_ins = StandIns(self.function, left)
        for op in [*self.function.walk()]:
            for slot, operand in op.operands.items():
                now = self._now(operand, stand_ins)
                if now is not operand:
                    op.operands[slot] = now
        stand_ins.settle()
        for value in self._parameters:
            self.function.remove_parameter(block.arguments.index(value))

    def _now(self, operand: Any, stand_ins: StandIns) -> Any:
        """Return what an operand slot holds after the changes: if that is the same, the object."""
        if isinstance(operand, tuple):
            new = tuple([self._now(value, stand_ins) for value in operand])
            return operand if all(a is b for a, b in zip(new, operand, strict=True)) else new
        if not isinstance(operand, Value):
            return operand
        steps = 0
        while operand in self._instead:
            operand, steps = self._instead[operand], steps + 1
            if steps > len(self._instead):
                raise BuildError(f"{operand} would stand for itself")
        return stand_ins.of(operand.type) if operand in self._lost else operand
