"""Types by the op table: those that a slot admits, and those that follow from other slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import UnionType
from typing import Any

from tileir.formats.ops.spec import (
    Constraint,
    Elements,
    Inference,
    Like,
    Pointee,
    Reduced,
    TileOf,
    ViewTile,
)
from tileir.types import Pointer, Scalar, Tile, ValueType, View

from .dialect import TILE_IR, Dialect
from .op import Op, Value

Slots = dict[str, list[Value]]
"""The values in each operand and result slot of an op."""


def operand_slots(op: Op) -> Slots:
    """Return the values of every operand slot."""
    slots: Slots = {}
    for name, value in op.operands.items():
        slots[name] = list(value) if isinstance(value, tuple) else [value] if value else []
    return slots


def all_slots(op: Op) -> Slots:
    """Return the values of every operand and result slot."""
    slots, rows = operand_slots(op), op.spec.results
    if len(rows) == 1 and rows[0].arity == "many":
        slots[rows[0].name] = list(op.results)
    else:
        for slot, value in zip(rows, op.results, strict=False):
            slots[slot.name] = [value]
    return slots


def admits(constraint: Constraint, type: ValueType, dialect: Dialect = TILE_IR) -> bool:
    """Whether a slot of an op of the dialect with that constraint admits a value of that type."""
    if not constraint.kinds:
        return True
    if dialect.kinds.get(type.__class__) not in constraint.kinds:
        return False
    if not isinstance(constraint, TileOf):
        return True
    name = "ptr" if isinstance(type.element, Pointer) else type.element.name
    return name in constraint.elements and constraint.rank in (None, type.rank)


def infer(op: Op, rule: Inference, slots: Slots) -> list[ValueType] | None:
    """Return the types that follow by `rule` from the values in `slots`.

    None if there are none: from a value of a kind that the slot does not admit nothing follows.
    """
    sources: list[Any] = [value.type for value in slots.get(rule.slot, ())]  # as the rule has them
    match rule:
        case Like(element=""):
            return sources
        case Like(element=element):
            return _each(Tile, sources, lambda tile: [tile.with_element(Scalar(element))])
        case ViewTile():
            return _each(View, sources, lambda view: [Tile(view.view.element, view.tile)])
        case Pointee():
            return _each(Tile, sources, _pointee)
        case Reduced():
            dim = op.attributes[rule.dim]
            return _each(Tile, sources, lambda tile: _reduced(tile, dim))
        case Elements(times=times):
            return _each(Tile, sources, lambda tile: [Tile(tile.element)] * times)
    return None


def _each(
    kind: type | UnionType,
    sources: Iterable[ValueType],
    types: Callable[[Any], Sequence[ValueType] | None],
) -> list[ValueType] | None:
    """Return the types that follow from each source; None if one is of another kind."""
    made: list[ValueType] = []
    for source in sources:
        following = types(source) if isinstance(source, kind) else None
        if following is None:
            return None
        made += following
    return made


def _pointee(tile: Tile) -> list[Tile] | None:
    pointer = tile.element
    return [tile.with_element(pointer.pointee)] if isinstance(pointer, Pointer) else None


def _reduced(tile: Tile, dim: int) -> list[Tile] | None:
    if dim >= tile.rank:
        return None
    return [Tile(tile.element, tile.shape[:dim] + tile.shape[dim + 1 :])]


def why_not(op: Op, rule: Inference, slots: Slots) -> str:
    """Return why no types follow by a rule."""
    if isinstance(rule, Reduced):
        dim = op.attributes[rule.dim]
        for value in slots[rule.slot]:
            if isinstance(value.type, Tile) and dim >= value.type.rank:
                return f"{rule.dim} must be a dimension of {value.type}, found {dim}"
    return f"nothing follows from {rule.slot}"
