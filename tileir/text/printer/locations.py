"""Debug information as text: ``loc(#loc3)`` after each op, and the definitions at the end.

Equal records share an alias. Aliases are numbered by their nesting depth, then by their kind, then
by their first use in a global, a kernel or its ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tileir.ir import Op
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)
from tileir.read.declarations import Declaration
from tileir.read.function import Function, Global

from .pieces import Pieces
from .structured import shown
from .values import quoted


class _Position:
    """A position in a file: a source location without its scope."""

    __slots__ = ("file", "place")

    def __init__(self, file: str, place: str) -> None:
        self.file, self.place = file, place


Record = Location | _Position | None


class _Alias:
    """A record that others refer to by name; `parts` are texts and the aliases between them."""

    __slots__ = ("depth", "kind", "name", "parts")

    def __init__(self, kind: str, parts: tuple[str | _Alias, ...]) -> None:
        below = [part.depth for part in parts if isinstance(part, _Alias)]
        self.kind, self.parts = kind, parts
        self.depth = max(below, default=0) + 1
        self.name = ""


class LocationAliases:
    """The aliases of all debug records that the text of a module refers to."""

    def __init__(
        self, variables: list[Global], functions: Sequence[Function | Declaration]
    ) -> None:
        self._made: dict[int, _Alias] = {}
        self._alike: dict[tuple, _Alias] = {}
        self._seen: dict[_Alias, None] = {}
        self._positions: dict[tuple[str, int, int], _Position] = {}
        self._literals: dict[str, str] = {}
        self._kept: list[Record] = []  # so that no id is used twice
        for _ in variables:
            self._visit(self._alias(None))
        for function in functions:
            self._visit(self._alias(function.location))
            for op in _printed(function):
                self._visit(self._alias(op.location))
        self._order = sorted(self._seen, key=lambda alias: (alias.depth, alias.kind))
        counts: Counter[str] = Counter()
        for alias in self._order:
            count = counts[alias.kind]
            alias.name = f"#{alias.kind}{count or ''}"
            counts[alias.kind] += 1

    def tail(self, location: Location | None) -> str:
        """Return the text behind an op at a location."""
        return f" loc({self._made[id(location)].name})"

    def define(self, out: Pieces) -> None:
        """Write the definitions, one line for each alias."""
        for alias in self._order:
            out.append(f"{alias.name} = {''.join([_text(part) for part in alias.parts])}\n")

    def _visit(self, alias: _Alias) -> None:
        stack = [alias]
        while stack:
            alias = stack.pop()
            if alias not in self._seen:
                self._seen[alias] = None
                stack += [part for part in reversed(alias.parts) if isinstance(part, _Alias)]

    def _alias(self, record: Record) -> _Alias:
        """Return the alias of a record, after making those that it refers to, without recursion."""
        stack = [record]
        while stack:
            current = stack[-1]
            if id(current) in self._made:
                stack.pop()
                continue
            kind, parts = self._spelled(current)
            missing = [p for p in parts if not isinstance(p, str) and id(p) not in self._made]
            if missing:
                stack += missing
                continue
            linked = tuple(p if isinstance(p, str) else self._made[id(p)] for p in parts)
            self._made[id(current)] = self._alike.setdefault(linked, _Alias(kind, linked))
            self._kept.append(current)
        return self._made[id(record)]

    def _spelled(self, record: Record) -> tuple[str, tuple[str | Record, ...]]:
        """Return the kind of the alias, and the record as texts with other records between them."""
        match record:
            case None:
                return "loc", ("loc(unknown)",)
            case _Position(file=file, place=place):
                return "loc", ("loc(", file, place)
            case SourceLocation():
                position = self._position(record.filename, record.line, record.column)
                return "loc", ("#cuda_tile.di_loc<", position, " in ", record.scope, ">")
            case CallSite():
                return "loc", ("loc(callsite(", record.callee, " at ", record.caller, "))")
            case File():
                name, directory = self._quoted(record.name), self._quoted(record.directory)
                return "di_file", ("#cuda_tile.di_file<", name, " in ", directory, ">")
            case CompileUnit():
                return "di_compile_unit", ("#cuda_tile.di_compile_unit<file = ", record.file, ">")
            case Subprogram():
                flags = ", flags = declaration" if record.declaration else ""
                return "di_subprogram", (
                    "#cuda_tile.di_subprogram<file = ",
                    record.file,
                    f", line = {record.line}, name = ",
                    self._quoted(record.name),
                    ", linkageName = ",
                    self._quoted(record.linkage_name),
                    ", compileUnit = ",
                    record.compile_unit,
                    f"{_unless_zero('scopeLine', record.scope_line)}{flags}>",
                )
            case LexicalBlock():
                return "di_lexical_block", (
                    "#cuda_tile.di_lexical_block<scope = ",
                    record.scope,
                    ", file = ",
                    record.file,
                    f", line = {record.line}{_unless_zero('column', record.column)}>",
                )
        raise TypeError(f"no debug record: {record!r}")

    def _position(self, filename: str, line: int, column: int) -> _Position:
        key = (filename, line, column)
        if key not in self._positions:
            self._positions[key] = _Position(self._quoted(filename or "-"), f":{line}:{column})")
        return self._positions[key]

    def _quoted(self, text: str) -> str:
        """Return a string literal, the same object for each use of a name, which may be long."""
        known = self._literals.get(text)
        if known is None:
            known = self._literals[text] = quoted(text)
        return known


def _printed(function: Function | Declaration) -> Iterator[Op]:
    """Yield the ops that are printed, in the order of the text."""
    if isinstance(function, Declaration):
        return
    waiting = [iter(shown(None, function.body.block))]
    while waiting:
        for op in waiting[-1]:
            yield op
            blocks = [block for region in op.regions for block in region.blocks]
            waiting += [iter(shown(op, block)) for block in reversed(blocks)]
            if blocks:
                break
        else:
            waiting.pop()


def _unless_zero(name: str, number: int) -> str:
    return f", {name} = {number}" if number else ""


def _text(part: str | _Alias) -> str:
    return part if isinstance(part, str) else part.name
