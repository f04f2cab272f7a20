"""The reader of types, in their long (``!cuda_tile.tile<8xf32>``) or short form (``tile<8xf32>``).

A module has few different types, so each spelling is read once and then looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tileir.builder.type_spelling import SCALARS
from tileir.expressions import Expression, ExprInt, ExprVar
from tileir.formats.enums import MEMORY_SPACE, PADDING_VALUE, POINTER_ATTRIBUTE, Enum
from tileir.formats.limits import Limits
from tileir.formats.types import TYPE
from tileir.ir.dialect import TILE_IR, Dialect
from tileir.ir.type_rules import problem
from tileir.messages.wording import choice, did_you_mean
from tileir.text.assembler.diagnostics import Diagnostics, Refused
from tileir.text.assembler.lexer import ALIAS, SKIP, WORD, Reader, phrase, shown, token
from tileir.text.assembler.versions import Gate
from tileir.types import (
    Element,
    Fragment,
    GatherScatterView,
    ParameterType,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    SymbolicTile,
    SymbolicType,
    TensorView,
    Tile,
    Token,
    Type,
)

from .aliases import BROKEN, Aliases
from .expressions import ExpressionReader

Kind = TypeVar("Kind")


class Reported(Exception):
    """The type that is being read mentions an alias that was wrong and has been reported."""


NESTED = r"[^<>]*+"
for _ in range(5):
    NESTED = rf"[^<>]*+(?:<{NESTED}>[^<>]*+)*+"
SPELLING = re.compile(rf"(!?[A-Za-z_$][\w$.]*+(?:<{NESTED}>)?){SKIP}", re.ASCII)
"""A whole type, to be looked up; as deep as the deepest legal one."""

NAME = token(r"(?:!cuda_tile\.)?[A-Za-z_]\w*+")
EXTENT = re.compile(r"([0-9]++|\?)x", re.ASCII)
LIST_EXTENT = token(r"[0-9]++|\?")
LAST_EXTENT = re.compile(r"([0-9]++)(x?)", re.ASCII)

QUALIFIED = "!cuda_tile<"
PREVIEW = "preview$"
BRACKET_X = re.compile(r"\]x", re.ASCII)

LARGEST = 1 << 63
"""The exclusive upper bound of extents and strides."""


class TypeReader:
    """Reads types; None is a type that was wrong and has been reported."""

    def __init__(
        self,
        reader: Reader,
        report: Diagnostics,
        aliases: Aliases,
        gate: Gate,
        limits: Limits,
        dialect: Dialect,
        forms: Mapping[str, Form],
        definitions: Mapping[str, Definition],
    ) -> None:
        self.dialect = dialect
        self.forms = forms
        self.definitions = definitions
        self.reader = reader
        self.report = report
        self.aliases = aliases
        self.gate = gate
        self.limits = limits
        self.expressions = ExpressionReader(reader, self, ParameterType("index"), limits)
        self._known: dict[str, Type | None] = {}

    def read(self) -> Type | None:
        """Read a type."""
        reader = self.reader
        match = SPELLING.match(reader.text, reader.at)
        if match is not None and match[1] in self._known:
            reader.at = match.end()
            return self._known[match[1]]
        start = reader.at
        try:
            type = self._checked(self._new(), start)
        except Reported:
            if match is None:
                raise reader.refused("this is no type", start) from None
            type, reader.at = None, match.end()
        if match is not None and match.end() == reader.at:
            self._known[match[1]] = type
        return type

    def _new(self) -> Type | None:
        match = self._alias()
        if match is None:
            return self._type(0)
        self.reader.at = match.end()
        return self.aliases.type(match[1], match.start())

    def _alias(self) -> re.Match[str] | None:
        """Return the match of an alias of a type, if one comes next."""
        if self.reader.text.startswith(QUALIFIED, self.reader.at):
            return None
        match = ALIAS.match(self.reader.text, self.reader.at)
        return match if match is not None and match[1][0] == "!" else None

    def _checked(self, type: Type | None, start: int) -> Type | None:
        """Return the type; None, and report, if it breaks a rule or needs a newer version."""
        wrong = None if type is None else self._problem(type)
        if wrong:
            match = SPELLING.match(self.reader.text, start)
            length = len(match[1]) if match else 1
            self.report.add(wrong, start, length)
            return None
        if type is not None and not self.gate.type(type, start) and not isinstance(type, Scalar):
            return None
        return type

    def _problem(self, type: Type) -> str:
        """Return the rule that a type breaks; "" if it is legal."""
        if self.dialect is not TILE_IR:
            return self.dialect.type_problem(type)
        wrong = problem(type)
        return f"{type}: {wrong[0]}: {wrong[1]}" if wrong else ""

    def read_list(self) -> list[tuple[Type | None, int]]:
        """Read types separated by commas, and return each with its position."""
        types, comma = [], phrase(",")
        while not types or self.reader.accept(comma):
            at = self.reader.at
            types.append((self.read(), at))
        return types

    def scalar(self) -> Scalar:
        """Read a scalar element type."""
        at = self.reader.at
        type = self.read()
        if not isinstance(type, Scalar):
            raise self.reader.refused(f"expected an element type, found {type}", at)
        return type

    # Grammar ------------------------------------------------------------------------------------

    def _type(self, depth: int) -> Type:
        reader, at = self.reader, self.reader.at
        if reader.text.startswith((QUALIFIED, PREVIEW), at):
            return self._preview(depth)
        name = reader.take(NAME, "a type").removeprefix("!cuda_tile.")
        if name in ("index", "none"):
            return ParameterType(name)
        if name in SCALARS:
            return Scalar(name)
        if name == "token":
            return Token()
        if name not in self.forms:
            meant = did_you_mean(name, (*SCALARS, *self.forms, "token"), 0.6)
            raise reader.refused(f"there is no type '{shown(name)}'{meant}", at)
        if depth > self.limits.type_depth:
            raise reader.refused(f"types nested more than {self.limits.type_depth} deep", at)
        reader.expect(phrase("<"))
        type = self.forms[name](self, depth + 1)
        reader.expect(phrase(">"))
        return type

    def defined(self, word: str, what: str) -> Any:
        """Read what an alias stands for, or may: the alias, or the definition with that word.

        `what` describes it in messages. Reported if the alias was wrong.
        """
        reader, at = self.reader, self.reader.at
        match = ALIAS.match(reader.text, at)
        if match is None or match[1][0] != "#":
            if not reader.accept(phrase(word)):
                raise reader.expected(f"{what}, or its name")
            return self.definitions[word](self)
        reader.at = match.end()
        value = self.aliases.value(match[1], at)
        if value is BROKEN:
            raise Reported
        if not isinstance(value, Defined) or value.word != word:
            raise reader.refused(f"{match[1]} is not {what}", at)
        return value.value

    def inner(self, depth: int, *kinds: type[Kind]) -> Kind:
        """Read a type inside a type, of one of some kinds."""
        at = self.reader.at
        match = self._alias()
        if match is not None:
            self.reader.at = match.end()
            type = self.aliases.type(match[1], at)
            if type is None:
                raise self.reader.refused(f"{match[1]} is no type", at)
        else:
            type = self._type(depth)
        if not isinstance(type, kinds):
            wanted = choice((KINDS[kind] for kind in kinds), quoted=False)
            raise self.reader.refused(f"expected {wanted}, found {type}", at)
        return type

    def _pointer(self, depth: int) -> Pointer:
        pointee, attribute = self.inner(depth, Scalar), None
        if self.reader.accept(phrase(",")):
            attribute = self._pointer_attribute()
        return Pointer(pointee, attribute)

    def _pointer_attribute(self) -> str:
        self.reader.accept(phrase("#cuda_tile.ptr_attr"))
        self.reader.expect(phrase("<"))
        name = case_of(self.reader, POINTER_ATTRIBUTE)
        self.reader.expect(phrase(">"))
        return name

    def extents(self) -> list[int | None]:
        """Read extents, each with an x after it."""
        reader, extents = self.reader, []
        while match := EXTENT.match(reader.text, reader.at):
            extents.append(None if match[1] == "?" else self._extent(match[1]))
            reader.at = match.end()
        return extents

    def _extent(self, digits: str) -> int:
        if len(digits) > len(str(LARGEST)) or int(digits) >= LARGEST:
            text = f"{shown(digits)} is not an extent from 0 to {LARGEST - 1}"
            raise Refused(text, self.reader.at, len(digits))
        return int(digits)

    def _element(self, depth: int) -> Element:
        return self.inner(depth, Scalar, Pointer)

    def _tile(self, depth: int) -> Tile | SymbolicTile:
        at, extents = self.reader.at, self.extents()
        shape = tuple(size for size in extents if size is not None)
        if len(shape) < len(extents):
            raise self.reader.refused("the shape of a tile is static", at)
        more = self._symbolic_extents()
        element = self._any_element(depth)
        if more or isinstance(element, SymbolicType):
            return SymbolicTile(element, (*map(ExprInt, shape), *more))
        return Tile(element, shape)

    def _any_element(self, depth: int) -> Element | SymbolicType:
        """Read an element type, which in public preview may be that of a parameter."""
        if self.reader.text.startswith((QUALIFIED, PREVIEW), self.reader.at):
            return self.inner(depth, SymbolicType)
        return self._element(depth)

    # Public preview -----------------------------------------------------------------------------

    def _symbolic_extents(self) -> list[Expression]:
        """Read extents from the first on that is an expression in brackets."""
        reader, extents = self.reader, []
        while reader.text.startswith("[", reader.at):
            reader.expect(phrase("["))
            extents.append(self.expressions.extent())
            match = BRACKET_X.match(reader.text, reader.at)
            if match is None:
                raise reader.expected("']x'")
            reader.at = match.end()
            extents += [ExprInt(size) for size in self.extents() if size is not None]
        return extents

    def _preview(self, depth: int) -> Type:
        """Read a type in public preview: ``!cuda_tile<preview$shape>`` or ``preview$shape``."""
        reader, at = self.reader, self.reader.at
        qualified = reader.accept(phrase("!cuda_tile <"))
        name = reader.take(WORD, "a type")
        if depth > self.limits.type_depth:
            raise reader.refused(f"types nested more than {self.limits.type_depth} deep", at)
        if name == "preview$sym_t":
            reader.expect(phrase("<"))
            type: Type = SymbolicType(ExprVar(reader.word("a name")))
            reader.expect(phrase(">"))
        elif name == "preview$fragment":
            type = self._fragment(depth)
        elif name in TYPE.by_name and TYPE.by_name[name].since.preview:
            type = ParameterType(name)
        else:
            raise reader.refused(f"there is no type '{shown(name)}'", at)
        if qualified:
            reader.expect(phrase(">"))
        return type

    def _fragment(self, depth: int) -> Fragment:
        """``<8xf32, local, mem_layout = <(8):(1)>, fragmap = <...>, alignment = 4>``"""
        reader = self.reader
        reader.expect(phrase("<"))
        extents = [ExprInt(size) for size in self.extents() if size is not None]
        extents += self._symbolic_extents()
        element = self._any_element(depth + 1)
        reader.expect(phrase(","))
        space = case_of(reader, MEMORY_SPACE)
        reader.expect(phrase(", mem_layout = <"))
        memory = self.expressions.layout_of_type()
        reader.expect(phrase(">, fragmap = <"))
        fragmap = self.expressions.layout_of_type()
        reader.expect(phrase(">"))
        alignment: Expression = ExprInt(1)
        if reader.accept(phrase(", alignment =")):
            alignment = self.expressions.extent()
        reader.expect(phrase(">"))
        return Fragment(element, tuple(extents), space, memory, fragmap, alignment)

    # Views --------------------------------------------------------------------------------------

    def _tensor_view(self, depth: int) -> TensorView:
        reader, comma = self.reader, phrase(",")
        shape, strides, attribute = self.extents(), [], None
        element = self._element(depth)
        if shape:
            reader.expect(phrase(", strides = ["))
            while not reader.accept(phrase("]")):
                if strides:
                    reader.expect(comma)
                literal = reader.take(LIST_EXTENT, "a stride or '?'")
                strides.append(None if literal == "?" else self._extent(literal))
        if reader.accept(comma):
            attribute = self._pointer_attribute()
        return TensorView(element, tuple(shape), tuple(strides), attribute)

    def _tile_shape(self) -> tuple[int, ...]:
        """``tile=(16x32)``"""
        reader, shape = self.reader, []
        reader.expect(phrase("tile = ("))
        while match := LAST_EXTENT.match(reader.text, reader.at):
            shape.append(self._extent(match[1]))
            reader.at = match.end()
            if not match[2]:
                break
        reader.skip()
        reader.expect(phrase("),"))
        return tuple(shape)

    def _padding(self) -> str | None:
        if not self.reader.accept(phrase("padding_value =")):
            return None
        name = case_of(self.reader, PADDING_VALUE)
        self.reader.expect(phrase(","))
        return name

    def _dim_map(self, rank: int) -> tuple[int, ...]:
        if not self.reader.accept(phrase(", dim_map = [")):
            return tuple(range(rank))
        return self.reader.integers("a dimension", -(1 << 31), 1 << 31)

    def _partition_view(self, depth: int) -> PartitionView:
        tile, padding = self._tile_shape(), self._padding()
        view = self.inner(depth, TensorView)
        return PartitionView(tile, view, self._dim_map(len(tile)), padding)

    def _strided_view(self, depth: int) -> StridedView:
        tile = self._tile_shape()
        self.reader.expect(phrase("traversal_strides = ["))
        strides = self.reader.integers("a stride", -(1 << 31), 1 << 31)
        self.reader.expect(phrase(","))
        padding = self._padding()
        view = self.inner(depth, TensorView)
        return StridedView(tile, strides, view, self._dim_map(len(tile)), padding)

    def _gather_scatter_view(self, depth: int) -> GatherScatterView:
        tile, padding = self._tile_shape(), self._padding()
        view = self.inner(depth, TensorView)
        self.reader.expect(phrase(", sparse_dim ="))
        return GatherScatterView(
            tile, view, self.reader.integer("a dimension", 0, 1 << 31), padding
        )


Form = Callable[[TypeReader, int], Type]
"""Reads the contents of a type's angle brackets; the number is how deep types are nested."""

