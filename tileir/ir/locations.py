"""Source locations: the debug section as linked objects.

Every function with debug information owns a list of record numbers, its own location first and
then one for each op in pre-order. Records refer to each other by number, 1-based; 0 is unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from construct import Container

from tileir.formats.debug import DEBUG_RECORD, RECORD_INDEX
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Malformed
from tileir.read.bad_reference import BadReference, Refuse, again, unlocated
from tileir.read.linker import Linker
from tileir.read.strings import Strings

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


REFERENCES = {
    name: [field.name for field in arm.fields.subcons if field.subcon is RECORD_INDEX]
    for name, arm in DEBUG_RECORD.by_name.items()
}
"""Kind of record -> its fields that name other records."""


class DebugInfo(Linker):
    """The three tables of the debug section, records linked when first asked for.

    `refuse` makes the error of a reference that leads nowhere, for those who ask from outside.
    """

    def __init__(
        self,
        record: Container,
        strings: Strings,
        refuse: Refuse = unlocated,
        limits: Limits = DEFAULT,
    ) -> None:
        super().__init__(limits.location_depth)
        self._refuse = refuse
        self.record = record
        self.strings = strings
        self.starts: list[int] = record["starts"]["elements"]
        self.indices: list[int] = record["indices"]["elements"]
        self.entries = record["records"]["entries"]
        self._sorted = sorted(self.starts)
        self._positions: dict[int, SourceLocation | CallSite | None] = {}

    def __len__(self) -> int:
        """Number of records."""
        return len(self.entries)

    def variant(self, number: int) -> str:
        """The kind of the record of that number, for example ``DILoc``."""
        return self.entries[number - 1]["variant"]

    @property
    def records(self) -> list[Location | None]:
        """All records in order, linked; record number n is at position n - 1.

        Raises BytecodeError if one cannot be, though nothing may use it.
        """
        try:
            return [self.record_at(number) for number in range(1, len(self) + 1)]
        except BadReference as bad:
            raise self._refuse(bad) from None

    def start_of(self, location_index: int) -> int:
        """Where the list of a function begins in `indices`."""
        if not 0 < location_index <= len(self.starts):
            raise BadReference("debug list", location_index, len(self.starts), first=1)
        return self.starts[location_index - 1]

    def list_of(self, location_index: int) -> tuple[int, int]:
        """Where the list of a function begins and ends in `indices`; its length is ops + 1."""
        start = self.start_of(location_index)
        later = bisect_right(self._sorted, start)
        following = self._sorted[later : later + 1]
        return start, following[0] if following else len(self.indices)

    def location(self, location_index: int, position: int) -> SourceLocation | CallSite | None:
        """Location of the function itself (position 0) or of its op number position - 1."""
        start = self.start_of(location_index)
        if start + position >= len(self.indices):
            where = f"debug.starts[{location_index - 1}]"
            short = f"element {position} of the list is beyond the {len(self.indices)} indices"
            raise BadReference("debug list", start, 0, path=where, problem=short, kind="bad_index")
        number, path = self.indices[start + position], f"debug.indices[{start + position}]"
        linked = self.record_at(number, path)
        if not isinstance(linked, SourceLocation | CallSite | None):
            wrong = f"{linked} is no position"
            raise BadReference("debug record", number, 0, path=path, problem=wrong)
        self._positions[number] = linked
        return linked

    def locator(self, location_index: int) -> Callable[[int], SourceLocation | CallSite | None]:
        """What gives the location of op number n of a function, fast."""
        first = self.start_of(location_index) + 1
        indices, known = self.indices, self._positions

        def locate(position: int) -> SourceLocation | CallSite | None:
            try:
                return known[indices[first + position]]
            except (IndexError, KeyError):
                return self.location(location_index, position + 1)

        return locate

    def record_at(self, number: int, path: str = "") -> Location | None:
        """The record of that number; None for 0, which means unknown."""
        if number == 0:
            return None
        if number not in self.linked:
            if number > len(self.entries):
                raise BadReference("debug record", number, len(self.entries), first=1, path=path)
            if number not in self._broken:
                self._settle(number)
            if number in self._broken:
                raise again(self._broken[number])
        return self.linked[number]

    def _references(self, number: int) -> Iterator[int]:
        entry, size = self.entries[number - 1], len(self.entries)
        for name in REFERENCES.get(entry["variant"], ()):
            if 0 < entry[name] <= size:
                yield entry[name]

    def _circle(self, number: int, inner: int) -> BadReference:
        where = self._place(number, inner)
        return BadReference("debug record", inner, 0, path=where, problem="a circle")

    def _too_deep(self, number: int, inner: int) -> BadReference:
        where = self._place(number, inner)
        return BadReference.too_deep("debug record", "location", self._limit, where)

    def _place(self, number: int, inner: int) -> str:
        """The first field of a record that names the record `inner`."""
        entry = self.entries[number - 1]
        name = next(name for name in REFERENCES[entry["variant"]] if entry[name] == inner)
        return f"debug.records[{number - 1}].{name}"

    def _made(self, number: int) -> Location | None:
        entry = self.entries[number - 1]
        if isinstance(entry, Malformed):
            raise again(entry["error"])
        return self._link(entry, f"debug.records[{number - 1}]")

    def _link(self, entry: Container, path: str) -> Location | None:
        """The object of a record whose references are linked already."""

        def text(name: str) -> str:
            return self.strings.at(entry[name], f"{path}.{name}")

        def other(name: str, *kinds: type):
            number = entry[name]
            if number in self.linked:
                linked = self.linked[number]
            else:
                linked = self.record_at(number, f"{path}.{name}")
            if not isinstance(linked, kinds):
                wanted = " or ".join(kind.__name__ for kind in kinds)
                where, problem = f"{path}.{name}", f"not a {wanted}"
                raise BadReference("debug record", entry[name], 0, path=where, problem=problem)
            return linked

        scopes = (Subprogram, LexicalBlock)
        positions = (SourceLocation, CallSite, type(None))
        match entry["variant"]:
            case "DIFile":
                return File(text("name"), text("directory"))
            case "DICompileUnit":
                return CompileUnit(other("file", File))
            case "DISubprogram":
                return Subprogram(
                    other("file", File),
                    int(entry["line"]),
                    text("name"),
                    text("linkage_name"),
                    other("compile_unit", CompileUnit),
                    int(entry["scope_line"]),
                    bool(entry["flags"] & 1),
                )
            case "DILexicalBlock":
                scope, file = other("scope", *scopes), other("file", File)
                return LexicalBlock(scope, file, int(entry["line"]), int(entry["column"]))
            case "DILoc":
                scope, name = other("scope", *scopes), text("filename")
                return SourceLocation(scope, name, int(entry["line"]), int(entry["column"]))
            case "CallSite":
                return CallSite(other("callee", *positions), other("caller", *positions))
        return None
