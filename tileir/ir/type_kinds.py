"""Which Python values are types: what was set by hand may have parts of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import wraps
from typing import Any

from tileir.expressions import (
    EXPRESSIONS,
    PREVIEW_ATTRIBUTES,
    ExprVar,
    Layout,
    height,
    parts_of,
)
from tileir.formats.enums import MEMORY_SPACE
from tileir.formats.limits import DEFAULT
from tileir.formats.types import SCALAR_BITS, TYPE
from tileir.messages.other_dialects import not_tile_ir
from tileir.types import (
    PARAMETER_TYPES,
    Fragment,
    FunctionType,
    GatherScatterView,
    ParameterType,
    PartitionView,
    Pointer,
    PreviewType,
    Scalar,
    StridedView,
    SymbolicTile,
    SymbolicType,
    TensorView,
    Tile,
    Token,
    Type,
)

from .type_rules import problem

SCALARS = frozenset(TYPE.arms[tag].name for tag in SCALAR_BITS)
"""Names of the element types."""


Kind = Callable[[Any], bool]


def _all(kind: Kind) -> Kind:
    return lambda value: isinstance(value, tuple) and all(map(kind, value))


def _a(*classes: type) -> Kind:
    return lambda value: isinstance(value, classes) and not type_problem(value)


def _size(value: Any) -> bool:
    return isinstance(value, int)


def _extent(value: Any) -> bool:
    return value is None or isinstance(value, int)


def _name(value: Any) -> bool:
    return value is None or isinstance(value, str)


PARTS: dict[str, Kind] = {
    "pointee": _a(Scalar),
    "element": _a(Scalar, Pointer),
    "attribute": _name,
    "padding": _name,
    "tile": _all(_size),
    "dim_map": _all(_size),
    "traversal_strides": _all(_size),
    "sparse_dim": _size,
    "view": _a(TensorView),
    "strides": _all(_extent),
    "parameters": _all(lambda value: not type_problem(value)),
    "results": _all(lambda value: not type_problem(value)),
}
"""Field of a type -> whether it can hold a value; the shape of a tile has no dynamic extents."""

COMPOSED = (Pointer, Tile, TensorView, PartitionView, StridedView, GatherScatterView, FunctionType)
"""The types that are made of parts."""


_MOST_LEGAL = 4096


def remembering(check: Callable[[Any], str], legal: dict[int, Any]) -> Callable[[Any], str]:
    """Return a check that enters legal types into `legal`, and is made once for each of those.

    They are remembered by identity: there are few of them, and many values of each.
    """

    @wraps(check)
    def checked(value: Any) -> str:
        if legal.get(id(value), legal) is value:
            return ""
        wrong = check(value)
        if not wrong:
            if len(legal) >= _MOST_LEGAL:
                legal.clear()
            legal[id(value)] = value
        return wrong

    return checked


_LEGAL: dict[int, Any] = {}


def type_problem(value: Any) -> str:
    """Return why a value is no type, or one that breaks a rule of types; "" if it is legal."""
    return _remembered(value)


def types_problem(values: Iterable[Any]) -> str:
    """Return why the type of one of some values is no legal type of Tile IR; "" if all are."""
    for value in values:
        type = value.type
        if _LEGAL.get(id(type)) is not type:
            wrong = type_problem(type)
            if wrong:
                return wrong
    return ""


def is_foreign(value: Any) -> bool:
    """Whether a value is the type of a tile in another dialect, with something added to it."""
    return isinstance(value, Tile) and value.__class__ is not Tile


def _type_problem(value: Any) -> str:
    if not isinstance(value, Type):
        return f"expected a type, found {value!r}"
    if is_foreign(value):
        return not_tile_ir(str(value))
    if isinstance(value, Scalar):
        return "" if value.name in SCALARS else f"there is no type {value.name!r}"
    if isinstance(value, COMPOSED):
        for field in fields(value):
            part = getattr(value, field.name)
            static = field.name == "shape" and isinstance(value, Tile)
            kind = PARTS.get(field.name) or _all(_size if static else _extent)
            if not kind(part):
                return f"{field.name} of {value!r} is {part!r}"
    elif isinstance(value, PreviewType):
        wrong_part = _preview_problem(value)
        if wrong_part:
            return wrong_part
    elif not isinstance(value, Token):
        return f"expected a type, found {value!r}"
    wrong = problem(value)
    return f"{value}: {wrong[0]}: {wrong[1]}" if wrong else ""


def _preview_problem(value: PreviewType) -> str:
    """Return why a type in public preview has a part that it cannot have."""
    match value:
        case SymbolicType():
            right = isinstance(value.symbol, ExprVar) and _well_made(value.symbol)
        case ParameterType():
            right = isinstance(value.name, str) and value.name in PARAMETER_TYPES
        case SymbolicTile() | Fragment():
            right = _EXPRESSIONS(value.extents) and _well_made(value.extents)
            right = right and _a(Scalar, Pointer, SymbolicType)(value.element)
    if right and isinstance(value, Fragment):
        layouts = value.mem_layout, value.fragmap
        right = isinstance(value.memory_space, str) and value.memory_space in MEMORY_SPACE.by_name
        right = right and all(isinstance(layout, Layout) for layout in layouts)
        right = right and _expression(value.alignment) and _well_made((*layouts, value.alignment))
    return "" if right else f"{value!r} has a part that it cannot have"


def _well_made(attributes: Any) -> bool:
    """Whether attributes in public preview, and those in them, have what their fields can hold."""
    return height(attributes) <= DEFAULT.attribute_depth and all(
        _FIELDS.get(field.name, _expression)(getattr(part, field.name))
        for part in parts_of(attributes)
        if isinstance(part, PREVIEW_ATTRIBUTES)
        for field in fields(part)
    )


def _expression(value: Any) -> bool:
    return isinstance(value, EXPRESSIONS)


_EXPRESSIONS = _all(_expression)
_FIELDS: dict[str, Kind] = {
    "number": lambda value: isinstance(value, int) and -(1 << 63) <= value < 1 << 63,
    "name": lambda value: isinstance(value, str),
    "string": lambda value: isinstance(value, str),
    "type": lambda value: not type_problem(value),
    "elements": _EXPRESSIONS,
    "shape": _EXPRESSIONS,
    "stride": _EXPRESSIONS,
}
"""Field of an attribute in public preview -> whether it can hold a value; others an expression."""


_remembered = remembering(_type_problem, _LEGAL)
