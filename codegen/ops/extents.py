"""Divisors and bounds of the extents and strides of the tensor behind a view."""

from __future__ import annotations

from tileir.codegen.analysis.view_geometry import dimensions, steps
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
    """Return the facts of the extent along `dim` of the tensor behind a view."""
    return _facts_of_size(view, dim, "shape", "dynamicShape", table)


def facts_of_stride(view: Value, dim: int, table: Known) -> Facts:
    """Return the facts of the stride along `dim`, in elements, of the tensor behind a view."""
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
    # Sizes are unsigned: if negative as a signed number, they have no known bounds.
    return facts if facts.not_negative else Facts(facts.divisor)


def tensor_shape(op: Op, table: Known) -> list[Facts]:
    """Return the facts of the results of get_tensor_shape."""
    return [facts_of_extent(op.operands["src"], dim, table) for dim in range(len(op.results))]


def index_space_shape(op: Op, table: Known) -> list[Facts]:
    """Return the facts of the results of get_index_space_shape: the last tile may be partial."""
    view, found = op.operands["src"], []
    for dim, step in zip(dimensions(view.type), steps(view.type), strict=True):
        extent = facts_of_extent(view, dim, table)
        if extent.lower is None or extent.upper is None:
            found.append(Facts())
        else:
            found.append(Facts(1, -(-extent.lower // step), -(-extent.upper // step)))
    return found
