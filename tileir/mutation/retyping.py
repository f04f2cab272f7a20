"""Types changed everywhere in a function, which stays valid if nothing else depends on them.

Constants and the identities of reductions change along: they keep their numbers where they can.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.builder.retyped import constant_as, number_as, retyped, swapped
from tileir.ir import Op
from tileir.ir.constants import Constant
from tileir.read.function import Function
from tileir.types import FunctionType, Scalar, Tile, Type

Change = Callable[[Type], Type]


def everywhere(function: Function, change: Change) -> None:
    """Change the types of all values of a function, constants and identities along with them."""
    function.type = FunctionType(
        tuple(map(change, function.type.parameters)), tuple(map(change, function.type.results))
    )
    for value in function.body.defined():
        value.type = change(value.type)
    for op in function.walk():
        fit_constant(op)
        identities = op.attributes.get("identities")
        if isinstance(identities, tuple):
            op.attributes["identities"] = tuple(_identity(item, change) for item in identities)


def fit_constant(op: Op) -> None:
    """Give a constant whose type changed numbers of that type."""
    value = op.attributes.get("value")
    if not isinstance(value, Constant) or not op.results or value.type == op.result.type:
        return
    type = op.result.type
    if isinstance(type, Tile) and isinstance(type.element, Scalar):
        op.attributes["value"] = constant_as(value, type)


def _identity(item: object, change: Change) -> object:
    if not isinstance(item, IntegerAttribute | FloatAttribute):
        return item
    changed = change(Tile(item.type))
    if not isinstance(changed, Tile) or not isinstance(changed.element, Scalar):
        return item
    return item if changed.element == item.type else number_as(item, changed.element)


def element_change(old: Scalar, new: Scalar) -> Change:
    """Return a change by which `old` becomes `new`, wherever it stands in a type."""

    return partial(retyped, element=lambda type: new if type == old else type)


def size_change(old: int, new: int) -> Change:
    """Return a change by which every tile extent of `old` becomes `new`."""

    return partial(retyped, tile=swapped({old: new}))
