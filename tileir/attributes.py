"""Decoded attributes of the kinds that carry a tag: numbers, strings, lists, assumptions."""

from __future__ import annotations

from dataclasses import dataclass

from .expressions import (
    PREVIEW_ATTRIBUTES,
    ConstParam,
    Expression,
    Layout,
    ScratchRequest,
    full,
)
from .ir import floats
from .ir.constants import Constant
from .types import Scalar, Type


@dataclass(frozen=True, slots=True)
class IntegerAttribute:
    """An integer of type `type`; `bits` is its pattern, `value` the signed number (i1: 0 or 1)."""

    type: Scalar
    bits: int

    @property
    def value(self) -> int:
        width = self.type.bits
        return self.bits - (1 << width) if width > 1 and self.bits >> (width - 1) else self.bits

    def __str__(self) -> str:
        return f"{self.value} : {self.type}"


@dataclass(frozen=True, slots=True)
class FloatAttribute:
    """A floating-point number of type `type`, given by its bit pattern."""

    type: Scalar
    bits: int

    @property
    def value(self) -> float | None:
        """The number; None for a format whose encoding is not published."""
        return floats.value_of(self.type.name, self.bits)

    def __str__(self) -> str:
        return f"{floats.spell(self.type.name, self.bits, self.type.bits)} : {self.type}"


@dataclass(frozen=True, slots=True)
class TypeAttribute:
    """A type as a value."""

    type: Type

    def __str__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, slots=True)
class DenseElements:
    """The numbers of a whole tile."""

    constant: Constant

    def __str__(self) -> str:
        return str(self.constant)


@dataclass(frozen=True, slots=True)
class DivBy:
    """Assumption: each element is a multiple of `divisor`.

    With `every`, it holds only for the first of each group of `every` elements along dimension
    `along`.
    """

    divisor: int
    every: int | None = None
    along: int | None = None

    def __str__(self) -> str:
        if self.every is None and self.along is None:
            return f"div_by<{self.divisor}>"
        return f"div_by<{self.divisor}, every {self.every} along {self.along}>"


@dataclass(frozen=True, slots=True)
class SameElements:
    """Assumption: the elements of each group are equal; `groups` is a group's shape."""

    groups: tuple[int, ...]

    def __str__(self) -> str:
        return f"same_elements<[{', '.join(map(str, self.groups))}]>"


@dataclass(frozen=True, slots=True)
class Bounded:
    """Assumption: each element lies between signed, inclusive bounds; None means no bound."""

    lower: int | None
    upper: int | None

    def __str__(self) -> str:
        bounds = ("?" if bound is None else str(bound) for bound in (self.lower, self.upper))
        return f"bounded<{', '.join(bounds)}>"


@dataclass(frozen=True, slots=True)
class Hints:
    """Optimisation hints: architecture (or "default") -> hint name -> value."""

    entries: dict[str, object]

    def __str__(self) -> str:
        return _dictionary(self.entries)


@dataclass(frozen=True, slots=True)
class EnumAttribute:
    """A case of an enum, in a slot that takes any attribute."""

    enum: str
    name: str

    def __str__(self) -> str:
        return self.name


Attribute = (
    IntegerAttribute
    | FloatAttribute
    | TypeAttribute
    | DenseElements
    | DivBy
    | SameElements
    | Bounded
    | Hints
    | EnumAttribute
    | Expression
    | Layout
    | ScratchRequest
    | ConstParam
    | bool
    | str
    | tuple
    | dict
)


def spell(attribute: object) -> str:
    """Return an attribute as the textual form of Tile IR spells it."""
    if isinstance(attribute, bool):
        return "true" if attribute else "false"
    if isinstance(attribute, str):
        return f'"{attribute}"'
    if isinstance(attribute, dict):
        return _dictionary(attribute)
    if isinstance(attribute, PREVIEW_ATTRIBUTES):
        return full(attribute)
    if isinstance(attribute, tuple):
        return f"[{', '.join(map(spell, attribute))}]"
    return str(attribute)


def _dictionary(entries: dict[str, object]) -> str:
    inner = ", ".join(f"{key} = {spell(value)}" for key, value in entries.items())
    return f"{{{inner}}}"
