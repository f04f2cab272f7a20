"""Where names stand in a text, and what they mean there: the assembler says so while it reads.

A text with errors has the names of all ops that could be read. Values have scopes; symbols and
aliases mean the same in all of a text, so they are found as words.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from itertools import pairwise

from tileir.formats.limits import DEFAULT
from tileir.formats.ops.spec import Region as Row
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import LATEST, PREVIEW
from tileir.ir import Block, Op, Value
from tileir.text.assembler.assembly import PREVIEW_WORD
from tileir.text.assembler.body import BodyReader, UnclosedBlock
from tileir.text.assembler.diagnostics import Stop
from tileir.text.assembler.grammar import Grammar
from tileir.text.assembler.lexer import VALUE
from tileir.text.assembler.module import ModuleReader
from tileir.text.assembler.scope import UNKNOWN
from tileir.text.assembler.source import Source
from tileir.text.assembler.structured import TILE_IR_GRAMMAR
from tileir.types import Type

_WORDS = re.compile(
    r'//[^\n]*+|(?P<symbol>@(?:[A-Za-z_][\w$.-]*+|"(?:[^"\\\n]++|\\.)*+"))|"(?:[^"\\\n]++|\\.)*+"?'
    r"|(?P<alias>(?<![\w$.])[#!](?:[0-9]++|[A-Za-z_$-][\w$-]*+)(?![.\w]))",
    re.ASCII,
)
_DEFINES_SYMBOL = re.compile(
    r"(?:\b(?:entry|preview\$func|preview\$extern_impl)\s+(?:extern\s+)?"
    r"|\bglobal\s+(?:(?:private|public|constant)\s+)*)\Z"
)
_LONGEST_HEAD = 60
"""Characters before a symbol that may say that it is defined here."""
_IS_DEFINED = re.compile(r"[ \t]*=")
_ITEM = re.compile(r"(entry|global|preview\$func|preview\$extern_impl)\b")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the text: a value, symbol or alias, as it is written.

    start, end  its offsets
    definition  the offset at which what it names is defined; None if that is unknown
    type        of a value, if it is known
    """

    text: str
    start: int
    end: int
    definition: int | None
    type: Type | None = None


@dataclass(slots=True)
class Statement:
    """An op that is read: where its mnemonic starts, and its regions as offsets of their braces."""

    name: str
    start: int
    end: int
    regions: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Item:
    """An entry, a global or a declaration: the word, its symbol, and where it begins and ends."""

    word: str
    symbol: Name
    start: int
    end: int
    statements: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Occurrences:
    """All names of a text, in its order, its items, and the regions in which values are visible.

    `scopes` maps the definition of a value to the offsets between which it is visible.
    """

    names: list[Name]
    items: list[Item]
    statements: list[Statement]
    scopes: dict[int, tuple[int, int]]

    def name_at(self, offset: int) -> Name | None:
        """Return the name that is at an offset, or ends there."""
        found = None
        for each in self.names:
            if each.start > offset:
                break
            if offset <= each.end:
                found = each
        return found

    def statement_at(self, offset: int) -> Statement | None:
        """Return the last op whose mnemonic starts before an offset."""
        found = None
        for each in self.statements:
            if each.start > offset:
                break
            found = each
        return found

    def same(self, name: Name) -> list[Name]:
        """Return all names of what a name means, the definition too."""
        if name.definition is None:
            return [name]
        return [each for each in self.names if each.definition == name.definition]

    def visible(self, offset: int) -> list[Name]:
        """Return the definitions of the values that an op at an offset may use."""
        return [
            each
            for each in self.names
            if each.text[0] == "%" and each.start == each.definition
            if self.scopes[each.start][0] < offset <= self.scopes[each.start][1]
        ]


