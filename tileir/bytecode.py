"""`Bytecode`: one Tile IR file, open for reading.

The header, the section list and the small tables are read at once; function bodies and the debug
section when first touched. Constants and untouched bodies stay views of the bytes given to `parse`,
which must not change as long as the object is used.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from construct import Container

from tileir.formats import codec
from tileir.formats.cursor import Oddity, Slice, brief
from tileir.formats.leaves import FILL
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import Version

from . import attributes as attr
from .constants import Constant
from .decode import BodyDecoder
from .errors import BytecodeError, Diagnostic
from .ir import Body, Op
from .locations import CallSite, DebugInfo, Location, SourceLocation
from .references import BadReference, Strings
from .seek import Found, Search
from .tables import Tables, decode_attribute
from .types import FunctionType, Tile
from .typetable import TypeTable


@dataclass(frozen=True, slots=True)
class Section:
    """A section as it lies in the file. Offsets and sizes are in bytes.

    `offset` is where its id byte is, `payload` the contents. Of several sections of one name only
    the last counts; the others are not `active`.
    """

    name: str
    offset: int
    alignment: int | None
    payload: Slice
    active: bool

    @property
    def size(self) -> int:
        """Size of the payload."""
        return len(self.payload.data)


@dataclass(frozen=True, slots=True)
class Global:
    """A module-level variable. `alignment` 0 is the default; `constant` ones are read-only."""

    name: str
    type: Tile
    value: Constant
    alignment: int
    private: bool
    constant: bool


class Function:
    """A kernel entry point. The body is decoded when first touched, by one thread."""

    def __init__(self, bytecode: Bytecode, index: int, record: Container) -> None:
        self._bytecode = bytecode
        self._record = record
        self._lock = threading.Lock()
        self._body: Body | None = None
        self.index = index
        path = f"func[{index}]"
        tables = bytecode.tables
        self.name: str = tables.strings.at(record["name"], f"{path}.name")
        if not self.name:
            where, empty = f"{path}.name", "a function without a name"
            raise BadReference("string", record["name"], 0, path=where, problem=empty)
        signature = tables.types.at(record["signature"], f"{path}.signature")
        if not isinstance(signature, FunctionType):
            raise BadReference(
                "type",
                record["signature"],
                len(tables.types),
                path=f"{path}.signature",
                problem=f"{signature} is not a signature",
            )
        self.type: FunctionType = signature
        self.private: bool = bool(record["flags"] & 1)
        hints = self._attribute("hints")
        self.hints: attr.Hints = attr.Hints({}) if hints is None else hints
        if not isinstance(self.hints, attr.Hints):
            raise BadReference(
                "attribute",
                record["hints"][0],
                0,
                path=f"{path}.hints.tag",
                problem="not optimization hints",
            )
        self.argument_attributes = self._attribute("argument_attributes") or ()

    def _attribute(self, name: str) -> object:
        record = self._record[name]
        if record is None:
            return None
        try:
            return decode_attribute(record, self._bytecode.tables)
        except BadReference as bad:
            raise bad.at(f"func[{self.index}].{name}") from None

    @property
    def code(self) -> Slice:
        """The body as it lies in the file: its offset, and a view of its bytes."""
        return self._record["body"]

    @property
    def body(self) -> Body:
        """The decoded body."""
        with self._lock:
            if self._body is None:
                self._body = self._bytecode._decode(self)
            return self._body

    @property
    def ops(self) -> list[Op]:
        """The ops at the top level of the body."""
        return self.body.block.ops

    def walk(self) -> Iterator[Op]:
        """Every op of the body in pre-order."""
        return self.body.walk()

    @property
    def location(self) -> SourceLocation | CallSite | None:
        """Where the function is in source."""
        return self._bytecode._location(self, 0)

    @property
    def debug_list_length(self) -> int | None:
        """Length of the function's list in the debug section (ops + 1), None without debug info."""
        with self._bytecode._located():
            if not self._record["location"]:
                return None
            start, end = self._bytecode.debug.list_of(self._record["location"])
            return end - start

    def __repr__(self) -> str:
        return f"<Function {self.name} {self.type}>"


