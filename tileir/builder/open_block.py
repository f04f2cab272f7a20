"""Where the next op goes: a block that is being filled, or edited."""

from __future__ import annotations

from tileir.errors import BuildError
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.ir.region_name import region_name
from tileir.verifier.rules.control_flow import combines

BODY = BY_NAME["entry"].regions[0]
"""The row of a kernel's body."""


class OpenBlock:
    """A block into which ops are inserted: at its end, or beside one of its ops.

    `row` is that of the region, and `op` the op that has the region, None for a kernel's body. Ops
    are inserted before the op `before`, or else after the op `after`, each after the last one.
    `combining` is the innermost reduce or scan around, if any: `op`, or one around that.
    """

    def __init__(
        self,
        op: Op | None,
        row: Row,
        block: Block,
        before: Op | None = None,
        after: Op | None = None,
        around: OpenBlock | None = None,
    ) -> None:
        """`around` is the open block that `op` is in."""
        self.op = op
        self.row = row
        self.block = block
        self.before = before
        self.after = after
        self.combining: Op | None = around.combining if around else None
        if op is not None and combines(op.spec):
            self.combining = op

    @classmethod
    def chain_to(
        cls, block: Block, before: Op | None = None, after: Op | None = None
    ) -> list[OpenBlock]:
        """Return a block of a body, by its place, behind those around it."""
        places: list[tuple[Block, Op | None, Op | None]] = [(block, before, after)]
        while (op := places[-1][0].parent_op) is not None:
            places.append((op.parent, op, None))
        chain: list[OpenBlock] = []
        for inner, *beside in reversed(places):
            op = inner.parent_op
            row = op.spec.regions[op.regions.index(inner.parent)] if op else BODY
            chain.append(cls(op, row, inner, *beside, around=chain[-1] if chain else None))
        return chain

    def insert(self, op: Op) -> None:
        """Put an op where the next one belongs."""
        self.check_place()
        if self.before is not None:
            self.block.insert(self.before.index, op)
        elif self.after is not None:
            self.block.insert(self.after.index + 1, op)
            self.after = op
        else:
            self.block.ops.append(op)

    def check_place(self) -> None:
        """Raise BuildError if the op beside which ops are inserted has left the block."""
        near = self.before or self.after
        if near is not None and near.parent is not self.block:
            raise BuildError(f"{near.name}, the insertion point, is no longer where it was")

    def sees(self, value: Value) -> bool:
        """Whether the next op may use a value."""
        self.check_place()
        if self.before is not None:
            return value.is_visible_to(self.before)
        if self.after is not None:
            return value.owner is self.after or value.is_visible_to(self.after)
        return value.is_visible_at_end_of(self.block)

    def why_hidden(self, value: Value) -> str:
        """Return in words why the next op may not use a value."""
        owner = value.owner
        if owner.root is not self.block.root:
            return "of another function"
        around = self.block.parent_op
        while around is not None:
            if around is owner:
                return f"not visible here, inside of {around.name}, whose result it is"
            around = around.parent.parent_op if around.parent else None
        home = owner if isinstance(owner, Block) else owner.parent
        maker = home.parent_op if home else None
        if home is None or maker is None or home.contains(self.block):
            return "not visible here"
        name = region_name(maker, maker.spec.regions[maker.regions.index(home.parent)])
        return f"not visible here, outside of the {name}; hand it on as a result of {maker.name}"

    def __str__(self) -> str:
        return region_name(self.op, self.row)

    @property
    def end(self) -> Op | None:
        """The terminator, None if there is none yet."""
        last = self.block.ops[-1] if self.block.ops else None
        return last if last is not None and last.spec.terminator else None

    def check_open(self, spec: Spec) -> None:
        """Raise BuildError for an op after the terminator, or a terminator of another region."""
        near = self.before or self.after
        if near is not None:
            if spec.terminator:
                text = f"{spec.mnemonic} cannot come beside {near.name}: it ends the {self}"
                raise BuildError(text)
        elif self.end is not None:
            raise BuildError(f"{spec.mnemonic} comes after {self.end.name}, which ends the {self}")
        if spec.terminator and spec.mnemonic not in self.row.terminators:
            ends = " or ".join(self.row.terminators)
            raise BuildError(f"{spec.mnemonic} cannot end the {self}, which ends with {ends}")

    def check_end(self) -> None:
        """Raise BuildError if the block does not end with a terminator."""
        if self.end is None:
            ends = " or ".join(self.row.terminators)
            raise BuildError(f"the {self} does not end with {ends}")
