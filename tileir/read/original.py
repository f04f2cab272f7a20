"""The original of a module: its bytes, what has been read of them, and the reading of the rest.

A `Bytecode` can be changed, its original cannot. So lazy reading sees what the bytes say, however
the module has been changed meanwhile, and `Bytecode.build` compares the two.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, cast

from construct import Container

from tileir.errors import BytecodeError
from tileir.formats import codec
from tileir.formats.container import version_of
from tileir.formats.cursor import Oddity, Slice
from tileir.formats.deferred import Deferred
from tileir.formats.forks import Lock
from tileir.formats.functions import KERNEL
from tileir.formats.leaves import FILL
from tileir.formats.limits import MAX_SHARED_PARAMETERS, Limits
from tileir.formats.recursion import deep_recursion

from .bad_reference import BadReference
from .debug_info import DebugInfo
from .declarations import Declaration, declaration
from .field_search import FieldFound, Search
from .function import Function, Global, Section, Source
from .once import once
from .strings import Strings
from .tables import Tables
from .type_table import TypeTable

DEFERRED = ("Type", "Debug")
"""Sections of which many records may be unused: in long ones, a record is read when first used."""


class OriginalFile:
    """A file as it was read. Opening reads header, section list and small tables.

    BytecodeError if they cannot be read.

    data       the bytes
    limits     how deep things may be nested
    file       the records of header and sections, payloads as slices
    version    bytecode version of the file
    tag        16 bits of the header that say something about the whole file
    sections   `Section` objects in file order, ignored ones included
    tables     strings, types and constants
    producer   who wrote the file, or None
    globals    each `Global` with its record
    oddities   the oddities of what has been read so far
    """

    def __init__(self, data: memoryview, limits: Limits, reference: bool) -> None:
        self.data = data
        self.limits = limits
        self.oddities: list[Oddity] = []
        self._reference = reference
        self._unused_due: bool | None = None
        self._lock = Lock()
        self.file = codec.parse_file(data, warnings=self.oddities)
        self.version = version_of(self.file["header"])
        self.tag: int = self.file["header"]["tag"]
        self.sections = tuple(_sections(self.file["sections"]))
        self._active = {section.name: section for section in self.sections}
        self._type_tags: Sequence[int | None] = ()
        with self.located():
            self._read_tables()

    def _read_tables(self) -> None:
        empty = Container(entries=())
        strings = Strings((self.section("String") or empty)["entries"])
        entries = (self.section("Type") or empty)["entries"]
        types = TypeTable(entries, self.limits, self.error, strings)
        self._type_tags = types.tags
        self.tables = Tables(strings, types, (self.section("Constant") or empty)["entries"])
        producer = self.section("Producer")
        self.producer: str | None = None
        if producer is not None:
            self.producer = strings.at(producer["producer"], "producer.producer")
        records = self.section("Global") or ()
        self.globals = [(self._global(record, n), record) for n, record in enumerate(records)]

    def _global(self, record: Container, index: int) -> Global:
        path, tables = f"global[{index}]", self.tables
        type = tables.types.at(record["type"], f"{path}.type")
        name = tables.strings.at(record["name"], f"{path}.name")
        if not name:
            where, empty = f"{path}.name", "a global without a name"
            raise BadReference("string", record["name"], 0, path=where, problem=empty)
        try:
            constant = tables.constant(record["value"], type)
        except BadReference as bad:
            raise bad.at(f"{path}.value") from None
        return Global(
            name=name,
            type=constant.type,
            value=constant,
            alignment=int(record["alignment"]),
            private=bool(record["visibility"]),
            constant=bool(record["constant"]),
        )

    @once
    def functions(self) -> list[Function]:
        """The kernels, always the same objects; the table is read when first asked for."""
        with self.located():
            records = self.section("Func") or ()
            self._count_parameters(records)
            source = cast(Source, self)  # pyright does not look through `once`
            return [
                Function(source, index, record)
                for index, record in enumerate(records)
                if record["flags"] & KERNEL
            ]

    @once
    def declarations(self) -> list[Declaration]:
        """The functions without bodies, which only files with public-preview content have."""
        return [read for read, _ in self.declared]

    @once
    def declared(self) -> list[tuple[Declaration, Container]]:
        """Each declaration with its record in the function table."""
        if not self.version.preview:
            return []
        with self.located(), deep_recursion(self.limits):
            records = self.section("Func") or ()
            return [
                (self._declaration(record, index), record)
                for index, record in enumerate(records)
                if not record["flags"] & KERNEL
            ]

    def _declaration(self, record: Container, index: int) -> Declaration:
        try:
            debug, number = cast("DebugInfo | None", self.debug), record["location"]
            location = debug.location(number, 0) if debug is not None and number else None
            return declaration(record, index, self.tables, location)
        except BadReference as bad:
            raise bad.at(f"func[{index}]") from None

    def _count_parameters(self, records: Sequence[Container]) -> None:
        """Refuse functions that share signatures so often that their values would not end."""
        types, total = self.tables.types.entries, 0
        most = MAX_SHARED_PARAMETERS + len(self.data)
        parameters: dict[int, int] = {}
        for index, record in enumerate(records):
            number = record["signature"]
            if number not in parameters:
                entry = types[number] if number < len(types) else {}
                parameters[number] = len(entry.get("parameters") or ())
            total += parameters[number]
            if total > most:
                bad = BadReference("type", number, 0, path=f"func[{index}].signature", kind="limit")
                bad.expected = f"at most {most} parameters in a file of {len(self.data)} bytes"
                bad.found = "more, as functions share signatures"
                raise bad

    @once
    def debug(self) -> DebugInfo | None:
        """The debug section, read when first asked for; None if there is none."""
        with self.located():
            record = self.section("Debug")
            if record is None:
                return None
            return DebugInfo(record, self.tables.strings, self.error, self.limits)

    def section(self, name: str) -> Any:
        """Return the record of the active section of a name; None without one.

        Bytes after the record are noted as an oddity.
        """
        section = self._active.get(name)
        if section is None:
            return None
        record, stop = codec.parse_section(
            self.data,
            name,
            section.payload,
            self.version,
            self._type_tags,
            limits=self.limits,
            warnings=self.oddities,
            deferred=name in DEFERRED,
            reference=self._reference,
        )
        rest = bytes(self.data[stop : section.payload.offset + section.size])
        if rest.strip(bytes((FILL,))):
            text = f"{len(rest)} unused bytes"
            self.oddities.append(Oddity("unused", stop, name, name.lower(), text))
        return record

    def body(self, code: Slice, path: str) -> tuple[list[tuple], list[Oddity]]:
        """Return the op rows of a body, and its oddities."""
        odd: list[Oddity] = []
        rows = codec.parse_body(
            self.data,
            code,
            self.version,
            self._type_tags,
            path,
            limits=self.limits,
            warnings=odd,
            reference=self._reference,
        )
        return rows, odd

    # Oddities and errors ------------------------------------------------------------------------

    def note(self, oddities: Sequence[Oddity]) -> None:
        """Add the oddities of something that is read only once."""
        with self._lock:
            self.oddities += oddities

    def include_unused(self) -> None:
        """From now on, include the oddities of types and debug records that nothing uses."""
        with self._lock:
            if self._unused_due is None:
                self._unused_due = True

    def all_oddities(self) -> list[Oddity]:
        """Return all oddities; after `include_unused`, those of unused records too."""
        with self._lock:
            if self._unused_due:
                self.oddities += list(self._unused())
                self._unused_due = False
            return self.oddities[:]

    def first_oddities(self) -> Iterator[Oddity]:
        """Yield the same oddities in that order, for callers that need only the first."""
        with self._lock:
            known, due = self.oddities[:], self._unused_due
        return chain(known, self._unused() if due else ())

    def _unused(self) -> Iterator[Oddity]:
        types = self.tables.types
        for index in range(len(types)):
            if types.peek(index) is None and types.tags[index] is not None:
                where = self._active["Type"].payload.offset
                odd = "refers to something that is not there, but nothing uses it"
                yield Oddity("malformed", where, "Type", f"type[{index}]", odd)
        for records in (types.entries, self.debug.entries if self.debug else ()):
            if isinstance(records, Deferred):
                yield from records.oddities()

    @contextlib.contextmanager
    def located(self) -> Iterator[None]:
        """Turn a BadReference that is raised inside into a BytecodeError at its field's offset."""
        try:
            yield
        except BadReference as bad:
            raise self.error(bad) from None

    def error(self, bad: BadReference) -> BytecodeError:
        """Return the error located at the field `bad.path`; its section is read again for that."""
        first = bad.path.split("[")[0].split(".")[0]
        section = next((s for s in self._active.values() if s.name.lower() == first), None)
        offset = 0
        if section is not None:
            offset = section.payload.offset
            try:
                self._trace(section, Search(bad.path))
            except FieldFound as field:
                offset = field.offset
            except BytecodeError:  # the field may lie after bytes that cannot be read
                pass
        return BytecodeError(
            bad.kind,
            offset=offset,
            section=section.name if section else "header",
            path=bad.path,
            expected=bad.expected,
            found=bad.found,
        )

    def _trace(self, section: Section, search: Search) -> None:
        """Read the record, or the whole section, with the field searched for again."""
        records, index = None, search.entry
        if section.name == "Type":
            records = self.tables.types.entries
        elif section.name == "Debug" and search.path.startswith("debug.records"):
            records = self.debug.entries if self.debug else None
        if isinstance(records, Deferred) and index is not None:
            records.trace(index, search)
            return
        codec.parse_section(
            self.data,
            section.name,
            section.payload,
            self.version,
            self._type_tags,
            limits=self.limits,
            trace=search,
            eager=True,
            reference=self._reference,
        )


def _sections(records: Sequence[Container]) -> Iterator[Section]:
    last = {record["name"]: index for index, record in enumerate(records)}
    for index, record in enumerate(records):
        name, alignment = record["name"], record["alignment"]
        alignment = None if alignment is None else int(alignment)
        active = last[name] == index
        yield Section(name, record["offset"], alignment, record["payload"], active)
