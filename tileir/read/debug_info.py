"""The debug section as linked objects: the location of each op and function.

Every function with debug information owns a list of record numbers: first its own location, then
that of each op in pre-order. Records refer to each other by number, from 1; 0 means unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from construct import Container

from tileir.formats.debug import DEBUG_RECORD, RECORD_INDEX
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Malformed
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)

from .bad_reference import BadReference, Refuse, again, unlocated
from .linker import Linker
from .strings import Strings

REFERENCES = {
    name: [field.name for field in arm.fields.subcons if field.subcon is RECORD_INDEX]
    for name, arm in DEBUG_RECORD.by_name.items()
}
"""Kind of record -> its fields that name other records."""


class DebugInfo(Linker):
    """The three tables of the debug section, with records linked when first asked for.

    `refuse` makes the error that `records` raises for a reference that leads nowhere.
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
        self._op_locations: dict[int, SourceLocation | CallSite | None] = {}

    def __len__(self) -> int:
        """Number of records."""
        return len(self.entries)

    def variant(self, number: int) -> str:
        """Return the kind of a record, for example ``DILoc``."""
        return self.entries[number - 1]["variant"]

    @property
    def records(self) -> list[Location | None]:
        """All records in order, linked; record number n is at index n - 1.

        Raises BytecodeError if one cannot be linked, even if nothing uses it.
        """
        try:
            return [self.record_at(number) for number in range(1, len(self) + 1)]
        except BadReference as bad:
            raise self._refuse(bad) from None

    def start_of(self, location_index: int) -> int:
        """Return the index in `indices` at which the list of a function begins."""
        if not 0 < location_index <= len(self.starts):
            raise BadReference("debug list", location_index, len(self.starts), first=1)
        return self.starts[location_index - 1]

    def location(self, location_index: int, position: int) -> SourceLocation | CallSite | None:
        """Return the location of the function (position 0) or of its op number position - 1."""
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
        self._op_locations[number] = linked
        return linked

    def locator(self, location_index: int) -> Callable[[int], SourceLocation | CallSite | None]:
        """Return a fast function from the number of an op to its location."""
        first = self.start_of(location_index) + 1
        indices, known = self.indices, self._op_locations

        def locate(position: int) -> SourceLocation | CallSite | None:
            try:
                return known[indices[first + position]]
            except (IndexError, KeyError):
                return self.location(location_index, position + 1)

        return locate

    def record_at(self, number: int, path: str = "") -> Location | None:
        """Return the record of that number; None for 0, which means unknown."""
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
        where = self._path_to(number, inner)
        return BadReference("debug record", inner, 0, path=where, problem="a circle")

    def _too_deep(self, number: int, inner: int) -> BadReference:
        where = self._path_to(number, inner)
        return BadReference.too_deep("debug record", "location", self._limit, where)

    def _path_to(self, number: int, inner: int) -> str:
        """Return the path of the first field of a record that names the record `inner`."""
        entry = self.entries[number - 1]
        name = next(name for name in REFERENCES[entry["variant"]] if entry[name] == inner)
        return f"debug.records[{number - 1}].{name}"

    def _made(self, number: int) -> Location | None:
        entry = self.entries[number - 1]
        if isinstance(entry, Malformed):
            raise again(entry["error"])
        return self._link(entry, f"debug.records[{number - 1}]")

    def _link(self, entry: Container, path: str) -> Location | None:
        """Return the object of a record whose references are linked already."""

        def text(name: str) -> str:
            return self.strings.at(entry[name], f"{path}.{name}")

        def other(name: str, *kinds: type) -> Any:
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
