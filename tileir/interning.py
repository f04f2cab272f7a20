"""Tables that grow: the index of every string, type, constant and source location to be written.

What a file has already keeps its index, because the parts of it that nobody touched go on referring
to it. Anything else is appended once, equal things under one index.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from tileir.formats import codec
from tileir.formats.attributes import STRING_INDEX
from tileir.formats.cursor import Slice
from tileir.formats.debug import DEBUG_RECORD, RECORD_INDEX
from tileir.formats.enums import PADDING_VALUE, POINTER_ATTRIBUTE, Enum
from tileir.formats.nodes import Malformed, at_version
from tileir.formats.types import DYNAMIC, TYPE
from tileir.formats.version import V13_4, Version

from .errors import BuildError, BytecodeError
from .locations import (
    CallSite,
    CompileUnit,
    DebugInfo,
    File,
    LexicalBlock,
    Location,
    SourceLocation,
    Subprogram,
)
from .references import BadReference, display
from .typerules import problem
from .types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)
from .typetable import TypeTable

ENDS = 16
"""Bytes at either end of a blob that tell it from most others of its size."""


class Blobs:
    """Strings or constants: runs of bytes, found again by content, never copied."""

    def __init__(self, entries: Sequence[Slice] = ()) -> None:
        self._entries: list[Slice] = list(entries)
        self._kept = len(self._entries)
        self._by_ends: dict[tuple, list[int]] = {}
        self._by_identity: dict[int, int] = {}
        for index, entry in enumerate(self._entries):
            if not isinstance(entry, Malformed):
                self._note(entry.data, index)

    @property
    def added(self) -> list[Slice]:
        """What was not there at the start, in order."""
        return self._entries[self._kept :]

    def index(self, data: bytes | memoryview) -> int:
        """The index of these bytes; they must not change until the file is written."""
        known = self._by_identity.get(id(data))
        if known is not None:
            return known
        for index in self._by_ends.get(_ends(data), ()):
            if self._entries[index].data == data:
                return index
        self._entries.append(Slice(0, data))
        self._note(data, len(self._entries) - 1)
        return len(self._entries) - 1

    def _note(self, data: bytes | memoryview, index: int) -> None:
        self._by_identity.setdefault(id(data), index)
        self._by_ends.setdefault(_ends(data), []).append(index)


def _ends(data: bytes | memoryview) -> tuple:
    return len(data), bytes(data[:ENDS]), bytes(data[-ENDS:])


def encode_text(text: str) -> bytes:
    """The bytes of a text, those that came from a file and were no UTF-8 included."""
    if not isinstance(text, str):
        raise BuildError(f"expected a text, found {text!r}")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise BuildError(f"{display(text)} cannot be written as UTF-8: {error.reason}") from None


class Types:
    """The type table; `tags` has the tag of every entry, which the size of a number depends on."""

    def __init__(self, version: Version, table: TypeTable | None = None) -> None:
        self.version = version
        self.tags: list[int | None] = list(table.tags) if table else []
        self.added: list[dict] = []
        self._known: dict[Type, int] = {}
        self._by_identity: dict[int, tuple[int, Type]] = {}
        for index in range(len(self.tags)):
            linked = table.peek(index)
            if linked is not None:
                self._known.setdefault(linked, index)
                self._by_identity[id(linked)] = (index, linked)

    def index(self, type: Type) -> int:
        """The index of a type. BuildError if it is no legal type, or newer than the version."""
        same = self._by_identity.get(id(type))
        if same is not None:
            return same[0]
        if not isinstance(type, Type):
            raise BuildError(f"expected a type, found {type!r}")
        try:
            known = self._known.get(type)
            if known is None:
                known = self._known[type] = self._add(type)
        except (TypeError, AttributeError, ValueError) as error:
            if isinstance(error, BuildError):
                raise
            raise BuildError(f"{type!r} cannot be written: {error}") from None
        return known

    def _add(self, type: Type) -> int:
        record = self._record(type)
        wrong = problem(type)
        if wrong:
            raise BuildError(f"{type} cannot be written: {wrong[0]}: {wrong[1]}")
        codec.build(TYPE, record, self.version)
        self.tags.append(TYPE.by_name[record["variant"]].tag)
        self.added.append(record)
        return len(self.tags) - 1

    def _record(self, type: Type) -> dict:
        variant = type.name if isinstance(type, Scalar) else VARIANTS[type.__class__]
        arm = TYPE.by_name.get(variant)
        if arm is None:
            raise BuildError(f"there is no type {variant!r}")
        if arm.since > self.version:
            raise BuildError(f"{type} needs {arm.since}, writing {self.version}")
        record = {"variant": variant}
        match type:
            case Pointer():
                self._link(record, type, "pointee", Scalar)
                record["ptr_attr"] = self._pointer_attribute(type)
            case Tile():
                self._link(record, type, "element", Scalar, Pointer)
                record["shape"] = list(type.shape)
            case TensorView():
                self._link(record, type, "element", Scalar, Pointer)
                record["shape"] = [_extent(size) for size in type.shape]
                record["strides"] = [_extent(stride) for stride in type.strides]
                record["ptr_attr"] = self._pointer_attribute(type)
            case PartitionView() | StridedView() | GatherScatterView():
                self._link(record, type, "view", TensorView)
                record["tile"] = list(type.tile)
                record["padding_value"] = case_number(PADDING_VALUE, type.padding, self.version)
                for name in ("dim_map", "traversal_strides"):
                    if hasattr(type, name):
                        record[name] = list(getattr(type, name))
                record["sparse_dim"] = getattr(type, "sparse_dim", None)
            case FunctionType():
                if any(isinstance(part, FunctionType) for part in type.parameters + type.results):
                    raise BuildError(f"{type} has a signature in a signature")
                record["parameters"] = [self.index(part) for part in type.parameters]
                record["results"] = [self.index(part) for part in type.results]
        return record

    def _link(self, record: dict, type: Type, name: str, *kinds: type) -> None:
        part = getattr(type, name)
        if not isinstance(part, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise BuildError(f"{name} of {type} must be a {wanted}, found {part}")
        record[name] = self.index(part)

    def _pointer_attribute(self, type: Pointer | TensorView) -> int | None:
        if type.attribute is not None and self.version < V13_4:
            raise BuildError(f"{type} needs {V13_4}, writing {self.version}")
        return case_number(POINTER_ATTRIBUTE, type.attribute, self.version)


VARIANTS = {
    Pointer: "ptr",
    Tile: "tile",
    TensorView: "tensor_view",
    PartitionView: "partition_view",
    StridedView: "strided_view",
    GatherScatterView: "gather_scatter_view",
    FunctionType: "func",
    Token: "token",
}
"""Class of a type -> name of its record; a scalar's record has its own name."""


