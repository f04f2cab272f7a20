"""Source locations: the debug section as linked objects.

Every function with debug information owns a list of record numbers, its own location first and
then one for each op in pre-order. Records refer to each other by number, 1-based; 0 is unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from construct import Container

from tileir.formats.debug import DEBUG_RECORD, RECORD_INDEX
from tileir.formats.nodes import Malformed

from .references import BadReference, Strings

SHOWN_CALLS = 4
"""Steps of a chain of inlined calls that are spelled out."""


class _Record:
    """What all debug records have in common. They are compared by identity: chains can be long."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    @property
    def innermost(self) -> SourceLocation | None:
        """The position in source that this comes down to, None if it is no position."""
        return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class File(_Record):
    """A source file."""

    name: str
    directory: str

    def __str__(self) -> str:
        return f"{self.directory}/{self.name}" if self.directory else self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CompileUnit(_Record):
    """A compilation: the file it started from."""

    file: File

    def __str__(self) -> str:
        return f"compile unit {self.file}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subprogram(_Record):
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LexicalBlock(_Record):
    """A nested scope."""

    scope: Scope
    file: File
    line: int
    column: int

    def __str__(self) -> str:
        return f"block at {self.file.name}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SourceLocation(_Record):
    """A position: line and column count from 1, 0 means not known."""

    scope: Scope
    filename: str
    line: int
    column: int

    @property
    def innermost(self) -> SourceLocation | None:
        """The location itself."""
        return self

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CallSite(_Record):
    """A location inlined into another one."""

    callee: SourceLocation | CallSite | None
    caller: SourceLocation | CallSite | None
    _innermost: SourceLocation | None = field(init=False)

    def __post_init__(self) -> None:
        inner = self.callee.innermost if self.callee is not None else None
        object.__setattr__(self, "_innermost", inner)

    @property
    def innermost(self) -> SourceLocation | None:
        """The position in source that was inlined, None if it is unknown."""
        return self._innermost

    def __str__(self) -> str:
        steps, outer = [], self
        while isinstance(outer, CallSite) and len(steps) < SHOWN_CALLS:
            steps.append(str(outer.innermost or "unknown"))
            outer = outer.caller
        inlined = isinstance(outer, CallSite)
        steps.append("..." if inlined else str(outer or "unknown"))
        return ", inlined at ".join(steps)


Scope = Subprogram | LexicalBlock
Location = SourceLocation | CallSite | Subprogram | LexicalBlock | CompileUnit | File


FILE, COMPILE_UNIT = (File,), (CompileUnit,)
SCOPES = (Subprogram, LexicalBlock)
POSITIONS = (SourceLocation, CallSite, type(None))
"""What a field of a record may refer to."""

REFERENCES = {
    name: [field.name for field in arm.fields.subcons if field.subcon is RECORD_INDEX]
    for name, arm in DEBUG_RECORD.by_name.items()
}
"""Kind of record -> its fields that name other records."""


class _Positions(dict):
    """Records that are positions, by number; each is linked when first asked for."""

    def __init__(self, debug: DebugInfo) -> None:
        super().__init__()
        self._debug = debug

    def __missing__(self, number: int) -> SourceLocation | CallSite | None:
        linked = self._debug.record_at(number)
        if not isinstance(linked, POSITIONS):
            raise BadReference("debug record", number, 0, problem=f"{linked} is no position")
        self[number] = linked
        return linked


