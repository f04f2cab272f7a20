"""An op while it is read: the syntax of its row, and the slots that have been read so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tileir.formats.ops.spec import Row as Spec
from tileir.ir import Value
from tileir.types import Type
from tileir.write.body import default_of

from .scope import BodyScope


@dataclass(frozen=True, slots=True)
class OpSyntax:
    """The syntax of a row, computed once.

    steps     functions that read everything after the mnemonic; none for an op with regions
    operands  the operand slots of an op without operands
    implied   operands whose type the format does not state, and the slot whose type they must have
    extents   whether the text repeats sizes of the result's type
    """

    spec: Spec
    steps: tuple[Step, ...]
    operands: Mapping[str, tuple[Value, ...] | None]
    implied: tuple[tuple[str, str], ...]
    extents: bool


class ParsedOp:
    """An op that is being read: its values, attributes and types so far, by slot.

    `names` is how many results have names. `stated` has the types that the text states, with their
    positions; `positions` has those of values and attributes.
    """

    __slots__ = ("at", "attributes", "names", "operands", "positions", "spec", "stated", "syntax")

    def __init__(self, syntax: OpSyntax, at: int, names: int) -> None:
        self.syntax = syntax
        self.spec = syntax.spec
        self.at = at
        self.names = names
        self.operands: dict[str, Any] = dict(syntax.operands)
        self.attributes: dict[str, Any] = {}
        self.stated: dict[str, list[tuple[Type | None, int]]] = {}
        self.positions: dict[str, list[int]] = {}

    def fill(self) -> None:
        """Give attributes that the text leaves out their defaults."""
        for slot in self.spec.attributes:
            if slot.name not in self.attributes:
                self.attributes[slot.name] = default_of(slot, self.operands)


Step = Callable[[BodyScope, ParsedOp], None]
"""A function that reads a piece of an op's text."""
