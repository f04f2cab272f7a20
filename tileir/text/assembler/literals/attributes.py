"""The reader of attributes.

Attributes that bytecode can hold become those of `tileir.attributes`; of other dialects' attributes
the text is kept, because the outer module may have them.
"""

from __future__ import annotations

import re

from tileir.attributes import (
    Bounded,
    DenseElements,
    DivBy,
    EnumAttribute,
    FloatAttribute,
    Hints,
    IntegerAttribute,
    SameElements,
    TypeAttribute,
)
from tileir.expressions import PREVIEW_ATTRIBUTES
from tileir.formats.enums import ENUMS, ROUNDING_MODE
from tileir.formats.limits import MAX_REPEATED_ATTRIBUTES, Limits
from tileir.formats.ops.assembly import enum_word
from tileir.ir.locations import Location
from tileir.messages.wording import choice, did_you_mean
from tileir.text.assembler.diagnostics import Refused
from tileir.text.assembler.lexer import (
    ALIAS,
    INTEGER,
    LITERAL,
    RAW_KEY,
    SYMBOL,
    WORD,
    Reader,
    phrase,
    shown,
    token,
)
from tileir.types import Scalar, Tile, Type

from .aliases import BROKEN, Aliases
from .dense import constant_of, read_elements
from .extents import DenseArray, Extents, Opaque
from .locations import FilePosition
from .numbers import BadNumber, bits_of
from .types import KNOWN, TypeReader, case_of

FLOAT = re.compile(r"-?[0-9]+(?:\.|[eE])")
PREDICATES = ("bounded", "div_by", "same_elements")
QUALIFIED = token(r"#cuda_tile\.[A-Za-z_]\w*+")
FOREIGN = re.compile(r"[#!]?[A-Za-z_$][\w$.-]*+", re.ASCII)
ENUM_NAMES = {enum_word(enum.name): enum for enum in ENUMS} | {"rounding": ROUNDING_MODE}
"""Name of an enum in a generic attribute -> the enum."""


