"""Types to be written, the inverse of `read.type_table`: each once, after those it refers to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tileir.errors import BuildError
from tileir.expressions import PREVIEW_ATTRIBUTES, ExprInt, SymbolicTuple
from tileir.formats import codec
from tileir.formats.enums import MEMORY_SPACE, PADDING_VALUE, POINTER_ATTRIBUTE, Enum
from tileir.formats.specialised.rows import pack
from tileir.formats.types import ATTRIBUTE, DYNAMIC, TYPE
from tileir.formats.version import V13_4, Version
from tileir.ir.type_kinds import is_foreign
from tileir.ir.type_rules import problem
from tileir.messages.other_dialects import not_tile_ir
from tileir.read.type_table import TypeTable
from tileir.types import (
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
)

from .preview_attributes import encode_preview


def no_strings(text: str) -> int:
    """Raise BuildError: this type table has no string table beside it."""
    raise BuildError(f"{text!r} is a name, and there is no table of names")


class OutputTypes:
    """The type table; `tags` has the tag of each entry, which decides how numbers are encoded.

    `string` gives the index of a string, which types in public preview have.
    """

    def __init__(
        self,
        version: Version,
        table: TypeTable | None = None,
        string: Callable[[str], int] = no_strings,
    ) -> None:
        self.version = version
        self._string = string
        self.tags: list[int | None] = list(table.tags) if table else []
        self.added: list[dict] = []
        self._known: dict[Type, int] = {}
        self._by_identity: dict[int, tuple[int, Type]] = {}
        for index in range(len(self.tags)):
            linked = table.peek(index) if table else None
            if linked is not None:
                self._known.setdefault(linked, index)
                self._by_identity[id(linked)] = (index, linked)

    def index(self, type: Type) -> int:
        """Return the index of a type. BuildError if it is not legal, or newer than the version."""
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
        """Return a type as the schema writes it, and add the types that are its parts.

        BuildError if the version has no such type, or a part has a wrong kind.
        """
        if is_foreign(type):
            raise BuildError(not_tile_ir(str(type)))
        named = isinstance(type, Scalar | ParameterType)
        variant = type.name if named else VARIANTS[type.__class__]
        arm = TYPE.by_name.get(variant)
        if arm is None:
            raise BuildError(f"there is no type {variant!r}")
        if arm.since > self.version:
            raise BuildError(f"{type} needs {arm.since}, writing {self.version}")
        record: dict[str, Any] = {"variant": variant}
        match type:
            case Pointer():
                self._link(record, type, "pointee", Scalar)
                record["ptr_attr"] = self._pointer_attribute(type)
            case Tile():
                self._link(record, type, "element", Scalar, Pointer)
                record["shape"] = _integers(type.shape)
            case TensorView():
                self._link(record, type, "element", Scalar, Pointer)
                record["shape"] = [_extent(size) for size in type.shape]
                record["strides"] = [_extent(stride) for stride in type.strides]
                record["ptr_attr"] = self._pointer_attribute(type)
            case PartitionView() | StridedView() | GatherScatterView():
                self._link(record, type, "view", TensorView)
                record["tile"] = _integers(type.tile)
                record["padding_value"] = case_number(PADDING_VALUE, type.padding, self.version)
                for name in ("dim_map", "traversal_strides"):
                    if hasattr(type, name):
                        record[name] = _integers(getattr(type, name))
                if isinstance(type, GatherScatterView):
                    record["sparse_dim"] = operator.index(type.sparse_dim)
            case FunctionType():
                if any(isinstance(part, FunctionType) for part in type.parameters + type.results):
                    raise BuildError(f"{type} has a signature in a signature")
                record["parameters"] = [self.index(part) for part in type.parameters]
                record["results"] = [self.index(part) for part in type.results]
            case SymbolicType():
                record["symbol"] = self._attribute(type.symbol)
            case SymbolicTile() | Fragment():
                self._link(record, type, "element", Scalar, Pointer, SymbolicType)
                record["shape"] = [_number(extent) for extent in type.extents]
                if isinstance(type, Fragment) or DYNAMIC in record["shape"]:
                    record["symbolic_shape"] = self._attribute(SymbolicTuple(type.extents))
                if isinstance(type, Fragment):
                    record["memory_space"] = case_number(
                        MEMORY_SPACE, type.memory_space, self.version
                    )
                    for name in ("mem_layout", "fragmap", "alignment"):
                        record[name] = self._attribute(getattr(type, name))
        return record

    def _link(self, record: dict, type: Type, name: str, *kinds: type) -> None:
        part = getattr(type, name)
        if not isinstance(part, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise BuildError(f"{name} of {type} must be a {wanted}, found {part}")
        record[name] = self.index(part)

    def _attribute(self, value: Any) -> Any:
        """Return the row of an attribute in public preview, of which the type is made."""
        if isinstance(value, PREVIEW_ATTRIBUTES):
            return pack(ATTRIBUTE, encode_preview(value, self._string, self.index), self.version)
        raise BuildError(f"expected an attribute, found {value!r}")

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
    SymbolicType: "preview$sym_t",
    SymbolicTile: "tile",
    Fragment: "preview$fragment",
}
"""Class of a type -> name of its record; that of a scalar or ParameterType has its own name."""


def _number(extent: Any) -> int:
    return operator.index(extent.number) if isinstance(extent, ExprInt) else DYNAMIC


def _extent(size: int | None) -> int:
    return DYNAMIC if size is None else operator.index(size)


def _integers(sizes: Sequence[int]) -> list[int]:
    if not isinstance(sizes, Iterable):
        raise TypeError(f"expected a tuple of integers, found {sizes!r}")
    return [operator.index(size) for size in sizes]


def case_number(enum: Enum, name: str | None, version: Version) -> int | None:
    """Return the number of an enum case, None for None. BuildError if the version lacks it."""
    if name is None:
        return None
    case = enum.by_name.get(name) if isinstance(name, str) else None
    if case is None:
        raise BuildError(f"expected {' or '.join(enum.by_name)}, found {name!r}")
    if case.since > version:
        raise BuildError(f"{name} needs {case.since}, writing {version}")
    return case.value
