"""The reader of expressions and of the other attributes in public preview.

Expressions have a full text, ``#cuda_tile<preview$expr_var<"N">>``, and in some places a short one,
``N * 2``. In short texts a name with a dot is that of a value which the compiler knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tileir.attributes import EnumAttribute
from tileir.builder.type_spelling import SCALARS
from tileir.expressions import (
    BINARY,
    EXPRESSIONS,
    SIGNS,
    ConcreteType,
    ConstParam,
    ExprBuiltin,
    ExprConstStr,
    Expression,
    ExprInt,
    ExprNeg,
    ExprVar,
    Layout,
    ScratchRequest,
    SymbolicTuple,
    height,
)
from tileir.formats.enums import ACCESS, MEMORY_SPACE, SYNCHRONIZATION
from tileir.formats.limits import Limits
from tileir.formats.ops.assembly import enum_word
from tileir.messages.wording import choice, did_you_mean
from tileir.text.assembler.lexer import INTEGER, WORD, Reader, phrase, shown, token

SIGN = token(r"/\+|[-+*/]")
NUMBER = token(r"-?[0-9]++")
NAME = token(r"[A-Za-z_][\w.]*+")
OPENED = "#cuda_tile<preview$"
DEEPEST = 200
"""The most levels of texts inside others; parentheses, which need not nest attributes, included."""

LOW, BEYOND = -(1 << 63), 1 << 63

BY_SIGN = {sign: (kind, strength) for kind, (sign, strength) in SIGNS.items()}
BY_WORD = {word: kind for kind, word in BINARY.items()}
ENUMS = {enum_word(enum.name): enum for enum in (ACCESS, MEMORY_SPACE, SYNCHRONIZATION)}


class Types(Protocol):
    """A reader of types."""

    def read(self) -> Any:
        """Read a type; None is one that was wrong and has been reported."""
        ...


class ExpressionReader:
    """Reads attributes in public preview at the reader's position; `index` is the type index.

    What is nested too deep for a file is refused by the methods that nothing here calls.
    """

    def __init__(self, reader: Reader, types: Types, index: Any, limits: Limits) -> None:
        self.reader = reader
        self.types = types
        self.index = index
        self.limits = limits
        self._depth = 0

    # Full texts ---------------------------------------------------------------------------------

    def starts(self) -> bool:
        """Whether the full text of an attribute in public preview comes next."""
        return self.reader.text.startswith(OPENED, self.reader.at)

    def attribute(self, depth: int) -> Any:
        """Read the full text of an attribute inside of `depth` others."""
        return self._shallow(self.full, depth)

    def extent(self) -> Expression:
        """Read an expression of a type, by its full text or its short one."""
        return self._shallow(self.expression if self.starts() else self.short, 1)

    def _shallow(self, read: Callable[[], Any], depth: int) -> Any:
        """Return what is read, inside of `depth` attributes, unless that is too deep for a file."""
        at, most = self.reader.at, self.limits.attribute_depth
        value = read()
        if depth + height(value) - 1 > most:
            raise self.reader.refused(f"attributes nested more than {most} deep", at)
        return value

    def full(self) -> Any:
        """Read the full text of an attribute."""
        reader = self.reader
        reader.expect(phrase("#cuda_tile <"))
        at = reader.at
        word = reader.take(WORD, "an attribute").removeprefix("preview$")
        reader.expect(phrase("<"))
        with self._inside(at):
            value = self._body(word, at)
        reader.expect(phrase(">"))
        reader.expect(phrase(">"))
        return value

    @contextmanager
    def _inside(self, at: int) -> Iterator[None]:
        """Count a level more for what is read here, at a position."""
        if self._depth == DEEPEST:
            raise self.reader.refused(f"expressions nested more than {DEEPEST} deep", at)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _body(self, word: str, at: int) -> Any:
        reader = self.reader
        if word in BY_WORD:
            lhs = self.expression()
            reader.expect(phrase(","))
            return BY_WORD[word](lhs, self.expression())
        if word in ENUMS:
            name = reader.word(choice(ENUMS[word].by_name))
            if name not in ENUMS[word].by_name:
                raise reader.refused(f"there is no {word} '{shown(name)}'", at)
            return EnumAttribute(ENUMS[word].name, name)
        if word not in BODIES:
            meant = did_you_mean(word, (*BODIES, *BY_WORD, *ENUMS))
            raise reader.refused(f"there is no attribute 'preview${shown(word)}'{meant}", at)
        return BODIES[word](self)

    def expression(self) -> Expression:
        """Read the full text of an expression."""
        at = self.reader.at
        if not self.starts():
            raise self.reader.expected("an expression")
        value = self.full()
        if not isinstance(value, EXPRESSIONS):
            raise self.reader.refused("this is no expression", at)
        return value

    def _number(self) -> ExprInt:
        return ExprInt(self.reader.integer("a number", LOW, BEYOND))

    def _variable(self) -> ExprVar:
        return ExprVar(self.reader.string())

    def _builtin(self) -> ExprBuiltin:
        name = self.reader.string()
        self.reader.expect(phrase(","))
        return ExprBuiltin(name, self.types.read())

    def _tuple(self) -> SymbolicTuple:
        return SymbolicTuple(self._list("[", "]", self.expression))

    def _list(self, opening: str, closing: str, read: Callable[[], Any]) -> tuple[Any, ...]:
        values: list[Any] = []
        self.reader.expect(phrase(opening))
        while not self.reader.accept(phrase(closing)):
            if values:
                self.reader.expect(phrase(","))
            values.append(read())
        return tuple(values)

    def scratch(self) -> ScratchRequest:
        """Read ``smem.size = ..., smem.alignment = ...``."""
        self.reader.expect(phrase("smem.size ="))
        size = self.expression()
        self.reader.expect(phrase(", smem.alignment ="))
        return ScratchRequest(size, self.expression())

    def _const_param(self) -> ConstParam:
        self.reader.expect(phrase("name ="))
        name = self.reader.string()
        self.reader.expect(phrase(", type ="))
        return ConstParam(name, self.types.read())

    def layout_of_type(self) -> Layout:
        """Read the inside of the angle brackets of a layout in a type."""
        return self._shallow(self.layout, 0)

    def layout(self) -> Layout:
        """Read the inside of a layout's angle brackets: its short text or the full one."""
        reader, at = self.reader, self.reader.at
        if reader.accept(phrase("shapes =")):
            shape = self.expression()
            reader.expect(phrase(", strides ="))
            stride = self.expression()
            if isinstance(shape, SymbolicTuple) and isinstance(stride, SymbolicTuple):
                return Layout(shape.elements, stride.elements)
            raise reader.refused("the shapes and strides of a layout are tuples", at)
        shape = self._list("(", ")", self._mode)
        reader.expect(phrase(":"))
        return Layout(shape, self._list("(", ")", self._mode))

    # Short texts --------------------------------------------------------------------------------

    def _mode(self) -> Any:
        return self.short(tuples=True)

    def short(self, weakest: int = 1, tuples: bool = False) -> Any:
        """Read a short text, up to a sign that binds more weakly than `weakest`.

        With `tuples`, the whole may also be a tuple of such.
        """
        reader, at = self.reader, self.reader.at
        with self._inside(at):
            value = self._operand(tuples)
            while match := SIGN.match(reader.text, reader.at):
                kind, strength = BY_SIGN[match[1]]
                if strength < weakest:
                    break
                if isinstance(value, SymbolicTuple):
                    raise reader.refused("a tuple is no number")
                reader.at = match.end()
                value = kind(value, self.short(strength + 1))
        return value

    def _operand(self, tuples: bool) -> Any:
        reader, at = self.reader, self.reader.at
        if NUMBER.match(reader.text, at):
            return ExprInt(self._integer())
        if reader.accept(phrase("-")):
            with self._inside(at):
                return ExprNeg(self._operand(False))
        if reader.accept(phrase("(")):
            return self._parenthesised(tuples)
        name = reader.take(NAME, "a number, a name or '('")
        return ExprBuiltin(name, self.index) if "." in name else ExprVar(name)

    def _integer(self) -> int:
        reader, at = self.reader, self.reader.at
        digits = reader.take(NUMBER, "a number")
        if len(digits) > len(str(LOW)) or not LOW <= int(digits) < BEYOND:
            raise reader.refused(f"{shown(digits)} has more than 64 bits", at)
        return int(digits)

    def _parenthesised(self, tuples: bool) -> Any:
        reader = self.reader
        if tuples and reader.accept(phrase(")")):
            return SymbolicTuple(())
        first = self.short(tuples=tuples)
        if not tuples or reader.accept(phrase(")")):
            if not tuples:
                reader.expect(phrase(")"))
            return first
        elements = [first]
        while not reader.accept(phrase(")")):
            reader.expect(phrase(","))
            if not reader.sees(phrase(")")):
                elements.append(self.short(tuples=True))
        return SymbolicTuple(tuple(elements))

    def arguments(self) -> tuple[Expression, ...]:
        """Read constant arguments in brackets: ``[4, (3,), f32, "a"]``, or their full texts."""
        return self._list("[", "]", lambda: self._shallow(self._argument, 1))

    def _argument(self) -> Any:
        reader = self.reader
        if self.starts():
            return self.expression()
        char = reader.text[reader.at : reader.at + 1]
        if char == '"':
            return ExprConstStr(reader.string())
        if char == "(":
            return SymbolicTuple(self._arguments_of_tuple())
        if INTEGER.match(reader.text, reader.at):
            return ExprInt(self._integer())
        match = WORD.match(reader.text, reader.at)
        if match is not None and VARIABLE.fullmatch(match[1]) and match[1] not in TYPE_WORDS:
            return ExprVar(reader.word())
        return ConcreteType(self.types.read())

    def _arguments_of_tuple(self) -> tuple[Any, ...]:
        reader, elements = self.reader, []
        with self._inside(reader.at):
            reader.expect(phrase("("))
            while not reader.accept(phrase(")")):
                elements.append(self._argument())
                if not reader.accept(phrase(",")) and not reader.sees(phrase(")")):
                    raise reader.expected("','")
        return tuple(elements)


VARIABLE = re.compile(r"[A-Za-z_]\w*")
TYPE_WORDS = frozenset((*SCALARS, "index", "none", "token"))
"""Words that name types, where a parameter may be named, too."""

BODIES: dict[str, Callable[[ExpressionReader], Any]] = {
    "expr_int": ExpressionReader._number,
    "expr_var": ExpressionReader._variable,
    "expr_neg": lambda reader: ExprNeg(reader.expression()),
    "expr_builtin": ExpressionReader._builtin,
    "expr_const_str": lambda reader: ExprConstStr(reader.reader.string()),
    "concrete_type": lambda reader: ConcreteType(reader.types.read()),
    "symbolic_tuple": ExpressionReader._tuple,
    "layout": ExpressionReader.layout,
    "scratch_request": ExpressionReader.scratch,
    "const_param": ExpressionReader._const_param,
}
"""Word of an attribute -> the function that reads what is in its angle brackets."""