class _Watch:
    """What is seen while a text is read."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], Name] = {}
        self.statements: dict[int, Statement] = {}
        self.scopes: dict[int, tuple[int, int]] = {}


class _WatchedSource(Source):
    watch: _Watch


class _WatchingReader(BodyReader):
    """A reader of bodies that notes every name and op."""

    def __init__(self, source: Source, grammar: Grammar = TILE_IR_GRAMMAR) -> None:
        super().__init__(source, grammar)
        assert isinstance(source, _WatchedSource)
        self._watch = source.watch
        self._places: dict[str, int] = {}
        self._being_read: list[Statement] = []

    def value(self) -> Value:
        match = VALUE.match(self.reader.text, self.reader.at)
        value = super().value()
        if match is not None:
            text = match[1]
            place = self._places.get(text, self._places.get(text.partition("#")[0]))
            self._note(Name(text, match.start(1), match.end(1), place, value.type))
        return value

    def define(self, name: str, value: Value, at: int) -> None:
        if "#" not in name:
            self._note(Name(name, at, at + len(name), at, value.type))
            begin = self.reader.at if value is UNKNOWN else self._end_of_last_word()
            self._watch.scopes[at] = begin, len(self.reader.text)
        self._places[name] = at
        super().define(name, value, at)

    def forget(self, count: int) -> None:
        for name in self.defined[count:]:
            at = self._places[name]
            if at in self._watch.scopes:  # not of a part of a pack
                self._watch.scopes[at] = self._watch.scopes[at][0], self.reader.at
        super().forget(count)

    def _op(self, match: re.Match[str], open_block: UnclosedBlock) -> None:
        statement = Statement(match[2], match.start(2), match.end(2))
        self._watch.statements[statement.start] = statement
        self._being_read.append(statement)
        try:
            super()._op(match, open_block)
        finally:
            self._being_read.pop()

    def region(
        self,
        op: Op | None,
        row: Row,
        arguments: list[tuple[str, int, Type | None]],
        implied: str | None,
    ) -> Block:
        opened = self.reader.at
        try:
            return super().region(op, row, arguments, implied)
        finally:
            if self._being_read:
                self._being_read[-1].regions.append((opened, self._end_of_last_word()))

    def _end_of_last_word(self) -> int:
        at, text = self.reader.at, self.reader.text
        while at and text[at - 1].isspace():
            at -= 1
        return at

    def _note(self, name: Name) -> None:
        self._watch.names[name.start, name.end] = name


def occurrences(text: str) -> Occurrences:
    """Return the names and ops of a text, as far as it can be read."""
    preview = PREVIEW_WORD.search(text) is not None
    source = _WatchedSource(text, "", PREVIEW if preview else LATEST, DEFAULT)
    watch = source.watch = _Watch()
    with deep_recursion(DEFAULT), contextlib.suppress(Stop):
        ModuleReader(source, body_reader=_WatchingReader).read()
    words = _words(text)
    names = sorted([*watch.names.values(), *words], key=lambda each: (each.start, each.end))
    statements = sorted(watch.statements.values(), key=lambda each: each.start)
    return Occurrences(names, _items(text, words, statements), statements, watch.scopes)


def _words(text: str) -> list[Name]:
    """Return the symbols and aliases of a text."""
    found = []
    defined: dict[str, int] = {}
    for match in _WORDS.finditer(text):
        kind, at = match.lastgroup, match.start()
        if kind is None:
            continue
        if kind == "symbol":
            defines = _DEFINES_SYMBOL.search(text[max(0, at - _LONGEST_HEAD) : at])
        else:
            line = text[text.rfind("\n", 0, at) + 1 : at]
            defines = not line.strip() and _IS_DEFINED.match(text, match.end())
        if defines:
            defined.setdefault(match[0], at)
        found.append((match[0], at, match.end()))
    return [Name(word, start, end, defined.get(word)) for word, start, end in found]


def _items(text: str, words: list[Name], statements: list[Statement]) -> list[Item]:
    """Return entries, globals and declarations, each up to the next one."""
    items: list[Item] = []
    for name in words:
        if name.text[0] != "@" or name.start != name.definition:
            continue
        head = max(0, name.start - _LONGEST_HEAD)
        last = list(_ITEM.finditer(text, head, name.start))[-1]
        items.append(Item(last[1], name, last.start(), len(text)))
    for item, following in pairwise(items):
        item.end = following.start
    for item in items:
        item.end = item.start + len(text[item.start : item.end].rstrip(" \t\r\n"))
        item.statements = [each for each in statements if item.start < each.start < item.end]
    return items
