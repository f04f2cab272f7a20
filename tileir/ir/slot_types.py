"""Types by the op table: those that a slot admits, and those that follow from other slots."""

from __future__ import annotations

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
from tileir.types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    ValueType,
)

from .op import Op, Value

KINDS = {
    Tile: "tile",
    Token: "token",
    TensorView: "tensor_view",
    PartitionView: "partition_view",
    StridedView: "strided_view",
    GatherScatterView: "gather_scatter_view",
    FunctionType: "func",
}
"""Class of a type -> its kind in the constraints of the op table."""


Slots = dict[str, list[Value]]
"""The values in each operand and result slot of an op."""


def operand_slots(op: Op) -> Slots:
    """Return the values of every operand slot."""
    slots: Slots = {}
    for name, value in op.operands.items():
        slots[name] = list(value) if isinstance(value, tuple) else [value] if value else []
    return slots


def admits(constraint: Constraint, type: ValueType) -> bool:
    """Whether a slot with that constraint admits a value of that type."""
    if not constraint.kinds:
        return True
    if KINDS.get(type.__class__) not in constraint.kinds:
        return False
    if not isinstance(constraint, TileOf):
        return True
    name = "ptr" if isinstance(type.element, Pointer) else type.element.name
    return name in constraint.elements and constraint.rank in (None, type.rank)


def infer(op: Op, rule: Inference, slots: Slots) -> list[ValueType] | None:
    """Return the types that follow by `rule` from the values in `slots`; None if none can."""
    sources: list[Any] = [value.type for value in slots.get(rule.slot, ())]  # as the rule has them
    match rule:
        case Like(element=""):
            return sources
        case Like(element=element):
            return [Tile(Scalar(element), type.shape) for type in sources]
        case ViewTile():
            return [Tile(type.view.element, type.tile) for type in sources]
        case Pointee():
            return [Tile(type.element.pointee, type.shape) for type in sources]
        case Reduced():
            dim = op.attributes[rule.dim]
            if any(dim >= type.rank for type in sources):
                return None
            return [Tile(t.element, t.shape[:dim] + t.shape[dim + 1 :]) for t in sources]
        case Elements(times=times):
            return [Tile(type.element) for type in sources for _ in range(times)]
    return None


def why_not(op: Op, rule: Inference, slots: Slots) -> str:
    """Return why no types follow by a rule."""
    if not isinstance(rule, Reduced):
        return f"nothing follows from {rule.slot}"
    dim = op.attributes[rule.dim]
    type = next(value.type for value in slots[rule.slot] if dim >= value.type.rank)
    return f"{rule.dim} must be a dimension of {type}, found {dim}"
