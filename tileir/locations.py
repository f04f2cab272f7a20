"""Source locations: the debug section as linked objects.

Every function with debug information owns a list of record numbers, its own location first and
then one for each op in pre-order. Records refer to each other by number, 1-based; 0 is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from construct import Container

from tileir.formats.limits import MAX_DEBUG_DEPTH
from tileir.formats.nodes import Malformed

from .references import BadReference, Strings


@dataclass(frozen=True, slots=True)
class File:
    """A source file."""

    name: str
    directory: str

    def __str__(self) -> str:
        return f"{self.directory}/{self.name}" if self.directory else self.name


@dataclass(frozen=True, slots=True)
class CompileUnit:
    """A compilation: the file it started from."""

    file: File

    def __str__(self) -> str:
        return f"compile unit {self.file}"


@dataclass(frozen=True, slots=True)
class Subprogram:
    """A function in source; `linkage_name` is the kernel's symbol."""

    file: File
    line: int
    name: str
    linkage_name: str
    compile_unit: CompileUnit
    scope_line: int
    declaration: bool = False

    def __str__(self) -> str:
        return f"{self.name} at {self.file.name}:{self.line}"


@dataclass(frozen=True, slots=True)
class LexicalBlock:
    """A nested scope."""

    scope: Scope
    file: File
    line: int
    column: int

    def __str__(self) -> str:
        return f"block at {self.file.name}:{self.line}:{self.column} in {self.scope}"


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A position: line and column count from 1, 0 means not known."""

    scope: Scope
    filename: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class CallSite:
    """A location inlined into another one."""

    callee: Location | None
    caller: Location | None

    def __str__(self) -> str:
        return f"{self.callee or 'unknown'}, inlined at {self.caller or 'unknown'}"


Scope = Subprogram | LexicalBlock | CompileUnit
Location = SourceLocation | CallSite | Subprogram | LexicalBlock | CompileUnit | File


class DebugInfo:
    """The three tables of the debug section, records linked when first asked for."""

    def __init__(self, record: Container, strings: Strings) -> None:
        self.record = record
        self.strings = strings
        self.starts: list[int] = record["starts"]["elements"]
        self.indices: list[int] = record["indices"]["elements"]
        self._entries = record["records"]["entries"]
        self._linked: dict[int, Location | None] = {}

    def __len__(self) -> int:
        """Number of records."""
        return len(self._entries)

    def variant(self, number: int) -> str:
        """The kind of the record of that number, for example ``DILoc``."""
        return self._entries[number - 1]["variant"]

    @property
    def records(self) -> list[Location | None]:
        """All records in order, linked; record number n is at position n - 1."""
        return [self.record_at(number) for number in range(1, len(self) + 1)]

    def start_of(self, location_index: int) -> int:
        """Where the list of a function begins in `indices`."""
        if not 0 < location_index <= len(self.starts):
            raise BadReference("debug list", location_index, len(self.starts), first=1)
        return self.starts[location_index - 1]

    def list_of(self, location_index: int) -> tuple[int, int]:
        """Where the list of a function begins and ends in `indices`; its length is ops + 1."""
        start = self.start_of(location_index)
        later = (other for other in self.starts if other > start)
        return start, min(later, default=len(self.indices))

    def location(self, location_index: int, position: int) -> Location | None:
        """Location of the function itself (position 0) or of its op number position - 1."""
        start = self.start_of(location_index)
        if start + position >= len(self.indices):
            raise BadReference(
                "debug record", start + position, len(self.indices), path="debug.indices"
            )
        number = self.indices[start + position]
        return self.record_at(number, f"debug.indices[{start + position}]")

    def record_at(self, number: int, path: str = "", depth: int = 0) -> Location | None:
        """The record of that number; None for 0, which means unknown."""
        if number == 0:
            return None
        if number in self._linked:
            return self._linked[number]
        if number > len(self._entries):
            raise BadReference("debug record", number, len(self._entries), first=1, path=path)
        entry = self._entries[number - 1]
        if isinstance(entry, Malformed):
            raise entry["error"]
        if depth > MAX_DEBUG_DEPTH:
            raise BadReference(
                "debug record", number, len(self._entries), path=path, problem="a cycle of records"
            )
        linked = self._link(entry, f"debug.records[{number - 1}]", depth + 1)
        self._linked[number] = linked
        return linked

    def _link(self, entry: Container, path: str, depth: int) -> Location | None:
        def text(name: str) -> str:
            return self.strings.at(entry[name], f"{path}.{name}")

        def other(name: str, *kinds: type):
            where = f"{path}.{name}"
            linked = self.record_at(entry[name], where, depth)
            if kinds and not isinstance(linked, kinds):
                wanted = " or ".join(kind.__name__ for kind in kinds)
                raise BadReference(
                    "debug record",
                    entry[name],
                    len(self._entries),
                    path=where,
                    problem=f"not a {wanted}",
                )
            return linked

        scopes = (Subprogram, LexicalBlock, CompileUnit)
        match entry["variant"]:
            case "DIFile":
                return File(text("name"), text("directory"))
            case "DICompileUnit":
                return CompileUnit(other("file", File))
            case "DISubprogram":
                return Subprogram(
                    other("file", File),
                    entry["line"],
                    text("name"),
                    text("linkage_name"),
                    other("compile_unit", CompileUnit),
                    entry["scope_line"],
                    bool(entry["flags"] & 1),
                )
            case "DILexicalBlock":
                return LexicalBlock(
                    other("scope", *scopes), other("file", File), entry["line"], entry["column"]
                )
            case "DILoc":
                scope = other("scope", *scopes)
                return SourceLocation(scope, text("filename"), entry["line"], entry["column"])
            case "CallSite":
                return CallSite(other("callee"), other("caller"))
        return None
