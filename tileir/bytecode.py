"""`Bytecode`: one Tile IR file, open for reading and for changes.

The header, the section list and the small tables are read at once; the function table, function
bodies and the debug section when first touched, so what is wrong there is an error then. Constants
and untouched bodies stay views of the bytes given to `parse`, which must not change as long as the
object is used.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from construct import Container

from tileir.formats import codec
from tileir.formats.cursor import Oddity, Slice, brief
from tileir.formats.leaves import FILL
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import SUPPORTED, Version

from . import launch
from .collector import paused_collector
from .decode import BodyDecoder
from .errors import BuildError, BytecodeError, Diagnostic
from .function import Function, Global, Section
from .ir import Body
from .locations import CallSite, DebugInfo, Location, SourceLocation
from .once import once
from .references import BadReference, Strings
from .retarget import check_oddities, retarget
from .seek import Found, Search
from .tables import Tables
from .typetable import TypeTable


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

    `launch_attributes` is what the text that it was made from says about launching its kernels and
    the bytes cannot hold; of a file, nothing.
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
        self.launch_attributes = launch.NONE
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
        self._found_producer = self.producer
        records = self._section("Global") or ()
        self.globals = [
            self._global(record, f"global[{index}]") for index, record in enumerate(records)
        ]
        self._found_globals = list(zip(self.globals, records, strict=True))

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
        name = self.strings.at(record["name"], f"{path}.name")
        if not name:
            where, empty = f"{path}.name", "a global without a name"
            raise BadReference("string", record["name"], 0, path=where, problem=empty)
        try:
            constant = self.tables.constant(record["value"], type)
        except BadReference as bad:
            raise bad.at(f"{path}.value") from None
        return Global(
            name=name,
            type=type,
            value=constant,
            alignment=int(record["alignment"]),
            private=bool(record["visibility"]),
            constant=bool(record["constant"]),
        )

    @once
    def functions(self) -> list[Function]:
        """The kernels. The function table is read when first asked for."""
        return list(self._found_functions)

    @once
    def _found_functions(self) -> list[Function]:
        with self._located():
            records = self._section("Func") or ()
            return [Function(self, index, record) for index, record in enumerate(records)]

    @property
    def constants(self) -> list[Slice]:
        """Contents of the constant table, untyped, as views of the file."""
        return list(self._constants)

    @once
    def debug(self) -> DebugInfo | None:
        """The debug section, None if there is none."""
        with self._located():
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
        with paused_collector():
            for function in self._found_functions:
                _ = function.type, function.hints, function.argument_attributes
            for function in self._found_functions:
                _ = function.body
                self._check_locations(function)
        _ = self.debug
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
                expected="nothing unusual",
                found=odd.message,
            )

    def _decode(self, function: Function, again: bool = False) -> Body:
        """A function's body from its bytes; read `again`, it warns of nothing."""
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
                    body = decoder.decode(rows, function._signature)
                except BadReference as bad:
                    raise bad.at(path) from None
        function._ops_found = decoder.position
        with self._lock:
            self._oddities += () if again else warnings
        return body

    def _locator(self, function: Function) -> Callable[[int], Location | None] | None:
        """What gives the location of the function's op number n, once somebody asks."""
        if not function._record["location"]:
            return None
        return lambda position: self._location(function, position + 1)

    def _check_locations(self, function: Function) -> None:
        """Refuse a list of locations in which the function's own or that of an op is wrong."""
        number, where = function._record["location"], f"func[{function.index}].location"
        if not number:
            return
        with self._located():
            try:
                if self.debug is None:
                    raise BadReference("debug list", number, 0)
                self.debug.location(number, 0)
                locate = self.debug.locator(number)
                for position in range(function._ops_found):
                    locate(position)
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
        """The file's bytes, with what was changed since it was read.

        Functions that did not change are the bytes they came from; those that did are written the
        shortest way. `functions` and `globals` may be edited, of a function the name, hints,
        argument attributes, location and all of its body, and the producer. BuildError, naming the
        place, if something cannot be written.
        """
        from .rewrite import rewritten

        return rewritten(self)

    def to_version(self, version: Version | str | tuple[int, int]) -> Bytecode:
        """The same module in another version of the format, for example ``to_version("13.1")``.

        Nothing is lost. All that the version lacks is listed in one VersionError; what is odd about
        the file (`warnings`) stays odd, or BuildError lists what could not. ValueError if `version`
        is no version at all, BytecodeError if the file cannot be read to the end.

        The way back gives the same bytes, but for two things that cannot be known: whether there
        was a token type before print_tko of 13.1 got its token, and whether a 13.1 to 13.4 kernel
        without hints said so. This is about the format; what else NVIDIA's older releases refuse
        (13.1 and 13.2 the hint key "default", 13.2 most rounding modes of ftof) stays as it is.
        """
        try:
            target = Version.of(version)
        except ValueError as error:
            raise BuildError(str(error)) from None
        if target not in SUPPORTED:
            raise BuildError(f"version {target} is not one of {SUPPORTED[0]} to {SUPPORTED[-1]}")
        same = Bytecode.parse(self.build(), limits=self.limits)
        same.launch_attributes = self.launch_attributes
        if target == self.version:
            return same
        other = Bytecode.parse(retarget(same.touch(), target), limits=self.limits)
        other.launch_attributes = self.launch_attributes
        check_oddities(same, other)
        return other

    def __repr__(self) -> str:
        try:
            names = ", ".join(function.name for function in self.functions)
        except BytecodeError:
            names = "functions that cannot be read"
        return f"<Bytecode {self.version}, {len(self.data)} bytes: {names}>"
