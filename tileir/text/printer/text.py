"""The text of a kernel while it is printed, as the functions that print its ops see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tileir.formats.ops.spec import Attribute
from tileir.ir import Block, Op, Value
from tileir.ir.dialect import Dialect

from .names import Names
from .pieces import BoundedText, Pieces, WrittenText
from .values import extent


class KernelText(ABC):
    """The pieces so far, the names of values, and the texts of their types.

    `types` caches the texts of the module's types, by their identities; `spelling` makes them.
    """

    def __init__(self, out: Pieces, types: dict[int, str], spelling: Spelling) -> None:
        self.spelling = spelling
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
            text = self._types[id(type)] = self.spelling.type(type)
        return text

    def types(self, of: Iterable[Value]) -> str:
        """Return the types of values, separated by commas."""
        return ", ".join(map(self.type, of))


class Spelling:
    """How a dialect is spelled, apart from what its rows say: Tile IR's types as they are.

    `printers` has, for the mnemonics of ops with a syntax of their own, the functions that print
    everything behind the mnemonic; they get the margin of the op's line.
    """

    def __init__(
        self, dialect: Dialect, printers: Mapping[str, Callable[[Op, KernelText, str], None]]
    ) -> None:
        self.dialect = dialect
        self.printers = printers

    def type(self, type: Any) -> str:
        """Return the text of a type."""
        return str(type)

    def attribute(self, op: Op, slot: Attribute, value: Any) -> str:
        """Return the text of an attribute whose kind is one of the dialect's own."""
        raise NotImplementedError(f"{op.name}: {slot.name}")
