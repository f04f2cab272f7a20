"""The type table: records of the Type section, linked on first use.

Entries may refer to each other in any order, so linking is by demand; an entry that nothing uses is
never looked at, and a circle or a chain deeper than any real type is an error at its first use. No
entry is looked at twice, whether it is a type in the end or not.
"""

from __future__ import annotations

from collections.abc import Sequence

from construct import Container

from tileir.formats.enums import PADDING_VALUE, POINTER_ATTRIBUTE
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Counted, Malformed
from tileir.formats.types import DYNAMIC, SCALAR_BITS, TYPE, TYPE_INDEX

from .errors import BytecodeError
from .references import BadReference, Refuse, again, unlocated
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

REFERENCES = {
    name: [
        (field.name, isinstance(field.subcon, Counted))
        for field in arm.fields.subcons
        if TYPE_INDEX in (field.subcon, getattr(field.subcon, "subcon", None))
    ]
    for name, arm in TYPE.by_name.items()
}
"""Kind of record -> its fields that name other types, and whether they are lists."""


class TypeTable(Sequence[Type]):
    """Types by index.

    `refuse` makes the error of a reference that leads nowhere, for those who ask from outside.
    """

    def __init__(
        self, entries: Sequence[Container], limits: Limits = DEFAULT, refuse: Refuse = unlocated
    ) -> None:
        self._entries = entries
        self._limits = limits
        self._refuse = refuse
        self.linked: dict[int, Type] = {}
        self._broken: dict[int, BadReference | BytecodeError] = {}
        self._levels: dict[int, int] = {}
        self.tags: list[int | None] = [entry.get("tag") for entry in entries]

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        try:
            return self.at(range(len(self))[index])
        except BadReference as bad:
            raise self._refuse(bad) from None

    def __repr__(self) -> str:
        return f"<TypeTable {', '.join(str(self.peek(index)) for index in range(len(self)))}>"

    def peek(self, index: int) -> Type | None:
        """The type of that index, or None if there is no usable one."""
        try:
            return self.at(index)
        except (BadReference, BytecodeError):
            return None

    def at(self, index: int, path: str = "") -> Type:
        """The type of that index; `path` is the field that holds the index."""
        if index in self.linked:
            return self.linked[index]
        if index >= len(self._entries):
            raise BadReference("type", index, len(self._entries), path=path)
        if index not in self._broken:
            self._settle(index)
        if index in self._broken:
            raise again(self._broken[index])
        return self.linked[index]

    def _settle(self, index: int) -> None:
        """Link a type and what it refers to, innermost first, or say what is wrong with them.

        Chains can be long, so this is no recursion. Coming back to a type that still waits for
        others means going in a circle.
        """
        waiting: set[int] = set()
        stack = [index]
        while stack:
            current = stack.pop()
            if current in self.linked or current in self._broken:
                continue
            entry = self._entries[current]
            inner = self._references(entry)
            missing = [i for i in inner if i not in self.linked and i not in self._broken]
            if not missing:
                self._try(entry, current, inner)
            elif current in waiting:
                circle, where = "types in a circle", f"type[{current}].{_field(entry, missing[0])}"
                self._broken[current] = BadReference(
                    "type", missing[0], 0, path=where, problem=circle, kind="bad_index"
                )
            else:
                waiting.add(current)
                stack += (current, *missing)

    def _references(self, entry: Container) -> list[int]:
        """The types that an entry refers to, as far as there are any."""
        found: list[int] = []
        for name, is_list in REFERENCES.get(entry["variant"], ()):
            found += entry[name] if is_list else (entry[name],)
        if found and max(found) >= len(self._entries):
            return [index for index in found if index < len(self._entries)]
        return found

    def _try(self, entry: Container, index: int, inner: list[int]) -> None:
        """Link an entry; the types it refers to are settled."""
        try:
            if isinstance(entry, Malformed):
                raise entry["error"]
            linked = self._link(entry, f"type[{index}]")
            self._levels[index] = 1 + max(map(self._levels.__getitem__, inner)) if inner else 1
            wrong = problem(linked)
            if self._levels[index] > self._limits.type_depth:
                wrong = "tag", "types nested too deeply"
            if wrong:
                field, text = wrong
                where = f"type[{index}].{field}"
                raise BadReference("type", index, 0, path=where, problem=text)
        except (BadReference, BytecodeError) as error:
            self._broken[index] = error.with_traceback(None)
        else:
            self.linked[index] = linked

    def _passable(self, index: int, path: str) -> Type:
        linked = self.at(index, path)
        if isinstance(linked, FunctionType):
            raise BadReference("type", index, 0, path=path, problem="a signature in a signature")
        return linked

    def _link(self, entry: Container, path: str) -> Type:
        def other(name: str, *kinds: type) -> Type:
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
                return Tile(other("element", Scalar, Pointer), tuple(map(int, entry["shape"])))
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
        raise AssertionError(entry["variant"])


def _field(entry: Container, index: int) -> str:
    """The first field of an entry that names the type of that index."""
    for name, is_list in REFERENCES[entry["variant"]]:
        if is_list and index in entry[name]:
            return f"{name}[{list(entry[name]).index(index)}]"
        if entry[name] == index:
            return name
    raise ValueError(index)


def _extent(size: int) -> int | None:
    return None if size == DYNAMIC else size


def _case(enum, value: int | None) -> str | None:
    return None if value is None else enum.by_value[value].name
