"""An op while it is read: how its row is spelled, and what the text has said so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tileir.formats.ops.spec import Op as Spec
from tileir.ir import Value
from tileir.types import Type
from tileir.write.body import default_of

from .scope import BodyScope


@dataclass(frozen=True, slots=True)
class OpSyntax:
    """A row as it is read: worked out once, because rows are too large to be looked up by.

    steps     what reads all that follows the mnemonic; none for an op with syntax of its own
    operands  the operand slots of an op without operands
    implied   operands of which the format states no type -> the slot whose type they must have
    extents   whether sizes of the result's type are spelled out again
    """

    spec: Spec
    steps: tuple[Step, ...]
    operands: Mapping[str, tuple[Value, ...] | None]
    implied: tuple[tuple[str, str], ...]
    extents: bool


class ParsedOp:
    """An op that is being read: what the text says so far, by slot, and where it says it.

    `names` is how many results have names. `stated` has types and their positions, `places` the
    positions of values and attributes.
    """

    __slots__ = ("at", "attributes", "names", "operands", "places", "spec", "stated", "syntax")

    def __init__(self, syntax: OpSyntax, at: int, names: int) -> None:
        self.syntax = syntax
        self.spec = syntax.spec
        self.at = at
        self.names = names
        self.operands: dict[str, Value | tuple[Value, ...] | None] = dict(syntax.operands)
        self.attributes: dict[str, object] = {}
        self.stated: dict[str, list[tuple[Type | None, int]]] = {}
        self.places: dict[str, list[int]] = {}

    def fill(self) -> None:
        """Give attributes that the text left out what that means."""
        for slot in self.spec.attributes:
            if slot.name not in self.attributes:
                self.attributes[slot.name] = default_of(slot, self.operands)


Step = Callable[[BodyScope, ParsedOp], None]
"""Reads a piece of an op's text."""
