"""The body of a function: one block, whose arguments are the parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.types import FunctionType

from .children import Children
from .op import Block, Op, Value
from .part import Part
from .placed import walk


class Body(Part):
    """A function body: the parameters are the arguments of `block`."""

    __slots__ = ("_block", "type")

    def __init__(self, type: FunctionType, block: Block) -> None:
        super().__init__()
        self.type = type
        self._block = Children(self, [block])

    @property
    def block(self) -> Block:
        """The outermost block."""
        return self._block[0]

    @block.setter
    def block(self, block: Block) -> None:
        self._block[:] = [block]

    @property
    def tracks_all(self) -> bool:
        """A body is tracked as a whole."""
        return True

    @property
    def inside(self) -> Children[Block]:
        """The outermost block, in a list."""
        return self._block

    def walk(self) -> Iterator[Op]:
        """Yield every op in pre-order; bodies may be edited meanwhile, see `Op.walk`."""
        return walk(self.block.ops)

    def shell(self, values: dict[Value, Value]) -> Body:
        """Return a body without a block."""
        made = Body.__new__(Body)
        Part.__init__(made)
        made.type, made._block = self.type, Children(made)
        return made
