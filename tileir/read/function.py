"""The parts of a file: sections, globals and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from construct import Container

from tileir import attributes as attr
from tileir.formats.cursor import UNKNOWN, Oddity, Slice
from tileir.formats.errors import BytecodeError
from tileir.formats.forks import Lock
from tileir.formats.limits import Limits
from tileir.formats.recursion import deep_recursion
from tileir.formats.version import Version
from tileir.ir import Body, Op, Value
from tileir.ir.attribute_copies import copied_attribute
from tileir.ir.constants import Constant
from tileir.ir.locations import CallSite, SourceLocation
from tileir.ir.renamed_scopes import Kind, RenamedScopes
from tileir.messages.folded import folded
from tileir.types import FunctionType, Tile

from .bad_reference import BadReference
from .body import BodyDecoder
from .debug_info import DebugInfo
from .once import once
from .opaque import OpaqueEnd, Unreadable, opaque_from
from .paused_collector import paused_collector
from .tables import Tables, decode_attribute

DEEPEST_SHOWN = 20
"""Most levels by which Jupyter shows an op indented."""


class Source(Protocol):
    """The file that a function was read from, as far as the function needs it: `OriginalFile`."""

    @property
    def version(self) -> Version: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def tables(self) -> Tables: ...

    @property
    def debug(self) -> DebugInfo | None: ...

    @property
    def data(self) -> memoryview: ...

    @property
    def globals(self) -> Sequence[tuple[Global, Container]]:
        """Each global with its record."""
        ...

    def located(self) -> AbstractContextManager[None]:
        """Turn a BadReference that is raised inside into a located BytecodeError."""
        ...

    def body(self, code: Slice, path: str) -> tuple[list[tuple], list[Oddity]]:
        """Return the op rows of a body, and the oddities of its bytes."""
        ...

    def note(self, oddities: Sequence[Oddity]) -> None:
        """Keep oddities for the warnings."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section as it lies in the file. Offsets and sizes are in bytes.

    `offset` is that of its id byte, `payload` the contents. Of several sections with one name only
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


Position = SourceLocation | CallSite | None
"""The location of an op or a function; None if it is unknown."""

ENTRY = ("_name", "type", "private", "hints", "argument_attributes")
"""Attributes of a function besides body and location; one that was never read is unchanged."""


