"""The text of a kernel while it is made: what those see of it who print its ops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from tileir.ir import Block, Op, Value

from .names import Names


class KernelText(ABC):
    """The pieces so far, the names of values, and the spelling of their types.

    `types` remembers how the module's types are spelled, by their identities.
    """

    def __init__(self, out: list[str], types: dict[int, str]) -> None:
        self.names = Names()
        self.out = out
        self.add = out.append
        self._types = types

    @abstractmethod
    def region(self, owner: Op | None, block: Block, margin: str) -> None:
        """Print a block of an op, or of the kernel itself, in braces."""

    def name(self, value: Value) -> str:
        """What the value is called."""
        return self.names.value[value]

    def type(self, value: Value) -> str:
        """The type of the value as text."""
        type = value.type
        text = self._types.get(id(type))
        if text is None:
            text = self._types[id(type)] = str(type)
        return text

    def types(self, of: Iterable[Value]) -> str:
        """The types of values, with commas between."""
        return ", ".join(map(self.type, of))
