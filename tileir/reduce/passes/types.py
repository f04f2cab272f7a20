"""Passes on types: one extent or element type becomes a smaller one wherever it occurs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.builder.retyped import constant_as, number_as, retyped, swapped
from tileir.bytecode import Bytecode
from tileir.ir.constants import Constant
from tileir.types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Type,
)

from .candidate import Candidate, Unit

Extents = tuple[int, ...]
ELEMENTS = ("i32", "f32")
"""Element types that others become: every GPU has them, and all ops of their kind take them."""


def extents(bytecode: Bytecode) -> list[Unit]:
    """Return units that make an extent 1, or half of what it is; the boldest one is the last."""
    found = sorted({extent for type in _types(bytecode) for extent in _tile_extents(type)})
    arrays = sorted({extent for type in _types(bytecode) for extent in _array_extents(type)})
    units: list[Unit] = []
    for extent in found:
        if extent > 2 and not extent % 2:
            units.append(partial(_retyped, _Mapping(tile={extent: extent // 2})))
    units += [partial(_retyped, _Mapping(array={extent: 1})) for extent in arrays if extent > 1]
    units += [partial(_retyped, _Mapping(tile={extent: 1})) for extent in found if extent > 1]
    larger = {extent: 1 for extent in found if extent > 1}
    if found and not larger:
        units.append(partial(_retyped, _Mapping(flat=True)))
    if len(larger) > 1:
        units.append(partial(_retyped, _Mapping(tile=larger)))
    everywhere = larger | {extent: 1 for extent in arrays if extent > 1}
    if everywhere != larger:
        units.append(partial(_retyped, _Mapping(tile=everywhere, array=everywhere)))
    return units


def elements(bytecode: Bytecode) -> list[Unit]:
    """Return units that give what has one element type another one."""
    found = {element for type in _types(bytecode) for element in _scalars(type)}
    names = sorted(name for name in found if name not in (*ELEMENTS, "i1"))
    return [
        partial(_retyped, _Mapping(elements={name: other}))
        for name in names
        for other in (ELEMENTS if Scalar(name).is_integer else ELEMENTS[::-1])[::-1]
    ]


def _types(bytecode: Bytecode) -> set[Type]:
    """Return the types of all values."""
    return {
        value.type
        for function in bytecode.functions
        for value in (*function.body.defined(), *function.parameters)
    }


def _tile_extents(type: Type) -> Extents:
    match type:
        case Tile():
            return type.shape
        case PartitionView() | StridedView() | GatherScatterView():
            return type.tile
    return ()


def _array_extents(type: Type) -> list[int]:
    if not isinstance(type, TensorView):
        return []
    return [extent for extent in (*type.shape, *type.strides) if extent is not None]


def _scalars(type: Type) -> set[str]:
    match type:
        case Scalar():
            return {type.name}
        case Pointer():
            return {type.pointee.name}
        case Tile() | TensorView():
            return _scalars(type.element)
    return set()


class _Mapping:
    """What becomes of types: extents of tiles and arrays, element types; `flat` tiles lose ones."""

    def __init__(
        self,
        tile: dict[int, int] | None = None,
        array: dict[int, int] | None = None,
        elements: dict[str, str] | None = None,
        flat: bool = False,
    ) -> None:
        self._tile, self._array = swapped(tile or {}), swapped(array or {})
        self._elements, self._flat = elements or {}, flat
        self._known: dict[Type, Type] = {}

    def __call__(self, type: Any) -> Any:
        found = self._known.get(type)
        if found is None:
            found = self._known[type] = self._mapped(type)
        return found

    def _mapped(self, type: Any) -> Any:
        match type:
            case FunctionType():
                return FunctionType(
                    tuple(map(self, type.parameters)), tuple(map(self, type.results))
                )
            case Tile() if self._flat:
                return Tile(type.element)
        return retyped(type, element=self._element, tile=self._tile, array=self._array)

    def _element(self, type: Scalar) -> Scalar:
        return Scalar(self._elements.get(type.name, type.name))


def _retyped(mapping: Callable[[Any], Any], candidate: Candidate) -> None:
    """Give all values other types, and constants numbers of those."""
    for function in candidate.bytecode.functions:
        function.type = mapping(function.type)
        for value in function.body.defined():
            value.type = mapping(value.type)
        for op in function.walk():
            for slot, value in op.attributes.items():
                op.attributes[slot] = _attribute(value, mapping)


def _attribute(value: Any, mapping: Callable[[Any], Any]) -> Any:
    match value:
        case Constant():
            return constant_as(value, mapping(value.type))
        case IntegerAttribute() | FloatAttribute():
            return number_as(value, mapping(value.type))
        case tuple():
            return tuple([_attribute(each, mapping) for each in value])
    return value