def _extent(size: int | None) -> int:
    return DYNAMIC if size is None else size


def case_number(enum: Enum, name: str | None, version: Version) -> int | None:
    """The number of a case of an enum; None stays None. BuildError if the version has no such."""
    if name is None:
        return None
    case = enum.by_name.get(name) if isinstance(name, str) else None
    if case is None:
        raise BuildError(f"expected {' or '.join(enum.by_name)}, found {name!r}")
    if case.since > version:
        raise BuildError(f"{name} needs {case.since}, writing {version}")
    return case.value


RECORDS = {
    File: "DIFile",
    CompileUnit: "DICompileUnit",
    Subprogram: "DISubprogram",
    LexicalBlock: "DILexicalBlock",
    SourceLocation: "DILoc",
    CallSite: "CallSite",
}
"""Class of a location -> name of its record."""

POSITIONS = (SourceLocation, CallSite, type(None))
KINDS = {
    "file": File,
    "compile_unit": CompileUnit,
    "scope": (Subprogram, LexicalBlock),
    "callee": POSITIONS,
    "caller": POSITIONS,
}
"""Field of a debug record that names another one -> what may stand there."""


class Locations:
    """Debug records by number, from 1 on; 0 is an unknown location."""

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
        """The number of a position, that of every record it refers to before it."""
        if not isinstance(location, POSITIONS):
            raise BuildError(f"expected a source location, found {location!r}")
        known = location is None or id(location) in self._numbers
        stack = [] if known else [location]
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
                record["flags"] = int(location.declaration)
                continue
            value = getattr(location, field.name)
            if node is RECORD_INDEX:
                record[field.name] = self._reference(value)
            elif node is STRING_INDEX:
                record[field.name] = self.strings.index(encode_text(value))
            else:
                record[field.name] = operator.index(value)
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


def references(location: Location) -> dict[str, Location | None]:
    """The records that a record names, by field, checked for their kind."""
    variant = RECORDS.get(location.__class__)
    if variant is None:
        raise BuildError(f"expected a source location, found {location!r}")
    found = {}
    for field in DEBUG_RECORD.by_name[variant].fields.subcons:
        if field.subcon is RECORD_INDEX:
            other = getattr(location, field.name)
            if not isinstance(other, KINDS[field.name]):
                raise BuildError(f"{field.name} of location {location} is {other!r}")
            found[field.name] = other
    return found


def _content(record: dict) -> tuple:
    arm = DEBUG_RECORD.by_name[record["variant"]]
    return (arm.name, *(record[field.name] for field in arm.fields.subcons))


class Interning:
    """All tables of a file that is written, starting from those it has."""

    def __init__(
        self,
        version: Version,
        strings: Sequence[Slice] = (),
        types: TypeTable | None = None,
        constants: Sequence[Slice] = (),
        debug: DebugInfo | None = None,
    ) -> None:
        self.version = version
        self.strings = Blobs(strings)
        self.types = Types(version, types)
        self.constants = Blobs(constants)
        self.locations = Locations(version, self.strings, debug)

    def string(self, text: str) -> int:
        """The index of a text."""
        return self.strings.index(encode_text(text))