Definition = Callable[[TypeReader], Any]
"""Reads what follows the word of a definition."""


@dataclass(frozen=True, slots=True)
class Defined:
    """What an alias of a dialect's own stands for: the word of its definition, and the value."""

    word: str
    value: Any


FORMS: Mapping[str, Form] = {
    "gather_scatter_view": TypeReader._gather_scatter_view,
    "partition_view": TypeReader._partition_view,
    "ptr": TypeReader._pointer,
    "strided_view": TypeReader._strided_view,
    "tensor_view": TypeReader._tensor_view,
    "tile": TypeReader._tile,
}
"""Name of a type -> the function that reads the contents of its angle brackets."""

KNOWN = (*SCALARS, *FORMS, "token")
"""The first words of Tile IR's types."""

KINDS = {
    SymbolicType: "the type of a parameter",
    Scalar: "an element type",
    Pointer: "a pointer",
    TensorView: "a tensor view",
}


def case_of(reader: Reader, enum: Enum, allowed: tuple[str, ...] = ()) -> str:
    """Read the name of a case of an enum."""
    at = reader.at
    cases = allowed or tuple(enum.by_name)
    name = reader.word(choice(cases))
    if name not in cases:
        text = f"expected {choice(cases)}, found '{shown(name)}'{did_you_mean(name, cases)}"
        raise Refused(text, at, len(name))
    return name