class DebugInfo:
    """The three tables of the debug section, records linked when first asked for."""

    def __init__(self, record: Container, strings: Strings) -> None:
        self.record = record
        self.strings = strings
        self.starts: list[int] = record["starts"]["elements"]
        self.indices: list[int] = record["indices"]["elements"]
        self._ends = sorted({*self.starts, len(self.indices)})
        self._entries = record["records"]["entries"]
        self._linked: dict[int, Location | None] = {0: None}
        self._positions = _Positions(self)

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
        later = bisect_right(self._ends, start)
        return start, self._ends[later] if later < len(self._ends) else len(self.indices)

    def location(self, location_index: int, position: int) -> SourceLocation | CallSite | None:
        """Location of the function itself (position 0) or of its op number position - 1."""
        start = self.start_of(location_index)
        if start + position >= len(self.indices):
            where = f"debug.starts[{location_index - 1}]"
            short = f"element {position} of the list is beyond the {len(self.indices)} indices"
            raise BadReference("debug list", start, 0, path=where, problem=short, kind="bad_index")
        try:
            return self._positions[self.indices[start + position]]
        except BadReference as bad:
            raise bad.at(f"debug.indices[{start + position}]") from None

    def locator(self, location_index: int) -> Callable[[int], SourceLocation | CallSite | None]:
        """What gives the location of op number n of a function, fast."""
        first = self.start_of(location_index) + 1
        indices, known = self.indices, self._positions

        def locate(position: int) -> SourceLocation | CallSite | None:
            try:
                return known[indices[first + position]]
            except (IndexError, BadReference):
                return self.location(location_index, position + 1)  # it says where

        return locate

    def record_at(self, number: int, path: str = "") -> Location | None:
        """The record of that number; None for 0, which means unknown.

        Chains can be long and share parts, so this is no recursion: a record is linked when all
        that it refers to is. Coming back to one that still waits means going in a circle.
        """
        linked = self._linked
        waiting: set[int] = set()
        stack = [(number, path)]
        while stack:
            current, where = stack[-1]
            if current in linked:
                stack.pop()
                continue
            entry = self._entry(current, where)
            missing = [name for name in REFERENCES[entry["variant"]] if entry[name] not in linked]
            if not missing:
                try:
                    linked[current] = self._link(entry)
                except BadReference as bad:
                    raise bad.at(f"debug.records[{current - 1}]") from None
                stack.pop()
            elif current in waiting:
                raise BadReference("debug record", current, 0, path=where, problem="a circle")
            else:
                waiting.add(current)
                place = f"debug.records[{current - 1}]"
                stack += [(entry[name], f"{place}.{name}") for name in missing]
        return linked[number]

    def _entry(self, number: int, path: str) -> Container:
        if number > len(self._entries):
            raise BadReference("debug record", number, len(self._entries), first=1, path=path)
        entry = self._entries[number - 1]
        if isinstance(entry, Malformed):
            raise entry["error"]
        return entry

    def _link(self, entry: Container) -> Location | None:
        """The object of a record whose references are linked already."""
        text, other = self._text, self._other
        match entry["variant"]:
            case "DILoc":
                scope, file = other(entry, "scope", SCOPES), text(entry, "filename")
                return SourceLocation(scope, file, entry["line"], entry["column"])
            case "CallSite":
                return CallSite(
                    other(entry, "callee", POSITIONS), other(entry, "caller", POSITIONS)
                )
            case "DIFile":
                return File(text(entry, "name"), text(entry, "directory"))
            case "DICompileUnit":
                return CompileUnit(other(entry, "file", FILE))
            case "DISubprogram":
                return Subprogram(
                    other(entry, "file", FILE),
                    entry["line"],
                    text(entry, "name"),
                    text(entry, "linkage_name"),
                    other(entry, "compile_unit", COMPILE_UNIT),
                    entry["scope_line"],
                    bool(entry["flags"] & 1),
                )
            case "DILexicalBlock":
                scope, file = other(entry, "scope", SCOPES), other(entry, "file", FILE)
                return LexicalBlock(scope, file, entry["line"], entry["column"])
        return None

    def _text(self, entry: Container, name: str) -> str:
        """The string that a field names."""
        return self.strings.at(entry[name], f".{name}")

    def _other(self, entry: Container, name: str, kinds: tuple[type, ...]):
        """The linked record that a field names, which has to be of one of the kinds."""
        linked = self._linked[entry[name]]
        if not isinstance(linked, kinds):
            problem = f"not a {' or '.join(kind.__name__ for kind in kinds)}"
            raise BadReference("debug record", entry[name], 0, path=f".{name}", problem=problem)
        return linked