class Bytecode:
    """A parsed Tile IR file. Make one with `parse`; read its attributes; write it with `build`.

    version    bytecode version of the file, a pair
    tag        16 bits of the header that say something about the whole file; 0 so far
    sections   `Section` objects in file order, ignored ones included
    strings    the string table
    types      the type table: Scalar, Tile, Pointer, ... of `tileir.types`
    constants  contents of the constant table
    globals    `Global` objects
    functions  `Function` objects: the kernels
    producer   who wrote the file, as free text, or None
    debug      the debug section, or None
    warnings   oddities found so far, as Diagnostics
    data       the bytes themselves
    """

    @classmethod
    def parse(
        cls, data, strict: bool = False, *, limits: Limits = DEFAULT, reference: bool = False
    ) -> Bytecode:
        """Read a file's bytes (bytes, bytearray, memoryview, mmap or any buffer of bytes).

        Raises BytecodeError for what is not Tile IR bytecode, or nests deeper than `limits`. What
        NVIDIA's readers accept but no careful producer writes ends up in `warnings`; with `strict`
        it is an error, and everything is read at once. With `reference`, Construct interprets the
        schema instead of the codec that is generated from it: slow, for comparison.
        """
        try:
            view = memoryview(data)
        except TypeError:
            raise TypeError(f"expected bytes, got {type(data).__name__}") from None
        if not view.c_contiguous:
            raise TypeError("expected contiguous bytes, got a buffer with strides")
        view = view.cast("B")
        bytecode = cls(view, limits, reference)
        return bytecode.touch(strict=True) if strict else bytecode

    def __init__(self, data: memoryview, limits: Limits, reference: bool) -> None:
        self.data = data
        self.limits = limits
        self._reference = reference
        self._oddities: list[Oddity] = []
        self._noted: set[str] = set()
        self._lock = threading.RLock()
        self._file = codec.parse_file(data, warnings=self._oddities)
        self.version: Version = self._file["header"]["version"]
        self.tag: int = self._file["header"]["tag"]
        self.sections = self._section_list()
        self._active = {section.name: section for section in self.sections}
        self._type_tags: Sequence[int | None] = ()
        with self._located():
            self._read_tables()

    def _section_list(self) -> list[Section]:
        records = self._file["sections"]
        last = {record["name"]: index for index, record in enumerate(records)}
        offset = 12
        sections = []
        for index, record in enumerate(records):
            payload = record["payload"]
            name, alignment = record["name"], record["alignment"]
            alignment = None if alignment is None else int(alignment)
            sections.append(Section(name, offset, alignment, payload, last[name] == index))
            offset = payload.offset + len(payload.data)
        return sections

    def _read_tables(self) -> None:
        empty = Container(entries=())
        self.strings = Strings((self._section("String") or empty)["entries"])
        self.types = TypeTable(
            (self._section("Type") or empty)["entries"], self.limits, self._error
        )
        self._type_tags = self.types.tags
        self._constants = (self._section("Constant") or empty)["entries"]
        self.tables = Tables(self.strings, self.types, self._constants)
        producer = self._section("Producer")
        self.producer: str | None = None
        if producer is not None:
            self.producer = self.strings.at(producer["producer"], "producer.producer")
        self.globals = [
            self._global(record, f"global[{index}]")
            for index, record in enumerate(self._section("Global") or ())
        ]
        with deep_recursion(self.limits):
            self.functions = [
                Function(self, index, record)
                for index, record in enumerate(self._section("Func") or ())
            ]

    def _section(self, name: str):
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
            warnings=self._oddities,
            reference=self._reference,
        )
        rest = bytes(self.data[stop : section.payload.offset + section.size])
        if rest.strip(bytes((FILL,))):
            self._oddities.append(
                Oddity("unused", stop, name, name.lower(), f"{len(rest)} unused bytes")
            )
        return record

    def _global(self, record: Container, path: str) -> Global:
        type = self.types.at(record["type"], f"{path}.type")
        try:
            constant = self.tables.constant(record["value"], type)
        except BadReference as bad:
            raise bad.at(f"{path}.value") from None
        return Global(
            name=self.strings.at(record["name"], f"{path}.name"),
            type=type,
            value=constant,
            alignment=int(record["alignment"]),
            private=bool(record["visibility"]),
            constant=bool(record["constant"]),
        )

    @property
    def constants(self) -> list[Slice]:
        """Contents of the constant table, untyped, as views of the file."""
        return list(self._constants)

    @cached_property
    def debug(self) -> DebugInfo | None:
        """The debug section, None if there is none."""
        with self._lock, self._located():
            record = self._section("Debug")
            return None if record is None else DebugInfo(record, self.strings, self._error)

    def function(self, name: str) -> Function:
        """The function of that name; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Oddities of what has been read so far; `touch` reads everything."""
        with self._lock:
            return [
                Diagnostic(
                    "warning",
                    odd.kind,
                    f"{odd.section}: {brief(odd.place)}: {odd.message}",
                    odd.offset,
                )
                for odd in self._oddities
            ]

    def touch(self, strict: bool = False) -> Bytecode:
        """Read everything that is otherwise read on demand, and return self.

        With `strict`, raise BytecodeError for the first oddity.
        """
        for function in self.functions:
            _ = function.body
        _ = self.debug  # though no function may have a location
        for index in range(len(self.types)):
            if self.types.peek(index) is None and self.types.tags[index] is not None:
                odd = "refers to something that is not there, but nothing uses it"
                self._note("malformed", "Type", f"type[{index}]", odd)
        if strict:
            self._refuse_oddities()
        return self

    def _note(self, kind: str, section: str, path: str, message: str) -> None:
        oddity = Oddity(kind, self._active[section].payload.offset, section, path, message)
        with self._lock:
            if path not in self._noted:
                self._noted.add(path)
                self._oddities.append(oddity)

    def _refuse_oddities(self) -> None:
        for odd in self._oddities:
            raise BytecodeError(
                "noncanonical",
                offset=odd.offset,
                section=odd.section,
                path=odd.path,
                expected="what a producer writes",
                found=odd.message,
            )

    def _decode(self, function: Function) -> Body:
        path = f"func[{function.index}].body"
        warnings: list[Oddity] = []
        rows = codec.parse_body(
            self.data,
            function.code,
            self.version,
            self._type_tags,
            path,
            limits=self.limits,
            warnings=warnings,
            reference=self._reference,
        )
        with self._located():
            decoder = BodyDecoder(
                self.version, self.tables, function.code.offset, self._locator(function)
            )
            with deep_recursion(self.limits):
                try:
                    body = decoder.decode(rows, function.type)
                except BadReference as bad:
                    raise bad.at(path) from None
        with self._lock:
            self._oddities += warnings
        return body

    def _locator(self, function: Function) -> Callable[[int], Location | None]:
        """What gives the location of the function's op number n; the function's own is checked."""
        number, where = function._record["location"], f"func[{function.index}].location"
        if not number:
            return lambda position: None
        if self.debug is None:
            raise BadReference("debug list", number, 0, path=where)
        try:
            self.debug.location(number, 0)  # as wrong as an op's, if it is wrong
            return self.debug.locator(number)
        except BadReference as bad:
            raise bad.at(where) from None

    def _location(self, function: Function, position: int) -> SourceLocation | CallSite | None:
        number = function._record["location"]
        if not number or self.debug is None:
            return None
        with self._located(), deep_recursion(self.limits):
            try:
                return self.debug.location(number, position)
            except BadReference as bad:
                raise bad.at(f"func[{function.index}].location") from None

    @contextlib.contextmanager
    def _located(self):
        """Turn a reference that leads nowhere into an error at the field that holds it."""
        try:
            yield
        except BadReference as bad:
            raise self._error(bad) from None

    def _error(self, bad: BadReference) -> BytecodeError:
        """Read the section again, traced, to find where in the file the field at `bad.path` is."""
        first = bad.path.split("[")[0].split(".")[0]
        section = next((s for s in self._active.values() if s.name.lower() == first), None)
        offset = 0
        if section is not None:
            offset = section.payload.offset
            try:
                codec.parse_section(
                    self.data,
                    section.name,
                    section.payload,
                    self.version,
                    self._type_tags,
                    limits=self.limits,
                    trace=Search(bad.path),
                    eager=True,
                    reference=self._reference,
                )
            except Found as found:
                offset = found.offset
            except BytecodeError:  # the field may lie behind what cannot be read
                pass
        return BytecodeError(
            bad.kind,
            offset=offset,
            section=section.name if section else "header",
            path=bad.path,
            expected=bad.expected,
            found=bad.found,
        )

    def build(self) -> bytes:
        """The file's bytes. Nothing can be changed yet, so they are the bytes that were read."""
        return codec.build_file(self._file)

    def __repr__(self) -> str:
        names = ", ".join(function.name for function in self.functions)
        return f"<Bytecode {self.version}, {len(self.data)} bytes: {names}>"
