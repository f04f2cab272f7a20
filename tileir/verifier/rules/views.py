"""Rules about views: making, measuring and accessing them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from tileir.ir import Op, Value
from tileir.types import GatherScatterView, TensorView, View
from tileir.verifier.catalogue import rule
from tileir.verifier.wording import quoted, sizes

ACCESSES = ("load_view_tko", "store_view_tko")
MULTIMEM = ("multimem_load_reduce_view_tko", "multimem_reduce_view_tko", "multimem_store_view_tko")
F4 = "f4E2M1FN"


def unit_strides(tensor: TensorView) -> list[int]:
    """Return the dimensions whose static stride is 1, so that elements along them are adjacent."""
    return [dim for dim, stride in enumerate(tensor.strides) if stride == 1]


def accessible(view: View) -> str | None:
    """Return why NVIDIA's verifier refuses accesses to a view of 4-bit elements; None if not.

    Two such elements share a byte, along the only dimension of stride 1, and an access must consist
    of whole bytes.
    """
    if getattr(view.view.element, "name", "") != F4:
        return None
    packed = unit_strides(view.view)
    if len(packed) != 1:
        return (
            "an f4 view access requires exactly one statically encoded unit stride to identify the "
            f"packing dimension; got {len(packed)} in {quoted(view.view)}"
        )
    if getattr(view, "sparse_dim", None) == packed[0]:
        return (
            f"an f4 gather/scatter view cannot use packing dimension {packed[0]} as its sparse "
            "dimension"
        )
    return None


def transferable(view: View) -> str | None:
    """Return why the multimem ops cannot use a view (its element type, stride or tile size)."""
    element = view.view.element
    if element.is_integer and element.bits not in (32, 64):
        return (
            f"multimem requires 32- or 64-bit integer/index element types; got {element.bits} bits"
        )
    if element.is_float and element.name not in ("f16", "bf16", "f32", "f64"):
        return "multimem supports only f16, bf16, f32, and f64 floating-point element types"
    if element.bits != 16:
        return None
    packed, count = len(unit_strides(view.view)), prod(view.tile)
    if packed != 1:
        return (
            "f16/bf16 multimem views must have exactly one element stride statically known to "
            f"equal 1; got {packed}"
        )
    if count % 2:
        return (
            "multimem op requires tile total size to be a multiple of 4 bytes for float element "
            f"types; got {count} element(s) of 16 bits (total {16 * count} bits)"
        )
    return None


@rule("tensor-view-base", "make_tensor_view")
def _base(op: Op) -> str | None:
    """The base of a tensor view points to elements of its type, and both are multicast, unicast or
    neither."""
    view, pointer = cast("TensorView", op.result.type), op.operands["base"].type.element
    if pointer.pointee != view.element:
        return (
            f"expected pointer to {quoted(view.element)} to build tensor_view of this type, got "
            f"{quoted(pointer.pointee)}"
        )
    given, kept = pointer.attribute, view.attribute
    if given == kept:
        return None
    if kept is None:
        return f"tensor_view must preserve ptr_attr from base pointer ({_attribute(given)})"
    if given is None:
        return "pointer base without ptr_attr cannot produce tensor_view with ptr_attr"
    return (
        f"ptr_attr mismatch between base pointer ({_attribute(given)}) and result tensor_view "
        f"({_attribute(kept)})"
    )


def _attribute(name: str) -> str:
    return f"#cuda_tile.ptr_attr<{name}>"


@rule("tensor-view-extents", "make_tensor_view")
def _extents(op: Op) -> str | None:
    """A tensor view takes one operand for each extent and each stride that its type leaves open,
    all of one integer type."""
    view, first = cast("TensorView", op.result.type), None
    slots = (("shape", view.shape, "dynamicShape"), ("stride", view.strides, "dynamicStrides"))
    for word, static, name in slots:
        due, given = static.count(None), len(op.operands[name])
        if due != given:
            return f"expected {due} dynamic {word} operands, got {given}"
    for word, _, name in slots:
        for index, value in enumerate(op.operands[name]):
            first = first or value.type
            if value.type != first:
                return (
                    f"expected dynamic {word} index {index} to be of the same type as the other "
                    f"dynamic values ({quoted(first)}), got {quoted(value.type)}"
                )
    return None


@rule("view-of", "make_partition_view", "make_strided_view", "make_gather_scatter_view")
def _made(op: Op) -> str | None:
    """The type of a view repeats the type of the tensor view that it cuts, and it is that type."""
    view, tensor = cast("View", op.result.type), op.operands["tensor_view"].type
    if view.view == tensor:
        return None
    return (
        f"expected the type of the provided tensor_view value ({quoted(tensor)}) to be the same as "
        f"the view's tensor_view type ({quoted(view.view)})"
    )


@rule("view-rank", "get_index_space_shape", "get_tensor_shape")
def _measured(op: Op) -> str | None:
    """A measured view gives one number for each of its dimensions."""
    source = op.operands["src"].type
    tensor = isinstance(source, TensorView)
    rank = len(source.shape if tensor else source.tile)
    if rank == len(op.results):
        return None
    what = "tensor rank" if tensor else "view index space rank"
    return f"expected {rank} results due to {what}, but got {len(op.results)}"


@rule(
    "multicast-view",
    *(*ACCESSES, "atomic_red_view_tko"),
    hint="use a multimem op, or a view of a pointer without the attribute",
)
def _multicast(op: Op) -> str | None:
    """Multicast memory is not accessed one replica at a time: the multimem ops work on all of
    them."""
    multicast = op.operands["view"].type.view.attribute == "multicast"
    return "multicast ptr_attr is not allowed" if multicast else None


@rule("multimem-view", *MULTIMEM)
def _multimem(op: Op) -> str | None:
    """The multimem ops work on partition views of multicast memory with i32, i64, f16, bf16, f32 or
    f64 elements. Those of 16 bits go in pairs: exactly one stride is statically 1, and a tile has
    an even number of them."""
    view = op.operands["view"].type
    if view.view.attribute != "multicast":
        return f"expected a multicast pointer, but got {view.view.attribute or 'none'}"
    return transferable(view)


@rule("multimem-reduction", "multimem_load_reduce_view_tko", "multimem_reduce_view_tko")
def _reduction(op: Op) -> str | None:
    """add is for all element types; min and max for integers, and when loading for f16 and bf16;
    the other reductions for integers."""
    kind, element = op.attributes["reduction"], op.operands["view"].type.view.element
    if kind == "add" or element.is_integer:
        return None
    if kind not in ("min", "max"):
        return "and/or/xor/umin/umax reductions require integer element types"
    if op.name == "multimem_reduce_view_tko":
        return "supports only add for floating-point element types"
    if element.name in ("f16", "bf16"):
        return None
    return f"min/max supports f16 and bf16 float types only; got {quoted(element)}"


@rule("packed-view", *ACCESSES, "atomic_red_view_tko")
def _packed(op: Op) -> str | None:
    """f4E2M1FN elements lie two a byte along the one dimension whose stride is statically 1. There
    must be exactly one, and a gather/scatter view cannot pick single positions along it."""
    return accessible(op.operands["view"].type)


@rule("view-index", *ACCESSES, *MULTIMEM, "atomic_red_view_tko")
def _index(op: Op) -> str | None:
    """An access has one index for each dimension of the view: scalars, of one type except for
    atomics. The index along the sparse dimension of a gather/scatter view is a tile of rank 1 with
    one number for each position."""
    view, indices = op.operands["view"].type, op.operands["index"]
    rank, inbounds = len(view.tile), op.attributes["inbounds"]
    if op.name == "atomic_red_view_tko":
        return _atomic_index(indices, rank, inbounds)
    if len(indices) != rank:
        return f"expected {rank} index operands (based on view type), got {len(indices)}"
    if isinstance(view, GatherScatterView):
        wrong = _sparse_index(view, indices)
    else:
        wrong = _dense_index(indices)
    return wrong or _promises(inbounds, rank)


def _promises(inbounds: Sequence[bool], count: int) -> str | None:
    if len(inbounds) == count:
        return None
    return f"inbounds size ({len(inbounds)}) must match the number of index dimensions ({count})"


def _atomic_index(indices: Sequence[Value], rank: int, inbounds: Sequence[bool]) -> str | None:
    for position, value in enumerate(indices):
        if value.type.rank:
            return (
                f"index operand {position} must be a scalar tile (rank 0), got shape "
                f"{sizes(value.type.shape)}"
            )
    wrong = _promises(inbounds, len(indices))
    if wrong or len(indices) == rank:
        return wrong
    return f"expected {rank} index operand(s) for view with tile rank {rank}, got {len(indices)}"


def _dense_index(indices: Sequence[Value]) -> str | None:
    first = indices[0].type
    for position, value in enumerate(indices):
        if value.type.rank:
            return f"expected index type to be a scalar tile, got {quoted(value.type)}"
        if value.type != first:
            return (
                f"expected index type {position} to be the same as other index types "
                f"({quoted(first)}), got {quoted(value.type)}"
            )
    return None


def _sparse_index(view: GatherScatterView, indices: Sequence[Value]) -> str | None:
    sparse, scalar = view.sparse_dim, None
    picked, length = indices[sparse].type, view.tile[sparse]
    if picked.rank != 1:
        return (
            f"expected index at sparse_dim position {sparse} to be a 1D tensor for "
            f"GatherScatterView, got rank {picked.rank}"
        )
    if picked.shape[0] != length:
        return (
            f"expected gather/scatter index size ({picked.shape[0]}) to match tile shape at "
            f"gather/scatter dimension {sparse} ({length})"
        )
    for position, value in enumerate(indices):
        if position == sparse:
            continue
        if value.type.rank:
            return f"expected index {position} to be a scalar tile for GatherScatterView"
        scalar = scalar or value.type
        if value.type != scalar:
            return (
                f"expected scalar index {position} to have the same type as other scalar indices "
                f"({quoted(scalar)})"
            )
    return None
