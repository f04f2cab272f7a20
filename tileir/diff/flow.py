"""Which ops and values of two bodies compute the same: classes, by where values come from.

Two ops are of one class if they say the same, their operands are of equal classes, and so is all
that is nested in them. So one change at the top of a body gives other classes to everything that
follows from it. Where ops are known to be the two forms of one op, they are identified: then they
are of one class, whatever they say, and what follows from them is compared by what else it says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from tileir.ir import Block, Body, Op, Value

from .content import Contents

UNKNOWN = -1
"""The class of what is not defined in the body, as in a body that was edited wrongly."""

USES = 4
"""How many uses of a value tell it from others of its type."""


class Flow:
    """The classes of the ops and values of one body.

    said    op -> the number of its content
    used    op -> the number of how its results are used: by the first few ops
    op      op -> its class
    value   value -> its class
    """

    def __init__(self, body: Body, contents: Contents) -> None:
        self.block = body.block
        self.contents = contents
        self.said: dict[Op, int] = {}
        self.used: dict[Op, int] = {}
        self.op: dict[Op, int] = {}
        self.value: dict[Value, int] = {}
        self._identified: dict[Op, int] = {}
        self._given: dict[Value, int] = {}
        self._uses: defaultdict[Value, list[Hashable]] = defaultdict(list)
        for op in body.walk():
            self.said[op] = contents.of(op)
            self._note_uses(op)
        for op in self.said:
            self.used[op] = contents.number(tuple([self.usage(value) for value in op.results]))

    def identify(self, op: Op, number: Hashable) -> None:
        """Make the class of an op one that does not depend on what it says."""
        self._identified[op] = self.contents.number(("op", number))

    def give(self, value: Value, number: Hashable) -> None:
        """Make the class of a value one that does not depend on what defines it."""
        self._given[value] = self.contents.number(("value", number))

    def is_identified(self, op: Op) -> bool:
        """Whether an op was identified with one of the other body."""
        return op in self._identified

    def settle(self) -> None:
        """Find the classes, for what has been identified so far."""
        self.op, self.value = {}, {}
        self._values(self.block.arguments, "parameter")
        self._block(self.block)

    def operands(self, op: Op) -> Hashable:
        """Return the classes of the operands of an op."""
        known = self.value
        return tuple(
            [
                tuple([known.get(each, UNKNOWN) for each in operand])
                if isinstance(operand, tuple)
                else known.get(operand, UNKNOWN)
                for operand in op.operands.values()
            ]
        )

    def nearby(self, op: Op) -> Hashable:
        """Return what an op says and what those ops say that define its operands."""
        return self.said[op], tuple([self._definer(value) for value in op.operand_list()])

    def usage(self, value: Value) -> Hashable:
        """Return the first few uses of a value: mnemonics and slots."""
        return tuple(self._uses.get(value, ()))

    def _note_uses(self, op: Op) -> None:
        for slot, operand in op.operands.items():
            for each in operand if isinstance(operand, tuple) else (operand,):
                if each is not None and len(self._uses[each]) < USES:
                    self._uses[each].append((op.spec.mnemonic, slot))

    def _definer(self, value: Value) -> Hashable:
        owner = value.owner
        return (self.said.get(owner) if isinstance(owner, Op) else value.type), value.index

    def _block(self, block: Block) -> tuple[int, ...]:
        number = self.contents.number
        found = []
        for op in block.ops:
            identified = self._identified.get(op)
            own = identified
            if own is None:
                own = number((self.said[op], self.operands(op)))
            if op.regions:
                inside = []
                for place, region in enumerate(op.regions):
                    for inner in region.blocks:
                        self._values(inner.arguments, (own, place))
                        inside.append(self._block(inner))
                if identified is None:
                    own = number((own, tuple(inside)))
            self.op[op] = own
            self._values(op.results, own)
            found.append(own)
        return tuple(found)

    def _values(self, values: list[Value], owner: Hashable) -> None:
        for index, value in enumerate(values):
            given = self._given.get(value)
            if given is None:
                given = self.contents.number((owner, index))
            self.value[value] = given
