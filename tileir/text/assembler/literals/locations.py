"""Source locations: ``loc(...)``, and the debug attributes for functions and scopes.

Bytecode cannot hold a position outside of a function; NVIDIA's writer leaves it out too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from tileir.formats.limits import Limits
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)
from tileir.text.assembler.diagnostics import Refused
from tileir.text.assembler.lexer import ALIAS, Reader, phrase, shown
from tileir.write.location_table import references

from .aliases import BROKEN, Aliases

LARGEST_LINE = 1 << 32


class FilePosition(NamedTuple):
    """A line and column of a file, outside of a function."""

    filename: str
    line: int
    column: int


Position = SourceLocation | CallSite | FilePosition | None
"""The contents of ``loc(...)``; None is unknown."""

STRUCTS: dict[str, tuple[type, dict[str, tuple[str, object]]]] = {
    "di_compile_unit": (CompileUnit, {"file": ("file", File)}),
    "di_lexical_block": (
        LexicalBlock,
        {
            "scope": ("scope", (Subprogram, LexicalBlock)),
            "file": ("file", File),
            "line": ("line", int),
            "column": ("column", int),
        },
    ),
    "di_subprogram": (
        Subprogram,
        {
            "file": ("file", File),
            "line": ("line", int),
            "name": ("name", str),
            "linkageName": ("linkage_name", str),
            "compileUnit": ("compile_unit", CompileUnit),
            "scopeLine": ("scope_line", int),
            "flags": ("declaration", bool),
        },
    ),
}
"""Name of a debug attribute -> its class, and the fields and their kinds by their names in text."""

OPTIONAL: dict[type, dict[str, object]] = {
    LexicalBlock: {"column": 0},
    Subprogram: {"scope_line": 0, "declaration": False},
}
"""Optional fields and their defaults."""

NAMES = {
    File: "a #cuda_tile.di_file",
    CompileUnit: "a #cuda_tile.di_compile_unit",
    (Subprogram, LexicalBlock): "a #cuda_tile.di_subprogram or #cuda_tile.di_lexical_block",
}

RECORD = {name: phrase(f"#cuda_tile.{name}<") for name in ("di_file", "di_loc", *STRUCTS)}


class LocationReader:
    """Reads locations; one that was wrong has been reported, and is unknown."""

    def __init__(self, reader: Reader, aliases: Aliases, limits: Limits) -> None:
        self.reader = reader
        self.aliases = aliases
        self.limits = limits
        self._depth = 0
        self._levels: dict[int, tuple[int, Location]] = {}

    def optional(self) -> SourceLocation | CallSite | None:
        """Read a trailing ``loc(...)``; None if there is none, or bytecode cannot hold it."""
        if not self.reader.text.startswith("loc", self.reader.at):
            return None
        return kept(self.stated())

    def stated(self) -> object:
        """Read ``loc(...)``: a `Position`, or `BROKEN` if it was wrong."""
        with self._nested():
            self.reader.expect(phrase("loc("))
            position = self._position()
            self.reader.expect(phrase(")"))
        return position

    @contextmanager
    def _nested(self) -> Iterator[None]:
        """Go one level deeper in a `with` block; Refused if the limits do not allow that."""
        if self._depth >= self.limits.attribute_depth:
            raise self.reader.refused(f"nested more than {self.limits.attribute_depth} deep")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _position(self) -> Any:
        reader, at = self.reader, self.reader.at
        if reader.accept(phrase("unknown")):
            return None
        if reader.text.startswith('"', at):
            return self._file_position()
        if reader.sees(phrase("loc")):
            return self.stated()
        if reader.sees(phrase("callsite")):
            return self._call_site()
        if reader.sees(phrase("fused")):
            raise reader.refused("bytecode cannot hold a fused location")
        position = self._reference("a location")
        if not isinstance(position, Position) and position is not BROKEN:
            raise reader.refused("this is no location", at)
        return position

    def _reference(self, what: str) -> Any:
        """Read an alias or a debug attribute, and return its value; `BROKEN` if it was wrong."""
        reader, at = self.reader, self.reader.at
        match = ALIAS.match(reader.text, at)
        if match is not None and match[1][0] == "#":
            reader.at = match.end()
            return self.aliases.value(match[1], at)
        record = self.record()
        if record is None:
            raise reader.expected(what)
        return record[0]

    def _file_position(self) -> FilePosition:
        reader = self.reader
        name = reader.string()
        if reader.sees(phrase("(")):
            raise reader.refused("bytecode cannot hold a named location")
        reader.expect(phrase(":"))
        line = reader.integer("a line", 0, LARGEST_LINE)
        reader.expect(phrase(":"))
        column = reader.integer("a column", 0, LARGEST_LINE)
        if reader.sees(phrase("to")):
            raise reader.refused("bytecode cannot hold a range of lines or columns")
        return FilePosition(name, line, column)

    def _call_site(self) -> object:
        reader, at = self.reader, self.reader.at
        with self._nested():
            reader.expect(phrase("callsite("))
            callee = self._position()
            reader.expect(phrase("at"))
            caller = self._position()
            reader.expect(phrase(")"))
        if BROKEN in (callee, caller):
            return BROKEN
        return self._made(CallSite(kept(callee), kept(caller)), at)

    def _made(self, record: Location, at: int) -> Location:
        """Return a record; Refused, at its position, if it has too many levels of other records."""
        levels = (self._levels.get(id(other), (0,))[0] for other in references(record).values())
        level = max(levels, default=0) + 1
        if level > self.limits.location_depth:
            most = self.limits.location_depth
            raise self.reader.refused(f"debug records inside each other, more than {most}", at)
        self._levels[id(record)] = level, record
        return record

    # Debug attributes ---------------------------------------------------------------------------

    def record(self) -> tuple[Any] | None:
        """Read a debug attribute, if one is next, as a tuple of it; `BROKEN` if it was wrong."""
        at = self.reader.at
        name = next((name for name, start in RECORD.items() if self.reader.accept(start)), None)
        if name is None:
            return None
        with self._nested():
            record = self._contents(name)
            self.reader.expect(phrase(">"))
        return (record if record is BROKEN else self._made(record, at),)

    def _contents(self, name: str) -> Any:
        reader = self.reader
        if name == "di_file":
            base = reader.string("a file name")
            reader.expect(phrase("in"))
            return File(base, reader.string("a directory"))
        if name == "di_loc":
            at = reader.at
            position = self._position()
            if not isinstance(position, FilePosition) and position is not BROKEN:
                raise reader.refused('expected a line of a file such as loc("f":1:2)', at)
            reader.expect(phrase("in"))
            scope = self._field((Subprogram, LexicalBlock))
            if BROKEN in (position, scope):
                return BROKEN
            return SourceLocation(scope, *cast("FilePosition", position))
        return self._struct(*STRUCTS[name])

    def _struct(self, kind: type, fields: dict[str, tuple[str, Any]]) -> Any:
        reader, values, start = self.reader, {}, self.reader.at
        while not values or reader.accept(phrase(",")):
            at = reader.at
            name = reader.word("a field")
            if name not in fields or fields[name][0] in values:
                again = "is there twice" if name in fields else f"is none of {', '.join(fields)}"
                raise Refused(f"{shown(name)} {again}", at, len(name))
            reader.expect(phrase("="))
            values[fields[name][0]] = self._field(fields[name][1])
        values = OPTIONAL.get(kind, {}) | values
        missing = [name for name, (field, _) in fields.items() if field not in values]
        if missing:
            raise reader.refused(f"{', '.join(missing)} is missing", start)
        broken = any(value is BROKEN for value in values.values())
        return BROKEN if broken else kind(**values)

    def _field(self, kind: Any) -> Any:
        """Read a value of a kind; `BROKEN` if it was wrong and has been reported."""
        reader, at = self.reader, self.reader.at
        if kind is int:
            return reader.integer("a line or column", 0, LARGEST_LINE)
        if kind is bool:
            reader.expect(phrase("declaration"))
            return True
        if kind is str:
            return reader.string()
        record = self._reference(NAMES[kind])
        if record is not BROKEN and not isinstance(record, kind):
            raise reader.refused(f"expected {NAMES[kind]}", at)
        return record


def kept(position: object) -> SourceLocation | CallSite | None:
    """Return a position if bytecode can hold it; else None, which is unknown."""
    return position if isinstance(position, SourceLocation | CallSite) else None