class AttributeReader:
    """Reads attributes at the reader's position."""

    def __init__(self, reader: Reader, aliases: Aliases, types: TypeReader, limits: Limits) -> None:
        self.reader = reader
        self.aliases = aliases
        self.types = types
        self.limits = limits
        self._extents = Extents()
        self._repeated = 0
        self._broken = 0

    def aliased(self) -> object:
        """Read the definition of an alias; `BROKEN` if it refers to one that is broken."""
        before = self._broken
        value = self.read()
        if self._broken > before:
            return BROKEN
        self._extents.of(value)
        return value

    def read(self, depth: int = 0, plain: str = "i64", raw: bool = False) -> object:
        """Read any attribute; an integer without a type is a `plain`, or an i64 if too large.

        The keys of a dictionary may be `raw`, as those of hints are.
        """
        reader, at = self.reader, self.reader.at
        if depth > self.limits.attribute_depth:
            most = self.limits.attribute_depth
            raise reader.refused(f"attributes nested more than {most} deep")
        char = reader.text[at : at + 1]
        if char == "[":
            return self._array(depth, plain)
        if char == "{":
            return self.dictionary(depth, plain, raw=raw)
        if char == '"':
            return self._string()
        if LITERAL.match(reader.text, at):
            return self.number(plain)
        if char == "@":
            symbol = reader.take(SYMBOL, "a symbol")
            while reader.accept(phrase("::")):
                symbol += "::" + reader.take(SYMBOL, "a symbol")
            return Opaque(symbol)
        if char == "#":
            return self._hash(depth, plain)
        return self._word()

    def _array(self, depth: int, plain: str) -> tuple:
        values: list[object] = []
        self.reader.expect(phrase("["))
        while not self.reader.accept(phrase("]")):
            if values:
                self.reader.expect(phrase(","))
            values.append(self.read(depth + 1, plain))
        return tuple(values)

    def dictionary(
        self,
        depth: int = 0,
        plain: str = "i64",
        positions: dict[str, int] | None = None,
        raw: bool = False,
    ) -> dict[str, object]:
        """Read ``{a = 1, b}``; a name alone is a unit attribute, true.

        `positions` is filled with those of the names, which may be `raw`, without quotes.
        """
        entries: dict[str, object] = {}
        self.reader.expect(phrase("{"))
        while not self.reader.accept(phrase("}")):
            if entries:
                self.reader.expect(phrase(","))
            at = self.reader.at
            key = self._key(entries, raw)
            if positions is not None:
                positions.setdefault(key, at)
            named = self.reader.accept(phrase("="))
            entries[key] = self.read(depth + 1, plain) if named else True
        return entries

    def _key(self, entries: dict[str, object], raw: bool) -> str:
        reader, at = self.reader, self.reader.at
        if raw and RAW_KEY.match(reader.text, at):
            key = reader.take(RAW_KEY, "a name")
        else:
            key = reader.string() if reader.text.startswith('"', at) else reader.word("a name")
        if not key or key in entries:
            raise reader.refused(f"{shown(key)} is there twice" if key else "an empty name", at)
        return key

    def _string(self) -> object:
        text = self.reader.string()
        if self.reader.accept(phrase(":")):
            self._any_type()
        return text

    def number(self, plain: str = "i64") -> object:
        """Read a number with or without a type, ``true`` or ``false``."""
        reader, at = self.reader, self.reader.at
        literal = reader.literal()
        if literal in ("true", "false"):
            return literal == "true"
        if reader.accept(phrase(":")):
            at_type = reader.at
            type = self._any_type()
            if isinstance(type, Opaque):
                return Opaque(f"{literal} : {type.text}")
            if not isinstance(type, Scalar):
                raise reader.refused(f"{type} is no type of a number", at_type)
        elif FLOAT.match(literal):
            type = Scalar("f64")
        else:
            type = Scalar(plain)
            if plain == "i32" and not self._fits(type, literal):
                type = Scalar("i64")
        try:
            bits = bits_of(type, literal)
        except BadNumber as wrong:
            raise Refused(str(wrong), at, len(literal)) from None
        return (IntegerAttribute if type.is_integer else FloatAttribute)(type, bits)

    @staticmethod
    def _fits(type: Scalar, literal: str) -> bool:
        try:
            bits_of(type, literal)
        except BadNumber:
            return False
        return True

    def _any_type(self) -> Type | Opaque | None:
        """Read a type of this dialect, or the text of another dialect's type."""
        reader, at = self.reader, self.reader.at
        match = FOREIGN.match(reader.text, at)
        name = match[0] if match else ""
        known = name.startswith("!cuda_tile.") or ALIAS.match(reader.text, at)
        known = known or (name in ("index", "none") and self.types.gate.version.preview)
        if known or name in OWN_TYPES or not match:
            return self.types.read()
        return Opaque(self._foreign())

    def _foreign(self) -> str:
        """Read a word and the angle brackets behind it, and return that text."""
        reader, at = self.reader, self.reader.at
        match = FOREIGN.match(reader.text, at)
        if match is None:
            raise reader.expected("an attribute")
        reader.at = match.end()
        if reader.text[reader.at : reader.at + 1] == "<":
            reader.balanced()
            return reader.text[at : reader.at].strip()
        reader.skip()
        return match[0]

    def _hash(self, depth: int, plain: str) -> object:
        reader, at = self.reader, self.reader.at
        if self.types.expressions.starts():
            return self.types.expressions.attribute(depth)
        match = ALIAS.match(reader.text, at)
        if match is not None:
            reader.at = match.end()
            value = self.aliases.value(match[1], at)
            if value is BROKEN:
                self._broken += 1
            else:
                self._check_extent(match[1], value, at, depth)
            return value
        match = QUALIFIED.match(reader.text, at)
        name = match[1].removeprefix("#cuda_tile.") if match else ""
        if match and name in PREDICATES:
            reader.at = match.end()
            return self._predicate(name)
        if match and name == "optimization_hints":
            reader.at = match.end()
            return self.hints(depth)
        if match and name in ENUM_NAMES:
            reader.at = match.end()
            reader.expect(phrase("<"))
            case = case_of(reader, ENUM_NAMES[name])
            reader.expect(phrase(">"))
            return EnumAttribute(ENUM_NAMES[name].name, case)
        return Opaque(self._foreign())

    def _check_extent(self, name: str, value: object, at: int, depth: int) -> None:
        """Refuse an alias that makes an attribute too deep, or all attributes too large."""
        if value is None or isinstance(value, FilePosition | Location):
            raise self.reader.refused(f"{name} is a location, which is no attribute", at)
        height, size = self._extents.of(value)
        most = self.limits.attribute_depth
        if depth + height > most:
            raise self.reader.refused(f"attributes nested more than {most} deep", at)
        if self._repeated + size - 1 > MAX_REPEATED_ATTRIBUTES:
            most = MAX_REPEATED_ATTRIBUTES
            raise self.reader.refused(f"aliases spelled out are more than {most} attributes", at)
        self._repeated += size - 1

    def _word(self) -> object:
        reader, at = self.reader, self.reader.at
        if reader.accept(phrase("unit")):
            return True
        if reader.sees(phrase("loc")):
            raise reader.refused("a location is no attribute")
        if reader.accept(phrase("dense")):
            return self._dense(at)
        if reader.accept(phrase("array<")):
            return self._dense_array(at)
        type = self._any_type()
        if type is None:
            return BROKEN
        return type if isinstance(type, Opaque) else TypeAttribute(type)

    def _dense_array(self, at: int) -> DenseArray:
        """Read an array, after ``array<``: a type, and numbers of it."""
        reader, type, numbers = self.reader, self.types.scalar(), []
        if reader.accept(phrase(":")):
            while not numbers or reader.accept(phrase(",")):
                numbers.append(self._typed(type))
        end = reader.at
        reader.expect(phrase(">"))
        return DenseArray(tuple(numbers), reader.text[at:end] + ">")

    def _typed(self, type: Scalar) -> object:
        """Read a number of a known type."""
        at = self.reader.at
        literal = self.reader.literal()
        try:
            bits = bits_of(type, literal)
        except BadNumber as wrong:
            raise Refused(str(wrong), at, len(literal)) from None
        return (IntegerAttribute if type.is_integer else FloatAttribute)(type, bits)

    def _dense(self, at: int) -> object:
        """Read ``<[1, 2]> : !cuda_tile.tile<2xi32>``; its type is needed to read the elements."""
        reader, start = self.reader, self.reader.at
        elements = reader.balanced()
        reader.expect(phrase(":"))
        at_type = reader.at
        type = self._any_type()
        if isinstance(type, Opaque) or type is None:
            return Opaque(f"dense{elements} : {type.text if type else ''}")
        if not isinstance(type, Tile) or not isinstance(type.element, Scalar):
            raise reader.refused(f"expected a tile of numbers, found {type}", at_type)
        end, reader.at = reader.at, start
        reader.expect(phrase("<"))
        numbers = read_elements(reader, type.element)
        reader.expect(phrase(">"))
        reader.at = end
        return DenseElements(constant_of(reader, numbers, type))

    # Attributes of this dialect -----------------------------------------------------------------

    def predicate(self) -> object:
        """Read the predicate of an assume: ``div_by<16>``, or as an alias."""
        reader, at = self.reader, self.reader.at
        if reader.text.startswith("#", at):
            value = self.read()
            if not isinstance(value, DivBy | SameElements | Bounded) and value is not BROKEN:
                raise reader.refused(f"expected {choice(PREDICATES)}", at)
            return value
        match = WORD.match(reader.text, at)
        if match is None or match[1] not in PREDICATES:
            wrong = reader.expected(choice(PREDICATES))
            wrong.message += did_you_mean(match[1], PREDICATES) if match else ""
            raise wrong
        reader.at = match.end()
        return self._predicate(match[1])

    def _predicate(self, name: str) -> object:
        reader = self.reader
        reader.expect(phrase("<"))
        if name == "bounded":
            lower = self._bound()
            reader.expect(phrase(","))
            predicate: object = Bounded(lower, self._bound())
        elif name == "same_elements":
            reader.expect(phrase("["))
            predicate = SameElements(reader.integers("a group", -(1 << 63), 1 << 63))
        else:
            divisor, every, along = reader.integer("a divisor", 0, 1 << 64), None, None
            if reader.accept(phrase(",")):
                reader.expect(phrase("every"))
                every = reader.integer("a distance", -(1 << 63), 1 << 63)
                reader.expect(phrase("along"))
                along = reader.integer("a dimension", -(1 << 63), 1 << 63)
            predicate = DivBy(divisor, every, along)
        reader.expect(phrase(">"))
        return predicate

    def _bound(self) -> int | None:
        """Read a bound; None for ``?`` or nothing."""
        reader = self.reader
        if reader.accept(phrase("?")) or not INTEGER.match(reader.text, reader.at):
            return None
        return reader.integer("a bound", -(1 << 63), 1 << 63)

    def hints(self, depth: int = 0) -> Hints:
        """Read ``<sm_90 = {occupancy = 2}>``; integers are i32, as cuTile writes them."""
        reader, entries = self.reader, {}
        reader.expect(phrase("<"))
        while not reader.accept(phrase(">")):
            if entries:
                reader.expect(phrase(","))
            key = self._key(entries, raw=True)
            reader.expect(phrase("="))
            at = reader.at
            entries[key] = self.read(depth + 1, "i32", raw=True)
            if not isinstance(entries[key], dict) and entries[key] is not BROKEN:
                raise reader.refused("expected hints such as {latency = 3}", at)
            self.check_writable(entries[key], at)
        return Hints(entries)

    def check_writable(self, value: object, at: int) -> None:
        """Refuse an attribute that bytecode cannot hold."""
        stack = [value]
        while stack:
            current = stack.pop()
            if isinstance(current, dict):
                stack += current.values()
            elif isinstance(current, tuple) and not isinstance(current, Opaque | DenseArray):
                stack += current
            elif not isinstance(current, WRITABLE) and current is not BROKEN:
                text = getattr(current, "text", str(current))
                raise self.reader.refused(f"bytecode cannot hold the attribute {shown(text)}", at)


WRITABLE = (
    bool,
    str,
    IntegerAttribute,
    FloatAttribute,
    TypeAttribute,
    DivBy,
    SameElements,
    Bounded,
    DenseElements,
    EnumAttribute,
    Hints,
    *PREVIEW_ATTRIBUTES,
)
OWN_TYPES = frozenset(KNOWN)
"""The first words of this dialect's types."""
