"""Types with a part of them changed, however deep it stands: an element type, or extents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tileir.types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
)

ElementChange = Callable[[Scalar], Scalar]
TileChange = Callable[[tuple[int, ...]], tuple[int, ...]]
ArrayChange = Callable[[tuple[int | None, ...]], tuple[int | None, ...]]


def _same(part: Any) -> Any:
    return part


def retyped(
    type: Any,
    *,
    element: ElementChange = _same,
    tile: TileChange = _same,
    array: ArrayChange = _same,
) -> Any:
    """Return a type whose parts are what these make of them.

    `element` is asked for the element type wherever one is: of a tile, of memory, behind a pointer.
    `tile` is asked for the extents of a tile and for those of the tiles of a view, `array` for the
    shape of a tensor view and for its strides, in which None stands for a value that is known at a
    launch. A function's type has that of all its parameters and results changed. Any other type
    stays as it is.
    """

    def of(type: Any) -> Any:
        match type:
            case Scalar():
                return element(type)
            case Pointer():
                return replace(type, pointee=of(type.pointee))
            case Tile():
                return replace(type, element=of(type.element), shape=tile(type.shape))
            case TensorView():
                shape, strides = array(type.shape), array(type.strides)
                return replace(type, element=of(type.element), shape=shape, strides=strides)
            case PartitionView() | StridedView() | GatherScatterView():
                return replace(type, view=of(type.view), tile=tile(type.tile))
            case FunctionType():
                return FunctionType(tuple(map(of, type.parameters)), tuple(map(of, type.results)))
        return type

    return of(type)


def swapped(become: dict[int, int]) -> Callable[[tuple], tuple]:
    """Return a change of extents by which some of them become others."""
    return lambda extents: tuple([become.get(extent, extent) for extent in extents])
