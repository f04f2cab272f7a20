"""The place of an op in its block, and edits that put it elsewhere or take it out.

What cannot be right is a BuildError, and nothing is changed then. Edits may leave a body that is
not finished, for example without a terminator, which `verify` and `build` report.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

from tileir.formats.errors import BuildError

from .children import Children, Node, has_parent
from .part import Part

if TYPE_CHECKING:
    from tileir.formats.ops.spec import Op as Spec


SPACING = 1 << 32
"""Distance of the order keys of neighbouring ops when a block is numbered, for later insertions."""


class Placed(Part):
    """What an `Op` is by its place; `order` is a key that ascends in a numbered block."""

    __slots__ = ("order",)

    parent: Any
    spec: Spec
    results: list[Any]
    order: int

    @property
    def name(self) -> str:
        """The mnemonic, for example ``addf``."""
        return self.spec.mnemonic

    def outer_operands(self) -> Iterator[tuple[Self, str, Any]]:
        """Yield each op, slot and value where this op or one in it uses a value from around."""
        raise NotImplementedError

    @property
    def parent_op(self) -> Self | Any:
        """The op whose region has this op, None at the top level of a body."""
        return self.parent.parent_op if self.parent is not None else None

    @property
    def depth(self) -> int:
        """How many ops are around it."""
        depth, around = 0, self.parent_op
        while around is not None:
            depth, around = depth + 1, around.parent_op
        return depth

    @property
    def index(self) -> int:
        """The position in the block. BuildError if it is in none."""
        block = block_of(self)
        block.number()
        if block.numbered:
            return bisect_left(block.ops, self.order, key=_order_of)
        return block.ops.index(self)

    def is_before(self, other: Self) -> bool:
        """Whether it comes before another op of its block. BuildError if they share none."""
        block = block_of(self)
        if not isinstance(other, Placed):
            raise BuildError(f"expected an op, found {other!r}")
        if other.parent is not block:
            raise BuildError(f"{self.name} and {other.name} are not in one block")
        block.number()
        return self.order < other.order

    # Edits --------------------------------------------------------------------------------------

    def insert_before(self, anchor: Self) -> None:
        """Put this op, which is not part of a body, before another one.

        BuildError if an operand is not visible there, or if this op ends a block.
        """
        check_detached(self)
        self._check_place(anchor)
        check_operands(self, lambda value: value.is_visible_to(anchor))
        anchor.parent.insert(anchor.index, self)

    def insert_after(self, anchor: Self) -> None:
        """Put this op, which is not part of a body, after another one, which ends no block.

        BuildError if an operand is not visible there, or if this op ends a block.
        """
        check_detached(self)
        self._check_place(anchor, behind=True)
        check_operands(self, lambda value: _visible_behind(value, anchor))
        anchor.parent.insert(anchor.index + 1, self)

    def move_before(self, anchor: Self) -> None:
        """Move before another op. BuildError if an operand or a use would not be visible."""
        self._check_place(anchor)
        block = block_of(self)
        if anchor is not self:
            check_operands(self, lambda value: value.is_visible_to(anchor))
            self._check_uses(anchor, lambda around: around is anchor or anchor.is_before(around))
            block.ops.pop(self.index)
            anchor.parent.insert(anchor.index, self)

    def move_after(self, anchor: Self) -> None:
        """Move after another op. BuildError if an operand or a use would not be visible."""
        self._check_place(anchor, behind=True)
        block = block_of(self)
        if anchor is not self:
            check_operands(self, lambda value: _visible_behind(value, anchor))
            self._check_uses(anchor, anchor.is_before)
            block.ops.pop(self.index)
            anchor.parent.insert(anchor.index + 1, self)

    def remove(self) -> None:
        """Take this op out of its block, to be inserted elsewhere; uses of its results stay."""
        block_of(self).ops.pop(self.index)

    def erase(self) -> None:
        """Take this op out for good. BuildError if something else uses a value that it defines."""
        for value in self.defined():
            for use in value.uses:
                if not self.contains(use.op):
                    raise BuildError(f"{self.name}: {use.op.name} uses {value}")
        self.remove()

    def replace_with(self, *values: Any) -> None:
        """Make every use of the results a use of these values, one for each result, and erase it.

        A value may be None where the result has no uses. BuildError if the types differ, or if a
        use does not see the value; nothing is changed then.
        """
        if len(values) != len(self.results):
            raise BuildError(f"{self.name} has {len(self.results)} results, found {len(values)}")
        for result, value in zip(self.results, values, strict=True):
            if value is not None or result.uses:
                result.check_replacement(value, result.uses)
            if value is not None and self.contains(value.owner):
                raise BuildError(f"{self.name}: {value} goes with the op")
        inside = [v for v in self.defined() if v not in self.results]
        for value in inside:
            for use in value.uses:
                if not self.contains(use.op):
                    raise BuildError(f"{self.name}: {use.op.name} uses {value}")
        for result, value in zip(self.results, values, strict=True):
            if value is not None:
                result.replace_all_uses_with(value)
        self.remove()

    def _check_place(self, anchor: Self, behind: bool = False) -> None:
        if not isinstance(anchor, Placed):
            raise BuildError(f"expected an op, found {anchor!r}")
        if self.spec.terminator:
            raise BuildError(f"{self.name} ends its block and stays there; append it to another")
        block_of(anchor)
        if behind and anchor.spec.terminator:
            raise BuildError(f"{self.name} cannot come after {anchor.name}, which ends the block")
        if self is not anchor and self.contains(anchor):
            raise BuildError(f"{self.name} cannot be put into itself")

    def _check_uses(self, anchor: Self, sees: Callable[[Self], bool]) -> None:
        """Raise BuildError for a use of a result that a place beside `anchor` does not precede."""
        for result in self.results:
            for use in result.uses:
                around = child_around(anchor.parent, use.op)
                if around is None or not sees(around):
                    raise BuildError(f"{use.op.name}: {use.slot}: {result} is not visible here")


class OpList(Part):
    """What a `Block` is by its ops; while it is `numbered`, their keys ascend."""

    __slots__ = ("numbered",)

    ops: Children[Any]

    def __init__(self) -> None:
        super().__init__()
        self.numbered = False

    def adopted(self, child: Node) -> None:
        """Note a new op."""
        if (
            self.numbered
            and isinstance(child, Placed)
            and len(self.ops) > 1
            and self.ops[-1] is child
        ):
            child.order = self.ops[-2].order + SPACING
        else:
            self.numbered = False
        super().adopted(child)

    def reordered(self) -> None:
        """Note that the keys may no longer ascend."""
        self.numbered = False

    def number(self) -> None:
        """Give the ops keys in their order, if they have none."""
        if not self.numbered:
            for number, op in enumerate(self.ops):
                if isinstance(op, Placed):
                    op.order = number * SPACING
            self.numbered = all(isinstance(op, Placed) for op in self.ops)

    def insert(self, index: int, op: Placed) -> None:
        """Insert an op before the one with that index; neighbours keep their keys."""
        numbered = self.numbered
        self.ops.insert(index, op)
        if numbered and index < len(self.ops) - 1:
            high = self.ops[index + 1].order
            low = self.ops[index - 1].order if index else high - 2 * SPACING
            if high - low > 1:
                op.order = (low + high) // 2
                self.numbered = True


def _order_of(op: Placed) -> int:
    return op.order


def block_of(op: Placed) -> Any:
    """Return the block that an op is in. BuildError if there is none."""
    if not isinstance(op.parent, OpList):
        raise BuildError(f"{op.name} is not part of a body")
    return op.parent


def child_around(block: Part, op: Placed) -> Any:
    """Return the op of a block that is, or contains, an op; None if the block does not."""
    around: Any = op
    while around is not None and around.parent is not block:
        around = around.parent_op
    return around


def check_detached(op: object) -> None:
    """Raise BuildError for what is no op, or is part of a body."""
    if not isinstance(op, Placed):
        raise BuildError(f"expected an op, found {op!r}")
    if op.parent is not None:
        raise BuildError(has_parent(op))


def check_operands(op: Placed, visible: Callable[[Any], bool]) -> None:
    """Raise BuildError for an operand of an op, or inside it, that is not visible to it."""
    for user, slot, value in op.outer_operands():
        if not visible(value):
            raise BuildError(f"{user.name}: {slot}: {value} is not visible here")


def _visible_behind(value: Any, anchor: Placed) -> bool:
    return value.owner is anchor or value.is_visible_to(anchor)


def remove_value(values: list[Any], index: int) -> None:
    """Remove a value without uses from the results of an op or the arguments of a block."""
    try:
        value = values[index]
    except (IndexError, TypeError):
        raise BuildError(f"there is no number {index!r} of {len(values)}") from None
    if value.uses:
        raise BuildError(f"{value.uses[0].op.name} uses {value}")
    values.remove(value)
    for position, each in enumerate(values):
        each.index = position


def walk(ops: Iterable[Any]) -> Iterator[Any]:
    """Yield ops and the ops nested in them, in pre-order; see `Op.walk`."""
    stack = [*ops]
    stack.reverse()
    while stack:
        op = stack.pop()
        if op.parent is not None:
            yield op
            if op.spec.regions:
                stack.extend(reversed(op.nested()))
