"""Source locations to be written, the inverse of `read.debug_info`: equal ones get one number."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterator
from typing import Any, cast

from tileir.errors import BuildError, BytecodeError
from tileir.formats import codec
from tileir.formats.attributes import STRING_INDEX
from tileir.formats.debug import DEBUG_RECORD, RECORD_INDEX
from tileir.formats.nodes import at_version
from tileir.formats.version import Version
from tileir.ir.location_kinds import KINDS, POSITIONS
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)
from tileir.read.bad_reference import BadReference
from tileir.read.debug_info import DebugInfo

from .blobs import Blobs

RECORDS = {
    File: "DIFile",
    CompileUnit: "DICompileUnit",
    Subprogram: "DISubprogram",
    LexicalBlock: "DILexicalBlock",
    SourceLocation: "DILoc",
    CallSite: "CallSite",
}
"""Class of a location -> name of its record."""


class OutputLocations:
    """Debug records by number, from 1; 0 is an unknown location."""

    def __init__(self, version: Version, strings: Blobs, debug: DebugInfo | None = None) -> None:
        self.version = version
        self.strings = strings
        self.added: list[dict] = []
        self._size = 0
        self._numbers: dict[int, tuple[int, Location]] = {}
        self._by_content: dict[tuple, int] = {}
        if debug is not None:
            self._read(debug)

    def _read(self, debug: DebugInfo) -> None:
        entries = debug.record["records"]["entries"]
        self._size = len(entries)
        for number, entry in enumerate(entries, 1):
            try:
                linked = debug.record_at(number)
            except (BadReference, BytecodeError):
                continue
            if linked is not None:
                self._numbers[id(linked)] = (number, linked)
                self._by_content.setdefault(_content(entry), number)

    def number(self, location: Location | None) -> int:
        """Return the number of a location; the records that it refers to are added before it."""
        if not isinstance(location, POSITIONS):
            hint = "; position(scope, line) makes one" if location.__class__ is Subprogram else ""
            raise BuildError(f"expected a source location, found {location!r}{hint}")
        known = location is None or id(location) in self._numbers
        stack: list[Any] = [] if known else [location]
        while stack:
            current = stack[-1]
            missing = [
                other
                for other in references(current).values()
                if other is not None and id(other) not in self._numbers
            ]
            if not missing:
                self._numbers[id(current)] = (self._add(current), current)
            stack += missing
            while stack and id(stack[-1]) in self._numbers:
                stack.pop()
        return self._reference(location)

    def _reference(self, location: Location | None) -> int:
        return 0 if location is None else self._numbers[id(location)][0]

    def _add(self, location: Location) -> int:
        variant = RECORDS[location.__class__]
        record: dict = {"variant": variant}
        for field in DEBUG_RECORD.by_name[variant].fields.subcons:
            node = at_version(field.subcon, self.version)
            if field.name == "flags":
                record["flags"] = int(cast("Subprogram", location).declaration)
                continue
            value = getattr(location, field.name)
            if node is RECORD_INDEX:
                record[field.name] = self._reference(value)
            elif node is STRING_INDEX:
                record[field.name] = self.strings.text(value)
            else:
                record[field.name] = _line(value)
        known = self._by_content.get(_content(record))
        if known is not None:
            return known
        try:
            codec.build(DEBUG_RECORD, record, self.version)
        except BuildError as error:
            raise BuildError(f"location {location} cannot be written: {error}") from None
        self.added.append(record)
        self._size += 1
        self._by_content[_content(record)] = self._size
        return self._size


def _line(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise BuildError(f"expected a line or column, found {value!r}") from None


def references(location: Location) -> dict[str, Location | None]:
    """Return the records that a record refers to, by field; BuildError for one of a wrong class."""
    variant = RECORDS.get(location.__class__)
    if variant is None:
        raise BuildError(f"expected a source location, found {location!r}")
    referenced = {}
    for field in DEBUG_RECORD.by_name[variant].fields.subcons:
        if field.subcon is RECORD_INDEX:
            other = getattr(location, field.name)
            if not isinstance(other, KINDS[field.name]):
                raise BuildError(f"{field.name} of location {location} is {other!r}")
            referenced[field.name] = other
    return referenced


def _content(record: dict) -> tuple:
    arm = DEBUG_RECORD.by_name[record["variant"]]
    return (arm.name, *(record[field.name] for field in arm.fields.subcons))


def misplaced(location: Location | None, function: Location | None) -> Iterator[str]:
    """Yield what NVIDIA's readers refuse about an op's location, given its function's location."""
    if location is None:
        return
    if function is None:
        yield "location: the function has none itself; it must have one where its ops do"
        return
    if not isinstance(function, SourceLocation):
        yield f"location: that of the function is {function!r}"
        return
    outer = location
    while isinstance(outer, CallSite):
        outer = outer.caller
    scope = getattr(outer, "scope", None)
    while isinstance(scope, LexicalBlock):
        scope = scope.scope
    own: Any = getattr(function, "scope", None)
    if scope is None or scope is own:
        return
    if dataclasses.astuple(scope) != dataclasses.astuple(own):
        yield f"location: it is in {scope}, the function in {own}"
