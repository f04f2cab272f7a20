"""Views: tensors at an address, and where the elements of their tiles are."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np

from tileir.ir import Op, Value
from tileir.types import GatherScatterView, StridedView, View

from .elements import dtype, index, stored_bits, unsigned, wrapped
from .memory import unspecified
from .undefined import Undefined

PADDING = {"zero": 0.0, "neg_zero": -0.0, "nan": nan, "pos_inf": inf, "neg_inf": -inf}


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in memory; strides count elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def make_tensor_view(op: Op, base, sizes, strides) -> Tensor:
    """Dynamic sizes and strides are unsigned, and stand in the order of the type's gaps."""

    def filled(static: tuple, name: str, dynamic: tuple) -> tuple[int, ...]:
        values = zip(op.operands[name], dynamic, strict=True)
        found = iter([index(tile, value.type.element) for value, tile in values])
        return tuple(next(found) if size is None else size for size in static)

    kind = op.result.type
    return Tensor(
        int(base[()]),
        filled(kind.shape, "dynamicShape", sizes),
        filled(kind.strides, "dynamicStrides", strides),
    )


def make_view(op: Op, tensor: Tensor) -> Tensor:
    """How it is cut is in the type."""
    return tensor


def _steps(view: View) -> tuple[int, ...]:
    """How far apart tiles start. The indices of a gather/scatter view count elements."""
    if isinstance(view, GatherScatterView):
        return (1,) * len(view.tile)
    return view.traversal_strides if isinstance(view, StridedView) else view.tile


def _order(view: View) -> tuple[int, ...]:
    is_gather = isinstance(view, GatherScatterView)
    return tuple(range(len(view.tile))) if is_gather else view.dim_map


def index_space(view: View, tensor: Tensor) -> list[int]:
    """How many tiles there are along each dimension."""
    pairs = zip(_order(view), _steps(view), strict=True)
    return [-(-tensor.shape[dim] // step) for dim, step in pairs]


def _measured(op: Op, sizes) -> tuple[np.ndarray, ...]:
    found = tuple(
        wrapped(size, value.type.element) for size, value in zip(sizes, op.results, strict=True)
    )
    for size, tile, value in zip(sizes, found, op.results, strict=True):
        if index(tile, value.type.element) != size:
            raise Undefined(f"{size} does not fit {value.type}")
    return found


def get_tensor_shape(op: Op, tensor: Tensor):
    return _measured(op, tensor.shape)


def get_index_space_shape(op: Op, tensor: Tensor):
    view = op.operands["src"].type
    if isinstance(view, GatherScatterView):
        raise Undefined("the index space of a gather/scatter view")
    return _measured(op, index_space(view, tensor))


def positions(op: Op, tensor: Tensor, indices: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Where each element of the tile lies, in bits, and whether it is inside the tensor."""
    view, values = op.operands["view"].type, op.operands["index"]
    place = np.full(view.tile, 8 * tensor.address, object)
    inside = np.ones(view.tile, bool)
    promises = op.attributes.get("inbounds") or (False,) * len(values)
    space, order, steps = index_space(view, tensor), _order(view), _steps(view)
    for at, (value, tile) in enumerate(zip(values, indices, strict=True)):
        extent, stride = tensor.shape[order[at]], tensor.strides[order[at]]
        first = unsigned(tile, value.type.element)
        if isinstance(view, GatherScatterView) and at == view.sparse_dim:
            along = first
        elif first >= space[at]:
            raise Undefined(f"tile {first} of {space[at]}")
        else:
            along = first * steps[at] + np.arange(view.tile[at]).astype(object)
        if promises[at] and np.any(along >= extent):
            raise Undefined("out of bounds despite inbounds")
        shape = [-1 if dim == at else 1 for dim in range(len(view.tile))]
        place = place + (along * stride * stored_bits(view.view.element)).reshape(shape)
        inside = inside & (along < extent).astype(bool).reshape(shape)
    return place, inside


def padding(view: Value) -> np.ndarray:
    """A tile of what a load gives outside the tensor."""
    kind = view.type
    if kind.padding is None:
        return unspecified(kind.view.element, kind.tile)
    return np.full(kind.tile, PADDING[kind.padding], np.float64).astype(dtype(kind.view.element))


OPS = {
    "get_index_space_shape": get_index_space_shape,
    "get_tensor_shape": get_tensor_shape,
    "make_gather_scatter_view": make_view,
    "make_partition_view": make_view,
    "make_strided_view": make_view,
    "make_tensor_view": make_tensor_view,
}
