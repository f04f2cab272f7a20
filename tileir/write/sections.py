"""The sections of a file that is written: changed ones are encoded, the others keep their bytes.

Writing starts from an empty module or from a file. Functions and globals are passed as records; the
tables that they refer to grow meanwhile and are written last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from construct import Container

from tileir.errors import BuildError
from tileir.formats import codec
from tileir.formats.attributes import ATTRIBUTE
from tileir.formats.container import ALIGNED, PREVIEW_BIT
from tileir.formats.cursor import Slice
from tileir.formats.enums import SYMBOL_VISIBILITY
from tileir.formats.functions import (
    ARGUMENT_ATTRIBUTES_SINCE,
    HINTS,
    HINTS_SINCE,
    KERNEL,
    PRIVATE,
)
from tileir.formats.leaves import FILL
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Since
from tileir.formats.sections import BY_NAME, GLOBAL, SECTIONS
from tileir.formats.specialised.rows import pack
from tileir.formats.version import Version
from tileir.ir import Body, Value
from tileir.ir.attribute_kinds import ENTRY, GLOBAL_VARIABLE, item_problem
from tileir.messages.texts import display
from tileir.read.declarations import Declaration
from tileir.read.function import Function
from tileir.types import FunctionType

from .attributes import Record, encode_attribute, encode_constant, integer
from .body import BodyEncoder, parameters
from .built_function import BuiltFunction, Written
from .changed_bodies import Entry, Globals, check_edited, check_entry
from .declarations import declaration_record
from .tables import OutputTables
from .unreferenced import Entries, OutputFile, Referenced

if TYPE_CHECKING:
    from tileir.read.function import Global, Source
    from tileir.read.original import OriginalFile

ORDER = [kind.name for kind in sorted(SECTIONS, key=lambda kind: (kind.rank, -kind.number))]
"""Names of sections in the order in which new ones are written; globals first, as cuTile does."""

GLOBAL_SINCE = {
    part.name: part.subcon.since for part in GLOBAL.subcons if isinstance(part.subcon, Since)
}
"""Field of a global that older versions lack -> the first version that has it."""


EMPTY = Slice(0, b"")
"""A string or constant that has lost its content."""
UNKNOWN = {"variant": "Unknown"}
"""A debug record that has lost its content."""


class Writer:
    """Collects new and changed records, and writes the file; `tables` gives out indices.

    `globals` are those of the module by name, which get_global may name; None if they are not
    known.
    """

    def __init__(
        self,
        version: Version,
        original: OriginalFile | None = None,
        check: bool = True,
        *,
        globals: Globals | None = None,
        tag: int = 0,
        limits: Limits = DEFAULT,
    ) -> None:
        self.version = version
        self.original = original
        self.globals = globals
        self.tag = tag
        self._check = check
        self.starts: list[int] = []
        self.indices: list[int] = []
        self.payloads: dict[str, bytes] = {}
        self.dropped: set[str] = set()
        self.lost = Referenced()
        if original is None:
            self.tables = OutputTables(version, limits=limits)
        else:
            old = original.tables
            strings, constants = old.strings.entries, list(old.constants)
            self.tables = OutputTables(
                version, strings, old.types, constants, original.debug, original.limits
            )

    # Entries ------------------------------------------------------------------------------------

    def entry(self, function: Function | Written) -> Record:
        """Return a function's entry in the function table, without its location and body."""
        try:
            return self._entry(function)
        except BuildError as error:
            name = function.name if isinstance(function.name, str) else repr(function.name)
            raise BuildError(f"function {display(name)}: {error}") from None

    def _entry(self, function: Function | Written) -> Record:
        hints, arguments = function.hints, function.argument_attributes
        wrong = item_problem(function, ENTRY)
        if wrong:
            raise BuildError(wrong)
        listed = self.version >= ARGUMENT_ATTRIBUTES_SINCE
        none = isinstance(arguments, tuple | list) and not arguments
        if not none and not listed:
            needs = f"needs {ARGUMENT_ATTRIBUTES_SINCE}, writing {self.version}"
            raise BuildError(f"argument_attributes {needs}")
        row = self._row(hints)
        always = self.version >= HINTS_SINCE
        announced = bool(row[1]) and not always
        return {
            "name": self.tables.string(function.name),
            "signature": self.tables.types.index(function.type),
            "flags": KERNEL | PRIVATE * function.private | HINTS * announced,
            "hints": row if always or announced else None,
            "argument_attributes": self._row(arguments) if listed else None,
            "implementation": None,
            "const_params": None,
        }

    def _row(self, attribute: object) -> Any:
        return pack(ATTRIBUTE, encode_attribute(attribute, self.tables), self.version)

    def declaration(self, declared: Declaration) -> Record:
        """Return the record of a function without a body."""
        try:
            return declaration_record(declared, self.tables) | {
                "location": self.debug_list(self.location(declared), [])
            }
        except BuildError as error:
            raise BuildError(f"function {display(declared.name)}: {error}") from None

    def encoder(self) -> BodyEncoder:
        """Return an encoder of a body into these tables."""
        return BodyEncoder(self.tables, self.tables.limits)

    def function(self, function: Function | Written) -> Record:
        """Return the record of a function that the file does not have yet."""
        record = self.entry(function)
        encoder = self.encoder()
        ops = self.body(encoder, function.name, function.type, function.body)
        record["body"] = Slice(0, encoder.build(ops))
        record["location"] = self.debug_list(self.location(function), encoder.locations)
        return record

    def built(self, function: BuiltFunction) -> Record:
        """Return the record of a function that was built; BuildError if it is not finished."""
        function.finish()
        record = self.function(function)
        self.checked(function.name, function.body)
        self.checked_entry(function)
        return record

    def checked_entry(self, function: Entry, original: Function | None = None) -> None:
        """Raise BuildError for an entry or location that breaks a rule which `original` kept."""
        if self._check:
            check_entry(function, original)

    def checked(
        self,
        name: str,
        body: Body,
        original: Body | None = None,
        before: Globals | None = None,
    ) -> None:
        """Raise BuildError for a body that breaks a rule which the `original` body kept.

        `before` are the globals of the file that the original body is in.
        """
        if self._check:
            check_edited(name, body, original, self.globals, before)

    def body(self, encoder: BodyEncoder, name: str, type: FunctionType, body: Body) -> list[Record]:
        """Return the op records of a body, whose parameters must be those of the signature."""
        try:
            arguments = parameters(body.block)
        except BuildError as error:
            raise BuildError(f"function {display(name)}: {error}") from None
        if not all(isinstance(value, Value) for value in arguments):
            raise BuildError(f"function {display(name)}: parameters must be values: {arguments!r}")
        types = tuple(value.type for value in arguments)
        if types != type.parameters:
            spelled = ", ".join(map(str, types))
            raise BuildError(f"function {display(name)} is {type}, its parameters are ({spelled})")
        try:
            return encoder.encode(body)
        except BuildError as error:
            raise BuildError(f"function {display(name)}: {error}") from None

    def location(self, function: Function | Written | Declaration) -> int:
        """Return the number of the debug record of a function's location."""
        try:
            return self.tables.locations.number(function.location)
        except BuildError as error:
            raise BuildError(f"function {display(function.name)}: location: {error}") from None

    def debug_list(self, own: int, ops: Sequence[int]) -> int:
        """Return the number of a new list of locations, 0 if none of them is known."""
        if not own and not any(ops):
            return 0
        debug = self.original.debug if self.original else None
        before = (len(debug.starts), len(debug.indices)) if debug else (0, 0)
        self.starts.append(before[1] + len(self.indices))
        self.indices += [own, *ops]
        return before[0] + len(self.starts)

    def variable(self, variable: Global) -> Record:
        """Return the record of a global."""
        name, tables = variable.name, self.tables
        try:
            wrong = item_problem(variable, GLOBAL_VARIABLE)
            if wrong:
                raise BuildError(wrong)
            for what, field in (("private", "visibility"), ("constant", "constant")):
                if getattr(variable, what) and self.version < GLOBAL_SINCE[field]:
                    raise BuildError(f"{what} needs {GLOBAL_SINCE[field]}, writing {self.version}")
            constant = encode_constant(variable.value, variable.type, tables)
            visibility = "private" if variable.private else "public"
            record = {
                "name": tables.string(name),
                "type": tables.types.index(variable.type),
                "value": constant["constant"],
                "alignment": integer(variable.alignment),
                "visibility": SYMBOL_VISIBILITY.by_name[visibility].value,
                "constant": int(variable.constant),
            }
            codec.build(GLOBAL, record, self.version)
            return record
        except BuildError as error:
            raise BuildError(f"global {display(str(name))}: {error}") from None

    # Sections -----------------------------------------------------------------------------------

    def replace(self, name: str, record: object) -> None:
        """Give a section new contents; unexplained bytes after its old contents are kept."""
        section = BY_NAME[name]
        if section.since > self.version:
            raise BuildError(f"{name} section needs {section.since}, writing {self.version}")
        payload = codec.build_section(
            name, record, self.version, self.tables.types.tags, limits=self.tables.limits
        )
        rest = self._read(name)[1]
        self.payloads[name] = payload + (rest if rest.strip(bytes((FILL,))) else b"")

    def _refuse_sealed(self, name: str) -> None:
        """Raise BuildError for a section of a newer version of which something is unknown."""
        unknown = self.original.sealed.get(name) if self.original else None
        if unknown is not None:
            raise BuildError(f"the {name} section cannot be changed: {unknown}")

    def drop(self, name: str) -> None:
        """Leave a section out."""
        self._refuse_sealed(name)
        self.dropped.add(name)

    def _read(self, name: str) -> tuple[Any, bytes]:
        """Return the record of a section of the file, None without one, and the bytes after it."""
        self._refuse_sealed(name)
        original = self.original
        present = [s for s in (original.sections if original else ()) if s.name == name]
        if original is None or not present:
            return None, b""
        data, payload = original.data, present[-1].payload
        record, stop = codec.parse_section(
            data,
            name,
            payload,
            self.version,
            original.tables.types.tags,
            limits=original.limits,
        )
        return record, bytes(data[stop : payload.offset + len(payload.data)])

    def records(self, name: str) -> list[Record]:
        """Return the record of a section of the file in a list, an empty one without a section.

        One of which something is unknown counts as none.
        """
        if self.original and name in self.original.sealed:
            return []
        record, _ = self._read(name)
        return [] if record is None else [record]

    def empty_lost(self, before: Entries, after: Entries) -> None:
        """Empty what only the entries `before`, those of the file as it was read, refer to."""
        original = cast("Source", self.original)  # pyright does not look through `once`
        debug, added = original.debug, self.tables.locations.added
        file = OutputFile(
            original,
            self.tables.types.tags,
            [*(debug.starts if debug else ()), *self.starts],
            [*(debug.indices if debug else ()), *self.indices],
            [*(debug.entries if debug else ()), *added],
        )
        self.lost = file.lost(before, after)

    def _write_tables(self) -> None:
        """Write the tables that have new entries, and those of which entries are emptied."""
        tables, lost = self.tables, self.lost
        added = tables.locations.added
        if self.starts or added or lost.debug_records or lost.list_elements:
            debug = self._read("Debug")[0] or {
                "starts": {"elements": []},
                "indices": {"elements": []},
                "records": {"entries": []},
            }
            emptied = [number - 1 for number in lost.debug_records]
            _extend(debug["starts"], "elements", self.starts)
            _extend(debug["indices"], "elements", self.indices, lost.list_elements, 0)
            _extend(debug["records"], "entries", added, emptied, UNKNOWN)
            self.replace("Debug", debug)
        for name, added, emptied in (
            ("String", tables.strings.added, lost.strings),
            ("Type", tables.types.added, ()),
            ("Constant", tables.constants.added, lost.constants),
        ):
            if added or emptied or (self.original is None and BY_NAME[name].mandatory):
                table = self._read(name)[0] or {"entries": []}
                _extend(table, "entries", added, emptied, EMPTY)
                self.replace(name, table)

    def file(self) -> bytes:
        """Return the bytes of the file, with replaced sections in the place of the old ones."""
        self._write_tables()
        if self.original is None:
            tag = self.tag | (PREVIEW_BIT if self.version.preview else 0)
            header = {"magic": b"", "version": self.version, "tag": tag}
            return codec.build_file({"header": header, "sections": list(self._new(ORDER))})
        old = self.original.file
        sections = []
        for section, record in zip(self.original.sections, old["sections"], strict=True):
            if section.name in self.dropped:
                continue
            payload = self.payloads.get(section.name) if section.active else None
            if payload is not None:
                record = {**record, "length": None, "payload": Slice(0, payload)}
            sections.append(record)
        have = {section.name for section in self.original.sections}
        for record in self._new(name for name in ORDER if name not in have):
            later = ORDER[ORDER.index(record["name"]) :]
            followers = [i for i, other in enumerate(sections) if other["name"] in later]
            sections.insert(min(followers, default=len(sections)), record)
        return codec.build_file(Container(header=old["header"], sections=sections))

    def _new(self, names: Iterable[str]) -> Iterator[Record]:
        for name in names:
            if name in self.payloads:
                section = BY_NAME[name]
                yield {
                    "id": section.number | (ALIGNED if section.alignment else 0),
                    "name": name,
                    "alignment": section.alignment or None,
                    "payload": Slice(0, self.payloads[name]),
                }


def _extend(
    table: Record, name: str, added: Sequence, emptied: Iterable[int] = (), empty: object = None
) -> None:
    """Add entries to a table, and put `empty` in the place of those with the indices `emptied`."""
    entries = list(table[name])
    for index in emptied:
        if index < len(entries):  # an entry that was never read may refer to more than there is
            entries[index] = empty
    table[name] = [*entries, *added]
