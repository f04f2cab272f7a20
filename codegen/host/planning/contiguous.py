"""Along which dimension the elements of a tile are contiguous in the memory they are read from."""

from __future__ import annotations

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.ops import Family, family_of, traits_of
from tileir.ir import Op, Value

from .tiles import is_tile


def contiguous_dimension(lowering: Lowering, value: Value) -> int | None:
    """Return that dimension, which the innermost loop should run along; None if unknown.

    Buffers are row-major; of a tensor that is read directly the strides decide.
    """
    below: list[Op] = []
    while id(value) not in lowering.direct and value not in lowering.storage:
        source = _source(value)
        if source is None or not isinstance(value.owner, Op):
            return None
        below.append(value.owner)
        value = source
    window = lowering.direct.get(id(value))
    dimension = window.inner if window else len(value.type.shape) - 1
    for op in reversed(below):
        if dimension is None:
            return None
        dimension = _carried(op, dimension)
    return dimension


def _source(value: Value) -> Value | None:
    """Return the operand whose elements an inline op's result has, each once; None without one."""
    op = value.owner
    if not isinstance(op, Op):
        return None
    if family_of(op) is Family.ELEMENT_WISE:
        return next(filter(is_tile, op.operand_list()), None)
    slot = _SLOTS.get(op.name)
    return op.operands[slot] if slot else None


def _carried(op: Op, dimension: int) -> int | None:
    """Return which dimension of the result a dimension of the operand becomes; None if unclear."""
    if coordinates := traits_of(op).coordinates:
        return coordinates(op)[dimension]
    if op.name != "reshape":
        return dimension
    old, new = op.operands["source"].type.shape, op.result.type.shape
    before, after = ([d for d, extent in enumerate(shape) if extent > 1] for shape in (old, new))
    if dimension not in before or [old[d] for d in before] != [new[d] for d in after]:
        return None
    return after[before.index(dimension)]


_SLOTS = {"assume": "value", "permute": "source", "reshape": "source"}
"""Inline ops that keep all elements -> their operand."""