class Function:
    """A kernel entry point.

    The references of its entry in the function table are looked up when first asked for, and the
    body is decoded when first touched, by one thread. `name`, `type`, `hints`,
    `argument_attributes` and `location` may be set, and all of `body` changed; `Bytecode.build`
    writes what differs from the file. `source` is the original file, `record` the function's entry
    there.
    """

    def __init__(self, source: Source, index: int, record: Container, again: bool = False) -> None:
        self.source = source
        self.record = record
        self.index = index
        self._again = again
        self._lock = Lock()
        self._body: Body | None = None
        self._op_count = 0
        self._opaque: OpaqueEnd | None = None
        self._moved: tuple[SourceLocation | CallSite | None] | None = None
        self._renamed: RenamedScopes | None = None
        self._name: str = source.tables.strings.at(record["name"], f"func[{index}].name")
        if not self._name:
            where, empty = f"func[{index}].name", "a function without a name"
            raise BadReference("string", record["name"], 0, path=where, problem=empty)
        self.private: bool = bool(record["flags"] & 1)

    @property
    def name(self) -> str:
        """The symbol by which the host launches it.

        The Subprograms of its locations have it as their linkage name: a function that gets another
        name gets other locations.
        """
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        before = self._renamed or RenamedScopes("", "")
        original = self.source.tables.strings.at(self.record["name"])
        changed = isinstance(name, str) and name != original
        after = RenamedScopes(original, name) if changed else None
        self._name, self._renamed = name, after
        if self._moved is not None:
            self._moved = (self._rename(before.original(self._moved[0])),)
        if self._body is not None:
            for op in self._body.walk():
                if op.unread_location != self.locate_op:
                    op.location = self._rename(before.original(op.location))

    def _rename(self, location: Kind) -> Kind:
        return location if self._renamed is None else self._renamed.renamed(location)

    @once
    def type(self) -> FunctionType:
        """The types of the parameters and results."""
        return self._signature

    @once
    def _signature(self) -> FunctionType:
        source = self.source
        if source.version.open and self._unknown_in_entry is not None:
            return source.tables.types.known_part(self.record["signature"])
        with source.located():
            return self._read_signature()

    def _read_signature(self) -> FunctionType:
        types, number = self.source.tables.types, self.record["signature"]
        where = f"func[{self.index}].signature"
        signature = types.at(number, where)
        if not isinstance(signature, FunctionType):
            problem = f"{signature} is not a signature"
            raise BadReference("type", number, len(types), path=where, problem=problem)
        return signature

    @once
    def _unknown_in_entry(self) -> Unreadable | None:
        """The first thing in the entry that cannot be read, in a file of a newer version."""
        try:
            with deep_recursion(self.source.limits):
                _ = self._read_signature()
                for name in ("hints", "argument_attributes"):
                    self._read_attribute(name)
        except (BadReference, BytecodeError) as error:
            return error
        return None

    @once
    def hints(self) -> attr.Hints:
        """The optimisation hints for the whole function, empty if it has none."""
        hints = self._attribute("hints")
        if isinstance(hints, attr.Hints | None):
            return hints or attr.Hints({})
        with self.source.located():
            where, tag = f"func[{self.index}].hints.tag", self.record["hints"][0]
            problem = "not optimization hints"
            raise BadReference("attribute", tag, 0, path=where, problem=problem)

    @once
    def argument_attributes(self) -> tuple:
        """The attributes of the parameters, () if there are none."""
        return self._attribute("argument_attributes") or ()

    def _attribute(self, name: str) -> Any:
        source = self.source
        if source.version.open and self._unknown_in_entry is not None:
            return None
        with source.located(), deep_recursion(source.limits):
            return self._read_attribute(name)

    def _read_attribute(self, name: str) -> Any:
        record = self.record[name]
        try:
            return None if record is None else decode_attribute(record, self.source.tables)
        except BadReference as bad:
            raise bad.at(f"func[{self.index}].{name}") from None

    @property
    def code(self) -> Slice:
        """The encoded body: its offset in the file, and a view of its bytes."""
        return self.record["body"]

    @property
    def body(self) -> Body:
        """The decoded body."""
        if self._body is None:
            with self._lock:
                if self._body is None:
                    with paused_collector():
                        self._body = self._decode()
        return self._body

    @property
    def opaque(self) -> OpaqueEnd | None:
        """The end of the body that cannot be read, in a file of a newer version; usually None."""
        _ = self.body
        return self._opaque

    @property
    def decoded(self) -> bool:
        """Whether the body has been decoded, so that it may have been changed."""
        return self._body is not None

    def _decode(self) -> Body:
        source, path = self.source, f"func[{self.index}].body"
        locate = self.locate_op if self.record["location"] else None
        decoder = BodyDecoder(source.version, source.tables, self.code, locate)
        rows, odd = self._rows(decoder, path)
        with source.located(), deep_recursion(source.limits):
            try:
                body = decoder.decode(rows, self._signature)
            except BadReference as bad:
                raise bad.at(path) from None
        self._op_count = decoder.position
        end = decoder.opaque
        if end is not None:
            if decoder.unlinked:  # what the codec met behind it is a consequence
                odd = [one for one in odd if one.offset < end.raw.offset]
                odd.append(Oddity(UNKNOWN, end.error.offset, "Func", path, end.message))
            block = decoder.ended or body.block
            self._opaque = OpaqueEnd(end.raw.offset, end.raw.data, end.message, block)
        if not self._again:
            source.note(odd)
        return body

    def _rows(self, decoder: BodyDecoder, path: str) -> tuple[list[tuple], list[Oddity]]:
        """Return the op rows of the body, none if the entry is not known; and the oddities."""
        unknown = self._unknown_in_entry if self.source.version.open else None
        if unknown is None:
            return self.source.body(self.code, path)
        decoder.opaque = opaque_from(unknown, self.code, self.code.offset)
        decoder.unlinked = True
        return [], []

    def original(self) -> Function:
        """Return the function as the file has it, without any changes made to this one."""
        return Function(self.source, self.index, self.record, again=True)

    def add_parameter(self, type: Tile) -> Value:
        """Add a parameter behind the others, to the signature and to the body, and return it."""
        self.type = FunctionType((*self.type.parameters, type), self.type.results)
        if self.argument_attributes:
            self.argument_attributes = (*self.argument_attributes, {})
        return self.body.block.add_argument(type)

    def remove_parameter(self, index: int) -> None:
        """Remove a parameter from the signature and the body. BuildError if it has uses."""
        self.body.block.remove_argument(index)
        left, attributes = list(self.type.parameters), list(self.argument_attributes)
        del left[index], attributes[index : index + 1]
        self.type = FunctionType(tuple(left), self.type.results)
        self.argument_attributes = tuple(attributes)

    def clone(self, name: str | None = None) -> Function:
        """Return a copy as the function is now, of another name, to be put into `functions`.

        Both use the tables of the same file. The body is copied if it has been decoded.
        """
        copy = self.original()
        own = {key: value for key, value in vars(self).items() if key != "_lock"}
        attributes = {key: copied_attribute(own[key]) for key in ENTRY if key in own}
        vars(copy).update(own | attributes)
        copy.separate(self.locate_op)
        if name is not None:
            copy.name = name
        return copy

    def __reduce__(self) -> tuple:
        raise TypeError("a function is copied with clone(), and pickled with its Bytecode")

    def separate(self, locate_op: Callable[[int], Position]) -> None:
        """Replace the body, which is another function's, by a copy; `locate_op` is that one's."""
        if self._body is not None:
            self._body = self._body.clone()
            for op in self._body.walk():
                if op.unread_location == locate_op:
                    op.location = self.locate_op

    @property
    def touched(self) -> bool:
        """Whether the function may have been changed: its body was decoded or an attribute set."""
        if self.decoded or self._moved is not None:
            return True
        original, looked_at = self.original(), [name for name in ENTRY if name in vars(self)]
        return any(_differ(getattr(self, name), getattr(original, name)) for name in looked_at)

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The values of the parameters, whose types are those of `type.parameters`."""
        return tuple(self.body.block.arguments)

    @property
    def ops(self) -> list[Op]:
        """The ops at the top level of the body."""
        return self.body.block.ops

    def walk(self) -> Iterator[Op]:
        """Yield every op of the body in pre-order."""
        return self.body.walk()

    @property
    def location(self) -> SourceLocation | CallSite | None:
        """The location of the function in source."""
        return self._moved[0] if self._moved else self._location(0)

    @location.setter
    def location(self, location: SourceLocation | CallSite | None) -> None:
        self._moved = (location,)

    def locate_op(self, position: int) -> SourceLocation | CallSite | None:
        """Return the location that the file gives the op of that number, in pre-order."""
        return self._location(position + 1)

    def _location(self, position: int) -> SourceLocation | CallSite | None:
        """Return an element of the function's list in the debug section."""
        number, source = self.record["location"], self.source
        if not number or source.debug is None:
            return None
        with source.located(), deep_recursion(source.limits):
            try:
                return self._rename(source.debug.location(number, position))
            except BadReference as bad:
                if source.version.open:
                    return None
                raise bad.at(f"func[{self.index}].location") from None
            except BytecodeError:
                if source.version.open:
                    return None
                raise

    def check_locations(self) -> None:
        """Raise BytecodeError if the location of the function or of one of its ops is wrong.

        The body must have been decoded.
        """
        number, source = self.record["location"], self.source
        if not number or source.version.open:  # which may have others
            return
        with source.located():
            try:
                if source.debug is None:
                    raise BadReference("debug list", number, 0)
                source.debug.location(number, 0)
                locate = source.debug.locator(number)
                for position in range(self._op_count):
                    locate(position)
            except BadReference as bad:
                raise bad.at(f"func[{self.index}].location") from None

    def op_locations(self) -> list[SourceLocation | CallSite | None]:
        """Return the locations that the file gives the ops of the body, each once.

        They have the Subprogram of the present name, as those of `Op.location` do.
        BytecodeError if one cannot be read. The body must have been decoded.
        """
        number, source = self.record["location"], self.source
        debug = source.debug
        if not number or debug is None:
            return []
        with source.located():
            try:
                first = debug.start_of(number) + 1
                records = debug.indices[first : first + self._op_count]
                last = {record: position for position, record in enumerate(records)}
                if source.version.open:  # in which a record may be unknown, which is None then
                    own = [self.locate_op(position) for record, position in last.items() if record]
                    return [location for location in own if location is not None]
                locate = debug.locator(number)
                found = [locate(position) for record, position in last.items() if record]
                return [self._rename(location) for location in found if location is not None]
            except BadReference as bad:
                if source.version.open:
                    return []
                raise bad.at(f"func[{self.index}].location") from None

    def __repr__(self) -> str:
        return f"<Function {self.name} {self.type}>"

    def _repr_html_(self) -> str:
        """What Jupyter shows: the name and type, and below them the ops, or why there are none."""
        title = f"{self.name} {self.type}"
        try:
            lines = [self._indented(op) for op in self.walk()]
        except BytecodeError as error:
            return folded(title, [str(error)])
        return folded(f"{title}: {len(lines)} ops", lines)

    @staticmethod
    def _indented(op: Op) -> str:
        depth, around = 0, op.parent_op
        while around is not None and depth < DEEPEST_SHOWN:
            depth, around = depth + 1, around.parent_op
        return f"{'  ' * depth}{op!r}"


def _differ(present: object, original: object) -> bool:
    """Whether an attribute of a function was changed; names, which many may share, may be long."""
    if type(present) is type(original) in (str, FunctionType):
        return present is not original and present != original
    return repr(present) != repr(original)
