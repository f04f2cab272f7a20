"""Types of values, with the types that they refer to. ``str(type)`` is NVIDIA's spelling.

Scalars, tiles, pointers, views, tokens and signatures are immutable and compare by content. A
dynamic extent or stride is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, cast

from tileir.formats.types import INTEGER_TAGS, SCALAR_BITS, TYPE

from .expressions import (
    Expression,
    ExprInt,
    ExprVar,
    Layout,
    expression_text,
    layout_text,
    parts_of,
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """An element type: i1 to i64, and the floating-point formats."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"expected the name of an element type like 'f32', found {self.name!r}")

    @property
    def bits(self) -> int:
        """Width of the value in bits (tf32 has 19, though it takes 4 bytes in memory)."""
        return _BITS[self.name]

    @property
    def is_integer(self) -> bool:
        return self.name in _INTEGERS

    @property
    def is_float(self) -> bool:
        return self.name not in _INTEGERS

    def __str__(self) -> str:
        return self.name


_BITS = {TYPE.arms[tag].name: bits for tag, bits in SCALAR_BITS.items()}
_INTEGERS = {TYPE.arms[tag].name for tag in INTEGER_TAGS}


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address of elements of type `pointee`.

    `attribute` is "none", "unicast" or "multicast", or None where there is no attribute.
    """

    pointee: Scalar
    attribute: str | None = None

    def __str__(self) -> str:
        extra = f", <{self.attribute}>" if self.attribute else ""
        return f"ptr<{self.pointee}{extra}>"


if TYPE_CHECKING:  # most are scalars: a checker takes them for one until isinstance says Pointer
    Element = Scalar | Any
else:
    Element = Scalar | Pointer


@dataclass(frozen=True, slots=True)
class Tile:
    """An array value with a static shape; the empty shape is a scalar."""

    element: Element
    shape: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def pointee(self) -> Scalar:
        """The type that the elements of a tile of pointers point to."""
        return cast(Pointer, self.element).pointee

    @property
    def bare(self) -> Tile:
        """The tile without what a dialect adds to it, such as a layout."""
        return self

    def with_element(self, element: Element) -> Tile:
        """Return the type of a tile of other elements that is the same in every other way."""
        return Tile(element, self.shape)

    def __str__(self) -> str:
        return f"tile<{_sized(self.shape, self.element)}>"


@dataclass(frozen=True, slots=True)
class TensorView:
    """An array in memory; strides are in elements."""

    element: Element
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    attribute: str | None = None

    def __str__(self) -> str:
        text = f"tensor_view<{_sized(self.shape, self.element)}"
        if self.shape:
            text += f", strides=[{','.join(map(_extent, self.strides))}]"
        if self.attribute:
            text += f", #cuda_tile.ptr_attr<{self.attribute}>"
        return text + ">"


@dataclass(frozen=True, slots=True)
class PartitionView:
    """A tensor view as a grid of tiles. Tile dimension d lies along tensor dimension dim_map[d].

    `padding` is the value of elements that are loaded from outside the tensor: zero, neg_zero, nan,
    pos_inf, neg_inf, or None when those elements are unspecified.
    """

    tile: tuple[int, ...]
    view: TensorView
    dim_map: tuple[int, ...]
    padding: str | None = None

    def __str__(self) -> str:
        return f"partition_view<{_view(self)}{_dim_map(self.dim_map)}>"


@dataclass(frozen=True, slots=True)
class StridedView:
    """A partition view whose tiles start every `traversal_strides` elements, not side by side."""

    tile: tuple[int, ...]
    traversal_strides: tuple[int, ...]
    view: TensorView
    dim_map: tuple[int, ...]
    padding: str | None = None

    def __str__(self) -> str:
        strides = f"traversal_strides=[{','.join(map(str, self.traversal_strides))}], "
        return f"strided_view<{_view(self, strides)}{_dim_map(self.dim_map)}>"


@dataclass(frozen=True, slots=True)
class GatherScatterView:
    """A view of tiles whose indices along tensor dimension `sparse_dim` are given one by one."""

    tile: tuple[int, ...]
    view: TensorView
    sparse_dim: int
    padding: str | None = None

    def __str__(self) -> str:
        return f"gather_scatter_view<{_view(self)}, sparse_dim={self.sparse_dim}>"


View = PartitionView | StridedView | GatherScatterView


@dataclass(frozen=True, slots=True)
class Token:
    """The type of tokens, which order memory operations and have no value at run time."""

    def __str__(self) -> str:
        return "token"


@dataclass(frozen=True, slots=True)
class SymbolicType:
    """In public preview: an element type that a parameter of an extern function stands for."""

    symbol: ExprVar

    def __str__(self) -> str:
        return f"preview$sym_t<{self.symbol.name}>"


@dataclass(frozen=True, slots=True)
class SymbolicTile:
    """In public preview: a tile of which some extents are expressions, or the element type is."""

    element: Element | SymbolicType
    extents: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"tile<{_symbolic(self.extents, self.element)}>"


@dataclass(frozen=True, slots=True)
class Fragment:
    """In public preview: what an implementation of an extern function gets of a tile.

    `memory_space` is "local" or "smem".
    """

    element: Element | SymbolicType
    extents: tuple[Expression, ...]
    memory_space: str
    mem_layout: Layout
    fragmap: Layout
    alignment: Expression

    def __str__(self) -> str:
        layouts = f"mem_layout = {layout_text(self.mem_layout)}, "
        layouts += f"fragmap = {layout_text(self.fragmap)}"
        text = f"{_symbolic(self.extents, self.element)}, {self.memory_space}, {layouts}"
        if self.alignment != ExprInt(1):
            text += f", alignment = {expression_text(self.alignment)}"
        return f"preview$fragment<{text}>"


@dataclass(frozen=True, slots=True)
class ParameterType:
    """In public preview: the type of a constant parameter: index, preview$shape, ..., none."""

    name: str

    def __str__(self) -> str:
        return self.name


PARAMETER_TYPES = frozenset(
    arm.name for arm in TYPE.arms.values() if arm.since.preview and not arm.fields.subcons
)
"""Names that a `ParameterType` may have."""


@dataclass(frozen=True, slots=True)
class FunctionType:
    """Parameter and result types of a function."""

    parameters: tuple[ValueType, ...]
    results: tuple[ValueType, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parameters))}) -> ({', '.join(map(str, self.results))})"


PreviewType = SymbolicType | SymbolicTile | Fragment | ParameterType


@dataclass(frozen=True, slots=True)
class UnknownType:
    """A type in the signature of an opaque function that the tables do not know, by its index.

    Only files of newer versions have such functions, and no op is about such a type.
    """

    index: int

    def __str__(self) -> str:
        return f"<<unknown type {self.index}>>"


Type = Scalar | Pointer | Tile | TensorView | View | Token | FunctionType | PreviewType

if TYPE_CHECKING:  # of a value; most are tiles: a checker takes it for one until isinstance says
    ValueType = Tile | Any
else:
    ValueType = Type


def _extent(size: int | None) -> str:
    return "?" if size is None else str(size)


def _sized(shape: tuple[int | None, ...], element: Element) -> str:
    return "x".join([*map(_extent, shape), str(element)])


def parts_of_type(type: Any) -> Iterator[Any]:
    """Yield the parts of the expressions in a type in public preview; nothing for other types."""
    match type:
        case SymbolicType():
            yield from parts_of(type.symbol)
        case SymbolicTile():
            yield from chain(parts_of_type(type.element), parts_of(type.extents))
        case Fragment():
            yield from chain(parts_of_type(type.element), parts_of(type.extents))
            yield from parts_of((type.mem_layout, type.fragmap, type.alignment))


def _symbolic(extents: tuple[Expression, ...], element: Element | SymbolicType) -> str:
    spelled = [
        str(extent.number) if isinstance(extent, ExprInt) else f"[{expression_text(extent)}]"
        for extent in extents
    ]
    return "x".join([*spelled, str(element)])


def _view(view: View, strides: str = "") -> str:
    padding = f"padding_value = {view.padding}, " if view.padding else ""
    return f"tile=({'x'.join(map(str, view.tile))}), {strides}{padding}{view.view}"


def _dim_map(dim_map: tuple[int, ...]) -> str:
    if dim_map == tuple(range(len(dim_map))):
        return ""
    return f", dim_map=[{', '.join(map(str, dim_map))}]"
