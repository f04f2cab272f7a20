"""The type table: records of the Type section, linked on first use.

Entries may refer to each other in any order, so they are linked on demand. An entry that nothing
uses is never checked; a circle, or a chain deeper than any real type, is an error at its first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from construct import Container

from tileir.errors import BytecodeError
from tileir.expressions import ExprInt, ExprVar, SymbolicTuple
from tileir.formats.deferred import Deferred
from tileir.formats.enums import MEMORY_SPACE, PADDING_VALUE, POINTER_ATTRIBUTE
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Counted, Malformed
from tileir.formats.types import ATTRIBUTE, DYNAMIC, SCALAR_BITS, TYPE, TYPE_INDEX, Extension
from tileir.ir.type_rules import problem
from tileir.types import (
    PARAMETER_TYPES,
    Fragment,
    FunctionType,
    GatherScatterView,
    ParameterType,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    SymbolicTile,
    SymbolicType,
    TensorView,
    Tile,
    Token,
    Type,
    UnknownType,
)

from .bad_reference import BadReference, Refuse, again, unlocated
from .linker import Linker
from .preview_attributes import decode_expression, decode_layout, row_of, types_of
from .strings import Strings

REFERENCES = {
    name: [
        (field.name, isinstance(field.subcon, Counted))
        for field in arm.fields.subcons
        if TYPE_INDEX in (field.subcon, getattr(field.subcon, "subcon", None))
    ]
    for name, arm in TYPE.by_name.items()
}
"""Kind of record -> its fields that name other types, and whether they are lists."""

ATTRIBUTES = {
    name: [
        field.name
        for field in arm.fields.subcons
        if field.subcon is ATTRIBUTE or isinstance(field.subcon, Extension)
    ]
    for name, arm in TYPE.by_name.items()
}
"""Kind of record -> its fields that are attributes, in which types may be named, too."""


class Tags(Sequence):
    """The tags of a long table, whose records are read when first asked for."""

    def __init__(self, entries: Deferred) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        entry: Any = self._entries[index]
        return entry.get("tag")


class TypeTable(Linker, Sequence[Type]):
    """Types by index.

    `entries` are the records, `tags` their tags: None where a record cannot be read. `refuse` makes
    the error that indexing raises for a reference that leads nowhere.
    """

    def __init__(
        self,
        entries: Sequence[Container],
        limits: Limits = DEFAULT,
        refuse: Refuse = unlocated,
        strings: Strings | None = None,
    ) -> None:
        super().__init__(limits.type_depth)
        self._strings = strings or Strings(())
        self.entries = entries
        self._refuse = refuse
        self.tags: Sequence[int | None] = (
            Tags(entries)
            if isinstance(entries, Deferred)
            else [entry.get("tag") for entry in entries]
        )

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        try:
            return self.at(range(len(self))[index])
        except BadReference as bad:
            raise self._refuse(bad) from None

    def __repr__(self) -> str:
        return f"<TypeTable {', '.join(str(self.peek(index)) for index in range(len(self)))}>"

    def peek(self, index: int) -> Type | None:
        """Return the type of that index, or None if there is no usable one."""
        try:
            return self.at(index)
        except (BadReference, BytecodeError):
            return None

    def at(self, index: int, path: str = "") -> Type:
        """Return the type of that index; `path` is the field that holds the index."""
        if index in self.linked:
            return self.linked[index]
        if index >= len(self.entries):
            raise BadReference("type", index, len(self.entries), path=path)
        if index not in self._broken:
            self._settle(index)
        if index in self._broken:
            raise again(self._broken[index])
        return self.linked[index]

    def known_part(self, index: int) -> FunctionType:
        """Return a signature of which something cannot be read, as far as it can."""
        entry: Any = self.entries[index] if index < len(self.entries) else {}

        def known(numbers: Sequence[int] | None) -> tuple[Any, ...]:
            peeked = [(number, self.peek(number)) for number in numbers or ()]
            return tuple(
                UnknownType(int(number)) if type is None or isinstance(type, FunctionType) else type
                for number, type in peeked
            )

        return FunctionType(known(entry.get("parameters")), known(entry.get("results")))

    def _references(self, number: int) -> Iterator[int]:
        entry, size = self.entries[number], len(self.entries)
        for name, is_list in REFERENCES.get(entry["variant"], ()):
            for inner in entry[name] if is_list else (entry[name],):
                if inner < size:
                    yield inner
        for name in ATTRIBUTES.get(entry["variant"], ()):
            if entry[name] is not None:
                yield from (inner for inner in types_of(row_of(entry[name])) if inner < size)

    def _made(self, number: int) -> Type:
        entry = self.entries[number]
        if isinstance(entry, Malformed):
            raise again(entry["error"])
        linked = self._link(entry, f"type[{number}]")
        wrong = problem(linked)
        if wrong:
            field, text = wrong
            where = f"type[{number}].{field}"
            raise BadReference("type", number, 0, path=where, problem=text)
        return linked

    def _circle(self, number: int, inner: int) -> BadReference:
        where = self._path_to(number, inner)
        circle = "types in a circle"
        return BadReference("type", inner, 0, path=where, problem=circle, kind="bad_index")

    def _too_deep(self, number: int, inner: int) -> BadReference:
        return BadReference.too_deep("type", "type", self._limit, self._path_to(number, inner))

    def _path_to(self, number: int, inner: int) -> str:
        """Return the path of the first field of a record that names the type `inner`."""
        entry = self.entries[number]
        for name, is_list in REFERENCES[entry["variant"]]:
            if is_list and inner in entry[name]:
                return f"type[{number}].{name}[{list(entry[name]).index(inner)}]"
            if entry[name] == inner:
                return f"type[{number}].{name}"
        return f"type[{number}]"

    def _passable(self, index: int, path: str) -> Type:
        linked = self.at(index, path)
        if isinstance(linked, FunctionType):
            raise BadReference("type", index, 0, path=path, problem="a signature in a signature")
        return linked

    def _link(self, entry: Container, path: str) -> Type:
        """Return the type of an entry of the table; BadReference if a part of it has a wrong kind.

        `path` is that of the entry in the file, for errors.
        """

        def other(name: str, *kinds: type) -> Any:
            where = f"{path}.{name}"
            linked = self.at(entry[name], where)
            if kinds and not isinstance(linked, kinds):
                wanted = " or ".join(kind.__name__ for kind in kinds)
                raise BadReference(
                    "type",
                    entry[name],
                    len(self),
                    path=where,
                    problem=f"{linked} is not a {wanted}",
                )
            return linked

        def types(name: str) -> tuple[Type, ...]:
            return tuple(
                self._passable(index, f"{path}.{name}[{position}]")
                for position, index in enumerate(entry[name])
            )

        if entry["tag"] in SCALAR_BITS:
            return Scalar(entry["variant"])
        attribute = _case(POINTER_ATTRIBUTE, entry.get("ptr_attr"))
        padding = _case(PADDING_VALUE, entry.get("padding_value"))
        match entry["variant"]:
            case "ptr":
                return Pointer(other("pointee", Scalar, Pointer), attribute)
            case "tile":
                element, shape = other("element", *ELEMENTS), tuple(map(int, entry["shape"]))
                symbolic = entry.get("symbolic_shape") is not None
                extents = self._extents(entry, path) if symbolic else tuple(map(ExprInt, shape))
                if isinstance(element, SymbolicType) or not all(
                    isinstance(part, ExprInt) for part in extents
                ):
                    return SymbolicTile(element, extents)
                return Tile(element, shape)
            case "tensor_view":
                return TensorView(
                    other("element", Scalar, Pointer),
                    tuple(map(_extent, entry["shape"])),
                    tuple(map(_extent, entry["strides"])),
                    attribute,
                )
            case "partition_view":
                view, dim_map = other("view", TensorView), tuple(entry["dim_map"])
                return PartitionView(tuple(entry["tile"]), view, dim_map, padding)
            case "strided_view":
                return StridedView(
                    tuple(entry["tile"]),
                    tuple(entry["traversal_strides"]),
                    other("view", TensorView),
                    tuple(entry["dim_map"]),
                    padding,
                )
            case "gather_scatter_view":
                view = other("view", TensorView)
                dim = int(entry["sparse_dim"])
                return GatherScatterView(tuple(entry["tile"]), view, dim, padding)
            case "func":
                return FunctionType(types("parameters"), types("results"))
            case "token":
                return Token()
            case "preview$sym_t":
                symbol = self._attribute(entry, "symbol", path, decode_expression)
                if isinstance(symbol, ExprVar):
                    return SymbolicType(symbol)
                raise self._wrong(path, "symbol", "is not a variable")
            case "preview$fragment":
                return Fragment(
                    other("element", *ELEMENTS),
                    self._extents(entry, path),
                    MEMORY_SPACE.by_value[entry["memory_space"]].name,
                    self._attribute(entry, "mem_layout", path, decode_layout),
                    self._attribute(entry, "fragmap", path, decode_layout),
                    self._attribute(entry, "alignment", path, decode_expression),
                )
            case name if name in PARAMETER_TYPES:
                return ParameterType(name)
        raise AssertionError(entry["variant"])

    def _attribute(self, entry: Container, name: str, path: str, decode: Any) -> Any:
        try:
            return decode(row_of(entry[name]), self._strings, self)
        except BadReference as bad:
            raise bad.at(f"{path}.{name}") from None

    def _extents(self, entry: Container, path: str) -> tuple[Any, ...]:
        """Return the extents of a symbolic shape, with which the record's numbers must agree."""
        symbolic = self._attribute(entry, "symbolic_shape", path, decode_expression)
        if not isinstance(symbolic, SymbolicTuple):
            raise self._wrong(path, "symbolic_shape", "is not a tuple")
        numbers = [
            part.number if isinstance(part, ExprInt) else DYNAMIC for part in symbolic.elements
        ]
        if numbers != list(map(int, entry["shape"])):
            raise self._wrong(path, "shape.count", "is not that of the symbolic shape")
        return symbolic.elements

    def _wrong(self, path: str, field: str, text: str) -> BadReference:
        problem = f"the {field.partition('.')[0]} {text}"
        return BadReference("type", 0, 0, path=f"{path}.{field}", problem=problem)


ELEMENTS = (Scalar, Pointer, SymbolicType)


def _extent(size: int) -> int | None:
    return None if size == DYNAMIC else size


def _case(enum, value: int | None) -> str | None:
    return None if value is None else enum.by_value[value].name
