"""The text of a kernel while it is printed, as the functions that print its ops see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from tileir.ir import Block, Op, Value

from .names import Names
from .pieces import BoundedText, Pieces, WrittenText
from .values import extent


class KernelText(ABC):
    """The pieces so far, the names of values, and the texts of their types.

    `types` caches the texts of the module's types, by their identities.
    """

    def __init__(self, out: Pieces, types: dict[int, str]) -> None:
        self.names = Names()
        self.out = out
        self.add = out.append
        self._types = types

    @abstractmethod
    def region(self, owner: Op | None, block: Block, margin: str) -> None:
        """Print a block of an op, or of the kernel itself, in braces."""

    def reserve(self, attribute: object) -> None:
        """Raise BytecodeError if the text of an attribute would be longer than a text may be."""
        if isinstance(self.out, BoundedText | WrittenText):
            self.out.reserve(extent(attribute))

    def name(self, value: Value) -> str:
        """Return the name of a value."""
        return self.names.value[value]

    def type(self, value: Value) -> str:
        """Return the type of a value as text."""
        type = value.type
        text = self._types.get(id(type))
        if text is None:
            text = self._types[id(type)] = str(type)
        return text

    def types(self, of: Iterable[Value]) -> str:
        """Return the types of values, separated by commas."""
        return ", ".join(map(self.type, of))
