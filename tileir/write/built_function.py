"""What is written of a function that no file has: the builder's `Kernel` is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir.attributes import Hints
    from tileir.ir import Body
    from tileir.ir.locations import Location
    from tileir.types import FunctionType


class BuiltFunction(ABC):
    """A function that was made op by op, with all that its entry in the function table says."""

    name: str
    type: FunctionType
    private: bool
    hints: Hints
    argument_attributes: object
    location: Location | None
    body: Body

    @abstractmethod
    def finish(self) -> None:
        """Refuse a function whose body does not end yet: BuildError."""
