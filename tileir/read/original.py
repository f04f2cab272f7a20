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
from tileir.formats.container import nothing_read, version_of
from tileir.formats.cursor import UNKNOWN, Oddity, Opaque, Slice
from tileir.formats.deferred import Deferred
from tileir.formats.errors import LONGEST_PATH, shorten
from tileir.formats.forks import Lock
from tileir.formats.functions import KERNEL
from tileir.formats.leaves import FILL
from tileir.formats.limits import MAX_SHARED_PARAMETERS, Limits
from tileir.formats.nodes import opaque_of
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import Version

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

NEEDED = ("String",)
"""Sections without which nothing can be said of a file, whatever its version."""


class OriginalFile:
    """A file as it was read. Opening reads header, section list and small tables.

    BytecodeError if they cannot be read.

    data       the bytes
    limits     how deep things may be nested
    file       the records of header and sections, payloads as slices
    version    the version by which the file is read: see `formats.version.Newer`
    assumed    the version that a caller gave in place of the one that the header states
    sealed     names of sections of which something is unknown, and what; they cannot be changed
    tag        16 bits of the header that say something about the whole file
    sections   `Section` objects in file order, ignored ones included
    tables     strings, types and constants
    producer   who wrote the file, or None
    globals    each `Global` with its record
    oddities   the oddities of what has been read so far
    """

    def __init__(
        self,
        data: memoryview,
        limits: Limits,
        reference: bool,
        assumed: Version | None = None,
    ) -> None:
        self.data = data
        self.limits = limits
        self.oddities: list[Oddity] = []
        self._reference = reference
        self._unused_due: bool | None = None
        self._lock = Lock()
        self.assumed = assumed
        self.sealed: dict[str, str] = {}
        self.file = codec.parse_file(data, warnings=self.oddities, assumed=assumed)
        self.version = version_of(self.file["header"], assumed)
        self.tag: int = self.file["header"]["tag"]
        self.sections = tuple(_sections(self.file["sections"]))
        self._active = {section.name: section for section in self.sections}
        self._type_tags: Sequence[int | None] = ()
        try:
            with self.located():
                self._read_tables()
        except BytecodeError as error:
            raise nothing_read(self.version, error) from None

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
            with self._tolerant("Producer"):
                self.producer = strings.at(producer["producer"], "producer.producer")
        self.globals: list[tuple[Global, Container]] = []
        for index, record in enumerate(self.section("Global") or ()):
            with self._tolerant("Global"):
                self.globals.append((self._global(record, index), record))

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
            functions = []
            for index, record in enumerate(records):
                if record["flags"] & KERNEL:
                    with self._tolerant("Func"):
                        functions.append(Function(source, index, record))
            return functions

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
            declared = []
            for index, record in enumerate(self.section("Func") or ()):
                if not record["flags"] & KERNEL:
                    with self._tolerant("Func"):
                        declared.append((self._declaration(record, index), record))
            return declared

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

    # Sections -----------------------------------------------------------------------------------

    def section(self, name: str) -> Any:
        """Return the record of the active section of a name; None without one.

        Bytes after the record are noted as an oddity. In a file of a newer version, a section that
        cannot be read is as if there were none, apart from the strings; without names there is
        nothing to say of anything.
        """
        section = self._active.get(name)
        if section is None:
            return None
        record = None
        with self._tolerant(name) if name not in NEEDED else contextlib.nullcontext():
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
            self._check_end(section, opaque_of(record), stop)
        return record

    def _check_end(self, section: Section, opaque: Opaque | None, stop: int) -> None:
        """Note bytes of a section after what could be read of it, which end at `stop`."""
        name = section.name
        if opaque is not None:  # of which the codec has warned
            self.sealed[name] = opaque.message
        rest = bytes(self.data[stop : section.payload.offset + section.size])
        if rest.strip(bytes((FILL,))):
            text, kind = f"{len(rest)} unused bytes", "unused"
            if self.version.open:
                text, kind = f"{len(rest)} bytes behind all that is known are opaque", UNKNOWN
                self.sealed[name] = text
            self.oddities.append(Oddity(kind, stop, name, name.lower(), text))

    @contextlib.contextmanager
    def _tolerant(self, name: str) -> Iterator[None]:
        """In a file of a newer version, make an error in a section an oddity, and seal it."""
        try:
            yield
        except (BadReference, BytecodeError) as error:
            if not self.version.open:
                raise
            where = self._active[name].payload.offset
            offset = error.offset if isinstance(error, BytecodeError) else where
            path = shorten(error.path, LONGEST_PATH)
            text = f"expected {error.expected}, found {error.found}"
            self.sealed[name] = text
            self.oddities.append(Oddity(UNKNOWN, offset, name, path, text))

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
