"""The type table: records of the Type section, linked on first use.

Entries may refer to each other in any order, so linking is by demand; an entry that nothing uses is
never looked at, and a cycle or a chain deeper than any real type is an error at its first use.
"""

from __future__ import annotations

from collections.abc import Sequence

from construct import Container

from tileir.formats.enums import PADDING_VALUE, POINTER_ATTRIBUTE
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.nodes import Malformed
from tileir.formats.types import DYNAMIC, SCALAR_BITS

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

LEGAL_DEPTH = 8
"""No real type nests as deep as that: what is found broken that far from the limit is, wherever it
is asked for from. It is remembered, because many may refer to it."""


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

    def at(self, index: int, path: str = "", depth: int = 0) -> Type:
        """The type of that index; `path` is the field that holds the index."""
        if index in self.linked:
            return self.linked[index]
        if index >= len(self._entries):
            raise BadReference("type", index, len(self._entries), path=path)
        if index in self._broken:
            raise again(self._broken[index])
        entry = self._entries[index]
        if isinstance(entry, Malformed):
            raise again(entry["error"])
        if depth > self._limits.type_depth:
            deep = "types nested too deeply, or in a circle"
            raise BadReference("type", index, 0, path=path, problem=deep, kind="bad_index")
        try:
            linked = self._link(entry, f"type[{index}]", depth + 1)
            wrong = problem(linked)
            if wrong:
                field, text = wrong
                raise BadReference("type", index, 0, path=f"type[{index}].{field}", problem=text)
        except (BadReference, BytecodeError) as bad:
            if depth + LEGAL_DEPTH < self._limits.type_depth or depth == 0:
                self._broken[index] = again(bad)
            raise
        self.linked[index] = linked
        return linked

    def _passable(self, index: int, path: str, depth: int) -> Type:
        linked = self.at(index, path, depth)
        if isinstance(linked, FunctionType):
            raise BadReference("type", index, 0, path=path, problem="a signature in a signature")
        return linked

    def _link(self, entry: Container, path: str, depth: int) -> Type:
        def other(name: str, *kinds: type) -> Type:
            where = f"{path}.{name}"
            linked = self.at(entry[name], where, depth)
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
                self._passable(index, f"{path}.{name}[{position}]", depth)
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


def _extent(size: int) -> int | None:
    return None if size == DYNAMIC else size


def _case(enum, value: int | None) -> str | None:
    return None if value is None else enum.by_value[value].name
