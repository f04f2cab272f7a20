"""Types with a part of them changed, however deep it stands, and constants that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.ir.constants import Constant, element_size
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

from .module import number

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


def swapped(become: Mapping[int, int]) -> Callable[[tuple], tuple]:
    """Return a change of extents by which some of them become others."""
    return lambda extents: tuple([become.get(extent, extent) for extent in extents])


# Constants ----------------------------------------------------------------------------------------


def constant_as(old: Constant, type: Tile) -> Constant:
    """Return a constant of another type: its first elements, or else a splat of the first number.

    It is a splat where there are more elements now, or the element type is another one; a number
    that an integer type cannot have is 0 then, or loses its high bits.
    """
    if old.type == type:
        return old
    if old.type.element != type.element:
        return _splat(old.value() or 0, type)
    if old.is_splat or type.size > old.type.size or type.element.name == "i1":
        return Constant(type, bytes(old.data[: element_size(type.element)]))
    return Constant(type, bytes(old.data[: type.size * element_size(type.element)]))


def _splat(value: float, type: Tile) -> Constant:
    attribute = _of_value(value, type.element)
    return Constant(type, attribute.bits.to_bytes(element_size(type.element), "little"))


def number_as(
    old: IntegerAttribute | FloatAttribute, element: Scalar
) -> IntegerAttribute | FloatAttribute:
    """Return a number as one of another element type, by the same rule."""
    return old if old.type == element else _of_value(old.value or 0, element)


def _of_value(value: float, element: Scalar) -> IntegerAttribute | FloatAttribute:
    if element.is_integer:
        value = int(value) & 0x7F if value == value and abs(value) < 1 << 62 else 0
    return number(value, str(element))
