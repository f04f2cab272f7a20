"""A kernel under construction: every op of the table is a method, made from its row.

A call inserts the op at the end of the open block and returns its results; see `op_builder`.
"""

from __future__ import annotations

from tileir.attributes import Hints
from tileir.errors import BuildError
from tileir.formats.version import Version
from tileir.ir import Block, Body, Value
from tileir.ir.locations import Location
from tileir.messages.texts import display
from tileir.types import FunctionType
from tileir.write.built_function import BuiltFunction

from .op_builder import OpBuilder
from .open_block import BODY, OpenBlock


class Kernel(OpBuilder, BuiltFunction):
    """A kernel under construction; `tileir.builder.Module.function` makes one.

    parameters  the values of its parameters
    body        the IR built so far
    """

    called = "a kernel"

    def __init__(self, version: Version, name: str, type: FunctionType) -> None:
        self.name = name
        self.type = type
        self.hints = Hints({})
        self.argument_attributes: object = ()
        self.private = False
        self.location: Location | None = None
        self.body = Body(type, Block())
        self.body.block.arguments = []
        super().__init__(version, [OpenBlock(None, BODY, self.body.block)])
        self.define(self.body.block, self.body.block.arguments, type.parameters)

    @property
    def function_location(self) -> Location | None:
        """The location of the kernel."""
        return self.location

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The values of the parameters."""
        return tuple(self.body.block.arguments)

    def finish(self) -> None:
        """Raise BuildError if the body, or a region in it, is not finished."""
        current = self._open_blocks[-1]
        try:
            if len(self._open_blocks) > 1:
                raise BuildError(f"the {current} is still open")
            self.settle()
            current.check_end()
        except BuildError as error:
            raise BuildError(f"function {display(self.name)}: {error}") from None
