"""What nothing refers to any more since a file was read: entries of tables that lose their content.

Untouched functions keep their bytes and with them every index, so what was removed cannot be taken
out of a table. But it can be emptied: a string becomes the empty text, a constant no bytes, a debug
record an unknown location, an element of a list of locations 0. Types stay, because they hold no
text. So does what nothing referred to when the file was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from construct import Construct

from tileir.errors import BytecodeError
from tileir.formats import codec
from tileir.formats.cursor import Slice
from tileir.formats.debug import DEBUG_RECORD
from tileir.formats.functions import BODY, FUNCTION
from tileir.formats.recursion import deep_recursion
from tileir.formats.sections import GLOBAL, PRODUCER
from tileir.formats.specialised.references import References
from tileir.formats.types import TYPE

from .attributes import Record

if TYPE_CHECKING:
    from tileir.read.function import Source


@dataclass
class Entries:
    """The records of a module that refer to tables: functions, globals, the producer if any."""

    functions: Sequence[Record] = ()
    globals: Sequence[Record] = ()
    producer: Sequence[Record] = ()

    def without(self, other: Entries) -> Entries:
        """Return the records that are not the very ones of `other`."""
        return Entries(
            _others(self.functions, other.functions),
            _others(self.globals, other.globals),
            _others(self.producer, other.producer),
        )


def _others(records: Sequence[Record], known: Sequence[Record]) -> list[Record]:
    same = {id(record) for record in known}
    return [record for record in records if id(record) not in same]


@dataclass
class Referenced:
    """Indices in the tables: debug records by number, elements of lists by their position."""

    strings: set[int] = field(default_factory=set)
    constants: set[int] = field(default_factory=set)
    debug_records: set[int] = field(default_factory=set)
    list_elements: set[int] = field(default_factory=set)

    def __sub__(self, other: Referenced) -> Referenced:
        return Referenced(
            self.strings - other.strings,
            self.constants - other.constants,
            self.debug_records - other.debug_records,
            self.list_elements - other.list_elements,
        )

    def __bool__(self) -> bool:
        return any((self.strings, self.constants, self.debug_records, self.list_elements))


@dataclass
class OutputFile:
    """The tables of the file that is written, which begin with those of the `original`.

    tags     tag of each type
    starts   position in `indices` of each list of locations
    indices  the lists, numbers of debug records
    records  the debug records
    """

    original: Source
    tags: Sequence[int | None]
    starts: Sequence[int]
    indices: Sequence[int]
    records: Sequence[Record]

    def lost(self, before: Entries, after: Entries) -> Referenced:
        """Return what the entries of the file as it was read refer to and those written do not.

        Functions that did not change are read only if something may be lost. BytecodeError if one
        of them cannot be read then: what it refers to is not known.
        """
        changed, made = before.without(after), after.without(before)
        was, now = _Walk(self), _Walk(self)
        was.add(changed, tolerant=True)
        now.add(made)
        now.add_types()
        if was.found - now.found:
            now.add(after.without(made))
        return was.found - now.found


def body_references(original: Source, code: Slice, tags: Sequence[int | None]) -> References:
    """Return what the ops of a body refer to, and their number. BytecodeError if it is malformed.

    The body is of the original file or a new one; `tags` has the tag of each type.
    """
    data = original.data if code.offset else memoryview(code.data)  # a new body has no offset
    rows = codec.parse_body(data, code, original.version, tags, limits=original.limits)
    return _references(original, BODY, rows)


def _references(original: Source, node: Construct, record: object) -> References:
    references = References()
    with deep_recursion(original.limits):
        references.collect(node, record, original.version)
    return references


class _Walk:
    """Collects everything that entries refer to, directly or through their locations."""

    def __init__(self, file: OutputFile) -> None:
        self._file = file
        self.found = Referenced()

    def add(self, entries: Entries, tolerant: bool = False) -> None:
        """Add what entries refer to; if `tolerant`, nothing for bodies that cannot be read."""
        for record in entries.functions:
            self._collect(FUNCTION, record)
            try:
                body = body_references(self._file.original, record["body"], self._file.tags)
            except BytecodeError:
                if not tolerant:
                    raise
                continue
            self._note(body)
            self._list(record["location"], body.ops + 1)
        for record in entries.globals:
            self._collect(GLOBAL, record)
        for record in entries.producer:
            self._collect(PRODUCER, record)

    def add_types(self) -> None:
        """Add the names that types in public preview hold; others hold nothing but numbers."""
        if self._file.original.version.preview:
            for record in self._file.original.tables.types.entries:
                self._collect(TYPE, record)

    def _collect(self, node: Construct, record: object) -> References:
        references = _references(self._file.original, node, record)
        self._note(references)
        return references

    def _note(self, references: References) -> None:
        self.found.strings |= references.found["string"]
        self.found.constants |= references.found["constant"]

    def _list(self, number: int, length: int) -> None:
        """Add a function's list of locations, by its number in `starts`."""
        file = self._file
        if not 0 < number <= len(file.starts):
            return
        start = file.starts[number - 1]
        elements = range(start, min(start + length, len(file.indices)))
        self.found.list_elements.update(elements)
        waiting = {file.indices[element] for element in elements}
        while waiting:
            found = waiting.pop()
            if found in self.found.debug_records or not 0 < found <= len(file.records):
                continue
            self.found.debug_records.add(found)
            record = file.records[found - 1]
            waiting |= self._collect(DEBUG_RECORD, record).found["debug record"]
