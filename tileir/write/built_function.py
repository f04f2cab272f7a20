"""The interface of a function that was not read from a file: the builder's `Kernel` has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

from tileir.verifier.rules.symbols import BuiltEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tileir.attributes import Hints
    from tileir.ir import Body, Op
    from tileir.ir.locations import Location
    from tileir.types import FunctionType


class Written(BuiltEntry, Protocol):
    """A function as far as writing it needs it: read, built or assembled."""

    @property
    def name(self) -> str: ...

    @property
    def location(self) -> Location | None: ...

    @property
    def body(self) -> Body: ...


class BuiltFunction(ABC):
    """A function that was built op by op, with the fields of its entry in the function table."""

    name: str
    type: FunctionType
    private: bool
    hints: Hints
    argument_attributes: object
    location: Location | None
    body: Body

    @property
    def ops(self) -> list[Op]:
        """The ops at the top level of the body."""
        return self.body.block.ops

    def walk(self) -> Iterator[Op]:
        """Yield every op of the body in pre-order."""
        return self.body.walk()

    @abstractmethod
    def finish(self) -> None:
        """Raise BuildError if the body of the function is not finished."""
