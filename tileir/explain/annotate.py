"""Every byte of a file, explained: leaves (fields) in file order, with headings between them.

The leaves come from one traced run of the schema. They tile the file: bytes that no field owns
become a leaf of kind ``unused``. The decoded module then gives the meaning of indices and operands,
and a heading to each section, function and op.
"""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.bytecode import Bytecode, Function, Section
from tileir.errors import BytecodeError
from tileir.formats import codec
from tileir.formats.attributes import ScalarBits
from tileir.formats.container import ALIGNED, version_of
from tileir.formats.cursor import Path, Slice, Span, brief, spell
from tileir.formats.errors import shorten
from tileir.formats.leaves import Index, WideInt
from tileir.formats.sections import BY_NAME, BY_NUMBER, SECTIONS
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import Version
from tileir.ir import Op, Value
from tileir.messages.texts import decode_text, printable
from tileir.read.bad_reference import BadReference
from tileir.read.declarations import Declaration, Implementation
from tileir.types import FunctionType, Scalar, Type

from .meaning import plain

LONGEST = 240
"""Most characters of a meaning; the string table shows all bytes of a long string."""

LONGEST_HEADING = 4000
"""Most characters of a signature in a heading."""

FUNCTION_NAME = re.compile(r"func\[(\d+)\]\.name")
"""The path of the field that starts a function's entry."""

OPAQUE = "opaque"
"""The kind of the bytes of a newer version that the tables do not know."""

