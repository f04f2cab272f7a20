"""Along which dimension the elements of a tile lie side by side, wherever they are read from."""

from __future__ import annotations

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.ops import Family, family_of, traits_of
from tileir.ir import Op, Value

from .tiles import is_tile


def contiguous_dimension(lowering: Lowering, value: Value) -> int | None:
    """The dimension, for whoever chooses the order of loops; None if there is none, or unknown.

    Buffers are row-major, and a tensor that is read directly has strides.
    """
    below: list[Op] = []
    while id(value) not in lowering.direct and value not in lowering.storage:
        source = _source(value)
        if source is None:
            return None
        below.append(value.owner)
        value = source
    window = lowering.direct.get(id(value))
    found = window.inner if window else len(value.type.shape) - 1
    for op in reversed(below):
        if found is None:
            return None
        found = _carried(op, found)
    return found


def _source(value: Value) -> Value | None:
    """The tile whose elements an inline op has in its result, each once."""
    op = value.owner
    if not isinstance(op, Op):
        return None
    if family_of(op) is Family.ELEMENT_WISE:
        return next(filter(is_tile, op.operand_list()), None)
    slot = _SLOTS.get(op.name)
    return op.operands[slot] if slot else None


def _carried(op: Op, dimension: int) -> int | None:
    """Which dimension of the result a dimension of the operand becomes."""
    if coordinates := traits_of(op).coordinates:
        return coordinates(op)[dimension]
    if op.name != "reshape":
        return dimension
    old, new = op.operands["source"].type.shape, op.result.type.shape
    places, others = ([d for d, extent in enumerate(shape) if extent > 1] for shape in (old, new))
    if dimension not in places or [old[d] for d in places] != [new[d] for d in others]:
        return None
    return others[places.index(dimension)]


_SLOTS = {"assume": "value", "permute": "source", "reshape": "source"}
"""Inline ops that keep all elements -> their operand."""
