"""Facts about extents and strides of the tensor of a view."""

from __future__ import annotations

from tileir.ir import Op, Value
from tileir.types import TensorView

from .divisibility import Facts, Known, exactly


def tensor_view_op(view: Value) -> Op | None:
    """Return the make_tensor_view op that a view comes from, or None."""
    op = view.owner
    while isinstance(op, Op) and op.name != "make_tensor_view":
        source = op.operands.get("value" if op.name == "assume" else "tensor_view")
        op = source.owner if source is not None else None
    return op if isinstance(op, Op) else None


def facts_of_extent(view: Value, dim: int, table: Known) -> Facts:
    """Return facts about the extent along `dim` of the tensor of a view."""
    return _facts_of_size(view, dim, "shape", "dynamicShape", table)


def facts_of_stride(view: Value, dim: int, table: Known) -> Facts:
    """Return facts about the stride along `dim` of the tensor of a view, in elements."""
    return _facts_of_size(view, dim, "strides", "dynamicStrides", table)


def _facts_of_size(view: Value, dim: int, field: str, slot: str, table: Known) -> Facts:
    op = tensor_view_op(view)
    if op is None:
        return Facts()
    kind = op.result.type
    assert isinstance(kind, TensorView)
    sizes = getattr(kind, field)
    if sizes[dim] is not None:
        return exactly(sizes[dim])
    facts = table[op.operands[slot][sizes[:dim].count(None)]]
    # Sizes are unsigned: if one may be negative as a signed number, its bounds are unknown.
    return facts if facts.not_negative else Facts(facts.divisor)


def tensor_shape(op: Op, table: Known) -> list[Facts]:
    """Return facts about the results of get_tensor_shape."""
    return [facts_of_extent(op.operands["src"], dim, table) for dim in range(len(op.results))]
