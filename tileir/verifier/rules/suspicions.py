"""Warnings about ops that NVIDIA's tools accept but whose behaviour is undefined when they run.

They follow from constants and static types alone; whether an op ever runs is not considered.
"""

from __future__ import annotations

from typing import cast

from tileir.attributes import Bounded, DivBy, SameElements
from tileir.ir import Op
from tileir.types import GatherScatterView, StridedView, TensorView, View
from tileir.verifier.catalogue import suspicion
from tileir.verifier.strides import only_strides

from .constants import known, signed
from .views import ACCESSES, F4, MULTIMEM, unit_strides


@suspicion("division-by-zero", "divi", "remi", hint="use select to divide by something else then")
def _division(op: Op) -> str | None:
    """A division or remainder by a constant that is zero, or has a zero among its elements, is
    undefined behaviour."""
    values = known(op.operands["rhs"])
    return "divides by a constant zero" if values and 0 in values else None


@suspicion("step", "for")
def _step(op: Op) -> str | None:
    """A for counts up: a constant step that is zero, or negative unless compared as unsigned, is
    undefined behaviour. Count up and subtract."""
    values = known(op.operands["step"])
    if not values:
        return None
    unsigned = bool(op.attributes["unsignedCmp"])
    bits = op.operands["step"].type.element.bits
    step = values[0] if unsigned else signed(values[0], bits)
    return None if step > 0 else f"counts in steps of {step}"


@suspicion("broken-promise", "assume")
def _promise(op: Op) -> str | None:
    """An assume whose predicate does not hold for the constant it is about is undefined
    behaviour; but not if that is only the stride of dimensions of extent 1, which no index
    multiplies."""
    strides = only_strides(op.result)
    if strides and all(stride.extent == 1 for stride in strides):
        return None
    type, predicate = op.operands["value"].type, op.attributes["predicate"]
    patterns = known(op.operands["value"])
    if not patterns:
        return None
    values = [signed(pattern, type.element.bits) for pattern in patterns]
    match predicate:
        case DivBy(divisor=divisor, every=None):
            wrong = [value for value in values if value % divisor]
        case Bounded(lower=lower, upper=upper):
            low = lower if lower is not None else min(values)
            high = upper if upper is not None else max(values)
            wrong = [value for value in values if not low <= value <= high]
        case SameElements(groups=groups) if groups == type.shape and len(set(values)) > 1:
            wrong = values[:2]
        case _:
            return None
    return f"assumes {predicate}, but the constant holds {wrong[0]}" if wrong else None


@suspicion("slice-index", "extract", "insert", hint="slices are numbered, not elements")
def _slices(op: Op) -> str | None:
    """An index of extract or insert is the number of a slice; from size / slice size on it is
    outside, which is undefined behaviour."""
    inserting = op.name == "insert"
    whole = op.operands["destination" if inserting else "source"].type
    part = op.operands["source"].type if inserting else op.result.type
    for at, value in enumerate(op.operands["indices"]):
        count = whole.shape[at] // part.shape[at]
        for index in known(value) or ():
            if index >= count:
                return f"index {at} is {index}, but there are {count} slices"
    return None


@suspicion(
    "view-bounds",
    *(*ACCESSES, *MULTIMEM, "atomic_red_view_tko"),
    hint="indices count tiles, those of a gather/scatter view elements",
)
def _bounds(op: Op) -> str | None:
    """An index of an access counts tiles, in a gather/scatter view elements; outside a view of
    static size, that is undefined behaviour where the op runs. The sparse index may be outside."""
    view = op.operands["view"].type
    unit = "elements" if isinstance(view, GatherScatterView) else "tiles"
    for at, value in enumerate(op.operands["index"]):
        if at == getattr(view, "sparse_dim", None):
            continue
        count = index_count(view, at)
        for index in known(value) or ():
            if count is not None and index >= count:
                return f"index {at} is {index}, but the view has {count} {unit} there"
    return None


def index_count(view: View, dim: int) -> int | None:
    """Return the number of indices along a dimension of a view; None if that is not static."""
    if isinstance(view, GatherScatterView):
        return view.view.shape[dim]
    extent = view.view.shape[view.dim_map[dim]]
    step = view.traversal_strides[dim] if isinstance(view, StridedView) else view.tile[dim]
    return None if extent is None else -(-extent // step)


@suspicion("half-bytes", "make_tensor_view", "make_strided_view")
def _half_bytes(op: Op) -> str | None:
    """Two 4-bit elements share a byte, along the dimension of stride 1: its extent, all other
    strides, and the step of a strided view along it must be even, or rows and tiles start in the
    middle of a byte."""
    type = op.result.type
    tensor = type if isinstance(type, TensorView) else cast("View", type).view
    if getattr(tensor.element, "name", "") != F4:
        return None
    packed = unit_strides(tensor)
    if len(packed) != 1:
        return None
    if isinstance(type, StridedView):
        dim = type.dim_map.index(packed[0])
        step = type.traversal_strides[dim]
        return (
            f"tiles of {F4} start every {step} elements along dimension {dim}" if step % 2 else None
        )
    extent = tensor.shape[packed[0]]
    if extent is not None and extent % 2:
        return f"{extent} elements of {F4} in a row are no whole bytes"
    for dim, stride in enumerate(tensor.strides):
        if dim != packed[0] and stride is not None and stride % 2:
            return f"stride {stride} of dimension {dim} is no whole number of bytes of {F4}"
    return None
