"""The rules that make a type legal: rules on extents, elements and dimension maps.

NVIDIA's readers refuse a type that breaks one of them as soon as something uses it, and so do we.
One rule is ours alone: a type has at most `MAX_RANK` dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence

from tileir.expressions import ConcreteType, ExprInt, is_extent, problem_of
from tileir.formats.enums import PADDING_VALUE
from tileir.formats.limits import MAX_EXPRESSION, MAX_RANK, MAX_TILE_ELEMENTS
from tileir.types import (
    Fragment,
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    SymbolicTile,
    TensorView,
    Tile,
    Token,
    Type,
    View,
    parts_of_type,
)

F4 = Scalar("f4E2M1FN")
Problem = tuple[str, str]
"""The field of the record that is wrong, and what is wrong with it."""

SIZES = ("shape", "strides", "tile", "dim_map", "traversal_strides", "extents")
"""The fields of types that have a number for each dimension."""


def problem(type: Type) -> Problem | None:
    """Return the first problem of a type, None if it is legal."""
    for name in SIZES:
        sizes = getattr(type, name, ())
        if len(sizes) > MAX_RANK:
            return f"{name}.count", f"{len(sizes)} dimensions, a type has at most {MAX_RANK}"
    size = 0
    for part in parts_of_type(type):
        if isinstance(part, ConcreteType):
            return "tag", "a type in an expression of a type"
        wrong = problem_of(part)
        if wrong:
            return "tag", wrong
        size += len(part) if isinstance(part, str | tuple) else 1
    if size > MAX_EXPRESSION:
        return "tag", f"expressions of {size} parts and characters, {MAX_EXPRESSION} are the most"
    match type:
        case Tile():
            return _tile(type)
        case SymbolicTile():
            static = [part.number for part in type.extents if isinstance(part, ExprInt)]
            if _powers_of_two("shape", static):
                return "shape.count", "not all are powers of two"
            for index, extent in enumerate(type.extents):
                if not is_extent(extent):
                    text = f"shape dimension {index} must be an integer-valued expression"
                    return "shape.count", text
            return None
        case Fragment():
            return _fragment(type)
        case Pointer():
            return _pointer(type)
        case TensorView():
            return _tensor_view(type)
        case PartitionView() | StridedView() | GatherScatterView():
            return _view(type)
        case Scalar() | Token() | FunctionType():
            return None


def _tile(type: Tile) -> Problem | None:
    wrong = _powers_of_two("shape", type.shape)
    if wrong:
        return wrong
    size = _count(type.shape)
    if size > MAX_TILE_ELEMENTS:
        return "shape.count", f"{size} or more elements, a tile has at most {MAX_TILE_ELEMENTS}"
    if type.element == F4 and all(size % 2 for size in type.shape):
        return "shape.count", f"an odd number of {F4} elements"
    points_to_f4 = isinstance(type.element, Pointer) and type.element.pointee == F4
    if points_to_f4 and type.rank:
        return "shape.count", f"pointers to {F4} in a tile of rank {type.rank}, not 0"
    return None


def _fragment(type: Fragment) -> Problem | None:
    static = [part.number for part in type.extents if isinstance(part, ExprInt)]
    if any(size <= 0 for size in static):
        return "shape.count", "not all are positive"
    if isinstance(type.alignment, ExprInt) and _powers_of_two("", [type.alignment.number]):
        return "alignment.tag", f"{type.alignment.number} is no power of two"
    return None


def _count(shape: Sequence[int]) -> int:
    """Return the product of the extents, or a partial product that is too large for a tile."""
    size = 1
    for extent in shape:
        size *= extent
        if size > MAX_TILE_ELEMENTS:
            break
    return size


def _pointer(type: Pointer) -> Problem | None:
    if not isinstance(type.pointee, Scalar) or type.pointee.name == "i4":
        return "pointee", f"{type.pointee} cannot be pointed to"
    return None


def _tensor_view(type: TensorView) -> Problem | None:
    if isinstance(type.element, Pointer):
        return "element", f"{type.element} cannot lie in memory"
    if len(type.shape) != len(type.strides):
        return "strides.count", f"{len(type.strides)} strides for {len(type.shape)} dimensions"
    for name, sizes in (("shape", type.shape), ("strides", type.strides)):
        for position, size in enumerate(sizes):
            if size is not None and size <= 0:
                return f"{name}[{position}]", f"{size} is not positive"
    return None


def _view(type: View) -> Problem | None:
    rank = len(type.view.shape)
    if type.padding is not None and type.padding not in PADDING_VALUE.by_name:
        known = ", ".join(PADDING_VALUE.by_name)
        return "padding_value", f"there is no {type.padding!r}, only {known}"
    if not type.tile:
        return "tile.count", "a view of rank 0"
    if len(type.tile) != rank:
        return "tile.count", f"{len(type.tile)} tile dimensions for a tensor of rank {rank}"
    wrong = _powers_of_two("tile", type.tile)
    if wrong:
        return wrong
    wrong = _tile(Tile(type.view.element, type.tile))
    if wrong:
        return "tile.count", wrong[1]
    if isinstance(type, GatherScatterView):
        if type.sparse_dim >= rank:
            return "sparse_dim", f"dimension {type.sparse_dim} of a tensor of rank {rank}"
    elif sorted(type.dim_map) != list(range(rank)):
        return "dim_map.count", f"{list(type.dim_map)} does not name each of {rank} dimensions once"
    if isinstance(type, StridedView):
        if len(type.traversal_strides) != rank:
            return "traversal_strides.count", f"{len(type.traversal_strides)} for rank {rank}"
        for position, stride in enumerate(type.traversal_strides):
            if stride <= 0:
                return f"traversal_strides[{position}]", f"{stride} is not positive"
    if type.padding not in (None, "zero") and type.view.element.is_integer:
        return "padding_value", f"{type.padding} is no value of {type.view.element}"
    return None


def _powers_of_two(field: str, sizes: Sequence[int]) -> Problem | None:
    for position, size in enumerate(sizes):
        if size <= 0 or size & (size - 1):
            return f"{field}[{position}]", f"{size} is not a power of two"
    return None