FOLD = 64
"""Most bytes of a blob that are shown in full, unless all bytes are asked for."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title above the leaves that begin at `offset`. `level` is "section", "function" or "op"."""

    level: str
    text: str
    offset: int
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field: its offset and bytes, and its place in the schema, kind, value and meaning.

    `path` is the place as text, and `field` the part of it below the nearest heading. `function` is
    the name of the function it is in, `op` the op that it belongs to. `depth` is the nesting: 0
    outside of ops, 1 in an op at the top of a body.
    """

    offset: int
    data: memoryview
    section: str
    function: str
    place: Path
    field: str
    kind: str
    value: object
    meaning: str
    op: Op | None
    depth: int = 0

    @property
    def path(self) -> str:
        """The path of the field as text, for example ``func[0].body[3].lhs``."""
        return spell(self.place).removeprefix("file.")

    @property
    def length(self) -> int:
        """The number of bytes."""
        return len(self.data)


def annotate(bytecode: Bytecode) -> Iterator[Heading | Leaf]:
    """Yield headings and leaves in file order. BytecodeError if the file cannot be read."""
    bytecode.touch()
    return _Annotator(bytecode).run()


def salvage(data: memoryview, assumed: Version | None = None) -> Iterator[Leaf]:
    """Yield the leaves of a broken file as far as it can be read, and the rest as ``unread``.

    The meaning of a leaf uses nothing but the leaf. Yields nothing if this is not Tile IR bytecode.
    The file is read by the version that it states, unless another one is `assumed`.
    """
    spans: list[Span] = []
    with contextlib.suppress(BytecodeError):
        codec.parse_file(data, trace=spans, assumed=assumed)
    header = {span.path: span.value for span in spans if span.section == "header"}
    if "file.header.version" not in header:
        return
    stated, tag = header["file.header.version"], header.get("file.header.tag", 0)
    version = version_of({"version": stated, "tag": tag}, assumed)
    payloads, tags = _framed(spans, data), []
    for section in SECTIONS:
        if section.name in payloads:
            payload = payloads[section.name]
            tags = _salvage_section(data, section.name, payload, version, tags, spans)
    spans.sort(key=lambda span: span.start)
    texts = {span.place: span.value.data for span in spans if span.kind == "text"}
    function = ""
    for span in _fill_gaps(spans, data, "unread"):
        if span.section != "Func":
            function = ""
        elif span.place[0] == ("func", span.place[0][-1]) and span.place[1] == "name":
            function = decode_text(texts.get(("string", int(span.value)), b""))
        yield Leaf(
            offset=span.start,
            data=data[span.start : span.end],
            section=span.section,
            function=function,
            place=span.place,
            field=brief(span.place),
            kind=span.kind,
            value=span.value,
            meaning=shorten(plain(span), LONGEST),
            op=None,
        )


def _framed(spans: list[Span], data: memoryview) -> dict[str, Slice]:
    """Return the payloads of sections whose headers could be read, by name; the last one counts."""
    headers: dict[str, dict[str, Span]] = {}
    for span in spans:
        section, _, field = span.path.rpartition(".")
        if section.startswith("file.sections["):
            headers.setdefault(section, {})[field] = span
    payloads = {}
    for header in headers.values():
        start = max(span.end for span in header.values())
        number = header["id"].value & ~ALIGNED
        if number in BY_NUMBER and "length" in header:
            end = min(len(data), start + int(header["length"].value))
            payloads[BY_NUMBER[number].name] = Slice(start, data[start:end])
    return payloads


def _salvage_section(
    data: memoryview,
    name: str,
    payload: Slice,
    version: Version,
    tags: list[int | None],
    spans: list[Span],
) -> list[int | None]:
    """Add the spans of a section as far as it can be read; returns the type tags then known."""
    with contextlib.suppress(BytecodeError):
        parsed, _ = codec.parse_section(data, name, payload, version, tags, trace=spans, eager=True)
        if name == "Type":
            return [entry.get("tag") for entry in parsed["entries"]]
    return tags


def spans_of(bytecode: Bytecode) -> list[Span]:
    """Return the leaves of the schema in file order; with the gaps filled, they tile the file.

    What is opaque in a file of a newer version is such a gap.
    """
    data, spans, version = bytecode.data, [], bytecode.original.version
    codec.parse_file(data, trace=spans, assumed=bytecode.original.assumed)
    for section in bytecode.sections:
        if section.active and section.name in BY_NAME:
            whole = len(spans)
            try:
                codec.parse_section(
                    data,
                    section.name,
                    section.payload,
                    version,
                    bytecode.types.tags,
                    trace=spans,
                    eager=True,
                )
            except BytecodeError:
                if not version.open:
                    raise
                del spans[whole:]
    spans.sort(key=lambda span: span.start)
    if not version.open:
        return list(_fill_gaps(spans, data, "unused", bytecode.sections))
    return list(_fill_gaps(_read(spans, bytecode), data, OPAQUE, bytecode.sections))


def _read(spans: list[Span], bytecode: Bytecode) -> list[Span]:
    """Return spans with one for each opaque end of a body, without those in it.

    The bytes of an op can be known, and what it refers to unknown. An entry of a table that is not
    known has no span either.
    """
    found = [function.opaque for function in bytecode.functions]
    ends = []
    for end in sorted(filter(None, found), key=lambda end: end.offset):
        stop, raw = end.offset + len(end.data), Slice(end.offset, end.data)
        ends.append(Span(end.offset, stop, "Func", f"func.{OPAQUE}", OPAQUE, raw))
    starts = [end.start for end in ends]

    def opaque(span: Span) -> bool:
        index = bisect_right(starts, span.start) - 1
        return index >= 0 and span.start < ends[index].end

    known = [span for span in spans if span.kind != "malformed" and not opaque(span)]
    return sorted([*known, *ends], key=lambda span: span.start)


def _fill_gaps(
    spans: list[Span], data: memoryview, kind: str, sections: Sequence[Section] = ()
) -> Iterator[Span]:
    """Yield the spans, and between them one of `kind` for each run of bytes that no field owns."""
    offset = 0
    ends = [section.payload.offset + section.size for section in sections]
    for span in [*spans, None]:
        start = len(data) if span is None else span.start
        if start > offset:
            index = bisect_right(ends, offset)
            name = sections[index].name if index < len(ends) else "file"
            raw = Slice(offset, data[offset:start])
            yield Span(offset, start, name, f"{name.lower()}.{kind}", kind, raw)
        if span is not None:
            yield span
            offset = max(offset, span.end)


class _Annotator:
    """Walks the spans once, and keeps track of the enclosing section, function and ops."""

    def __init__(self, bytecode: Bytecode) -> None:
        self.bytecode = bytecode
        self.ops = {op.offset: op for f in bytecode.functions for op in f.walk()}
        self.depths: dict[Op | None, int] = {None: -1}  # counted once, as nesting can be deep
        for op in self.ops.values():
            self.depths[op] = self.depths[op.parent_op] + 1
        self.starts = {section.offset: section for section in bytecode.sections}
        found = [function.opaque for function in bytecode.functions] if bytecode.newer else ()
        self.ends = {end.offset: end.message for end in found if end is not None}
        self.opaque = [(one.offset or 0, one.message) for one in bytecode.unknown]
        for section in bytecode.sections:
            if section.name not in BY_NAME:
                self.opaque.append((section.payload.offset, "no such section is known"))
        self.opaque.sort()
        self.section = "header"
        self.function: Function | Declaration | None = None
        self.entries: dict[int, tuple[str, Function | Declaration]] = {
            function.index: ("entry", function) for function in bytecode.functions
        }
        for item in bytecode.declarations:
            word = "extern_impl" if isinstance(item, Implementation) else "func"
            self.entries[item.index] = f"preview${word}", item
        self.owners: dict[int, Op] = {}
        self.listed: tuple[Op | None, list[Value]] = (None, [])
        self.type: object = None
        self.spelled: dict[int, str] = {}

    def run(self) -> Iterator[Heading | Leaf]:
        yield Heading("section", f"header: Tile IR bytecode {self.bytecode.version}", 0)
        for span in spans_of(self.bytecode):
            known = self.ops.get(span.start) if span.kind == "opcode" else None
            if known is not None:  # else of a function of a newer version that has no name
                self.owners[id(span.place[0])] = known
            owner, op = self._owner(span.place)
            path = spell(span.place, owner)
            yield from self._headings(span, path, op)
            yield self._leaf(span, path, op)

    def _owner(self, path: Path) -> tuple[Path | None, Op | None]:
        """Return the path of the innermost op around a field, and the op."""
        while isinstance(path, tuple):
            path = path[0]
            if id(path) in self.owners:
                return path, self.owners[id(path)]
        return None, None

    def _headings(self, span: Span, path: str, op: Op | None) -> Iterator[Heading]:
        section = self.starts.get(span.start)
        if section is not None and span.kind == "section id":
            self.section, self.function = section.name, None
            ignored = "" if section.active else ", ignored: another one follows"
            text = f"{section.name} section, {section.size} bytes{ignored}"
            yield Heading("section", text, span.start)
        elif span.start == len(self.bytecode.data) - 1 and span.kind == "section id":
            self.section, self.function = "end", None
            yield Heading("section", "end", span.start)
        entry = FUNCTION_NAME.fullmatch(path)
        if entry and int(entry[1]) not in self.entries:  # in a file of a newer version
            self.function = None
            yield Heading("function", "entry that is not known", span.start)
        elif entry:
            word, item = self.entries[int(entry[1])]
            self.function = item
            name = printable(shorten(item.name, LONGEST))
            signature = self._signature(item.type) if isinstance(item, Function) else "declared"
            yield Heading("function", f"{word} @{name} {signature}", span.start)
        if op is not None and span.kind == "opcode":
            yield Heading("op", describe_op(op), span.start, self.depths[op])

    def _leaf(self, span: Span, path: str, op: Op | None) -> Leaf:
        field = path if op else path.removeprefix(self._prefix(span, path))
        meaning = shorten(self._meaning(span, op, field, path), LONGEST)
        if isinstance(span.value, WideInt) and span.kind != "bits":
            meaning += f" (in {span.value.width} bytes)"
        if isinstance(span.node, Index) and span.node.target == "type":
            self.type = self.bytecode.types.peek(int(span.value))
        return Leaf(
            offset=span.start,
            data=self.bytecode.data[span.start : span.end],
            section=self.section,
            function=self.function.name if self.function and span.section == "Func" else "",
            place=span.place,
            field=field,
            kind=span.kind,
            value=span.value,
            meaning=meaning,
            op=op,
            depth=self.depths[op] + 1,
        )

    @staticmethod
    def _prefix(span: Span, path: str) -> str:
        """Return the part of the path that the heading shows already."""
        if path.startswith("file.sections["):
            return path[: path.index("]") + 2]
        if path.startswith("file.header."):
            return "file.header."
        if path.startswith("file."):
            return "file."
        if span.section == "Func" and path.startswith("func["):
            return path[: path.index("]") + 2]
        return span.section.lower() + "."

    # The meaning of a value -----------------------------------------------------------------

    def _meaning(self, span: Span, op: Op | None, field: str, path: str) -> str:
        node, value = span.node, span.value
        if span.kind == OPAQUE:
            return f"opaque, {plain(span)}{self._why_opaque(span)}"
        if op is not None:
            named = self._value(op, field)
            if named is not None and node is TYPE_INDEX:
                return f"{int(value)} {self._described(named)}"
            if named is not None:
                return self._described(named)
            whole = field in op.attributes  # not a part of a tagged attribute
            if whole and isinstance(node, Index) and node.target == "constant":
                return f"{int(value)} {op.attributes[field]}"
        globals_known = "Global" not in self.bytecode.original.sealed
        if globals_known and path.startswith("global[") and field.endswith(".value"):
            return f"{int(value)} {self.bytecode.globals[self._entry(path)].value}"
        if isinstance(node, Index):
            return f"{int(value)} {self._index(node.target, int(value))}".rstrip()
        match span.kind:
            case "type tag":
                return f"{int(value)} {self._index('type', self._entry(path))}"
            case "debug tag":
                record = self._entry(path) + 1
                return f"{int(value)} {self._index('debug record', record)}, record {record}"
            case "debug record":
                return f"{int(value)} {self._index('debug record', int(value))}"
            case "bits":
                return self._number(node, value)
        return plain(span)

    def _why_opaque(self, span: Span) -> str:
        """Return what is unknown in opaque bytes, behind a colon; "" if nothing was found."""
        if span.start in self.ends:
            return f": {printable(self.ends[span.start])}"
        index = bisect_left(self.opaque, (span.start, ""))
        if index == len(self.opaque) or self.opaque[index][0] >= span.end:
            return ""
        return f": {printable(self.opaque[index][1])}"

    @staticmethod
    def _entry(path: str) -> int:
        """Return the index of a table entry, from a path such as ``type[4].tag``."""
        return int(path[path.rindex("[") + 1 : path.rindex("]")])

    def _index(self, target: str, number: int) -> str:
        """Return what an index names; in unused records, it may lead nowhere."""
        try:
            return self._named(target, number)
        except (BadReference, BytecodeError):
            return "(names nothing)"

    def _named(self, target: str, number: int) -> str:
        match target:
            case "string":
                return f'"{printable(shorten(self.bytecode.strings.at(number), LONGEST))}"'
            case "type":
                return self._type(self.bytecode.types.at(number))
            case "constant":
                return f"({len(self.bytecode.tables.constant_data(number))} bytes)"
            case "debug record":
                return self._debug(number)
            case "debug list":
                debug = self.bytecode.debug
                if number == 0 or debug is None:
                    return "no debug information"
                return f"indices from {debug.start_of(number)}"
        return ""

    def _described(self, value: Value) -> str:
        """Return a value as ``%7: tile<f32>``; the number is that in the file."""
        return f"%{value.number}: {self._type(value.type)}"

    def _type(self, type: Type) -> str:
        """Return a type as text, which is cached, because a type can be long and used often."""
        if id(type) not in self.spelled:
            self.spelled[id(type)] = shorten(str(type), LONGEST)
        return self.spelled[id(type)]

    def _signature(self, type: FunctionType) -> str:
        """Return a signature as text, cached too; functions may share a long one."""
        if id(type) not in self.spelled:
            self.spelled[id(type)] = shorten(str(type), LONGEST_HEADING)
        return self.spelled[id(type)]

    def _debug(self, number: int) -> str:
        if number == 0 or self.bytecode.debug is None:
            return "unknown"
        linked = self.bytecode.debug.record_at(number)
        name = self.bytecode.debug.variant(number)
        return f"{name} {printable(shorten(str(linked), LONGEST))}" if linked is not None else name

    def _number(self, node: ScalarBits, value: int) -> str:
        if not isinstance(self.type, Scalar):
            return str(int(value))
        bits = node.pattern(value, self.type.bits)
        kind = IntegerAttribute if self.type.is_integer else FloatAttribute
        return str(kind(self.type, bits))

    def _operands(self, op: Op) -> list[Value]:
        if self.listed[0] is not op:
            self.listed = (op, list(op.operand_list()))
        return self.listed[1]

    def _value(self, op: Op, field: str) -> Value | None:
        """Return the value that an operand, a result type or a block argument stands for."""
        name, _, rest = field.partition("[")
        index = int(rest[: rest.index("]")]) if rest and rest[0].isdigit() else 0
        if field.endswith(".count"):
            return None
        if name == "result_types":
            return op.results[index]
        if name == "all_operands":
            return self._operands(op)[index]
        if name in op.operands:
            operand = op.operands[name]
            return operand[index] if isinstance(operand, tuple) else operand
        if name == "regions" and ".arguments[" in field:
            block = int(field.split("[")[2].split("]")[0])
            argument = int(field[field.rindex("[") + 1 : -1])
            return op.regions[index].blocks[block].arguments[argument]
        return None


def describe_op(op: Op, located: bool = True) -> str:
    """Return one line about an op: results, mnemonic, operands and, if `located`, its source."""
    results = ", ".join(f"%{value.number}" for value in op.results)
    operands = ", ".join(f"%{value.number}" for value in op.operand_list())
    text = f"{results}{' = ' if results else ''}{op.name} {operands}".rstrip()
    location = printable(shorten(op.location_text, LONGEST)) if located else ""
    return f"{text}  at {location}" if location else text
