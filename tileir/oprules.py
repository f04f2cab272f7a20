"""What the rows of the op table cannot say about an op: rules that only it has.

Each looks at an op whose operands and results are of the types its row admits, and returns what is
wrong in words, or None.
"""

from __future__ import annotations

from collections.abc import Callable

from .attributes import Bounded, DivBy, SameElements, spell
from .ir import Op
from .types import Pointer, TensorView, Tile, Type

LARGEST_DIVISOR = 1 << 62


def _broadcast(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    fits = source.rank == result.rank and all(
        old in (1, new) for old, new in zip(source.shape, result.shape, strict=True)
    )
    return None if fits else f"{source} cannot be broadcast to {result}"


def _reshape(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    return None if source.size == result.size else f"{source} and {result} differ in size"


def _permute(op: Op) -> str | None:
    source, result = op.operands["source"].type, op.result.type
    order = op.attributes["permutation"]
    if sorted(order) != list(range(source.rank)):
        return f"{list(order)} does not permute {source.rank} dimensions"
    wanted = tuple(source.shape[dim] for dim in order)
    return None if wanted == result.shape else f"expected shape {wanted}, found {result}"


def _make_tensor_view(op: Op) -> str | None:
    view, pointer = op.result.type, op.operands["base"].type.element
    if (pointer.pointee, pointer.attribute) != (view.element, view.attribute):
        return f"base is {pointer}, which is no pointer to elements of {view}"
    if len(view.shape) != len(view.strides):
        return f"{len(view.shape)} extents and {len(view.strides)} strides"
    for name, sizes in (("dynamicShape", view.shape), ("dynamicStrides", view.strides)):
        if len(op.operands[name]) != sizes.count(None):
            return f"expected {sizes.count(None)} values as {name}, found {len(op.operands[name])}"
    return None


def _make_view(op: Op) -> str | None:
    view, tensor = op.result.type, op.operands["tensor_view"].type
    return None if view.view == tensor else f"the view is of {view.view}, the operand is {tensor}"


def _access(op: Op) -> str | None:
    """Loads and stores of views: indices, promises about bounds, kind of address."""
    view, indices = op.operands["view"].type, op.operands["index"]
    rank, inbounds = len(view.tile), op.attributes["inbounds"]
    if len(indices) != rank:
        return f"expected {rank} indices, found {len(indices)}"
    if len(inbounds) != rank:
        return f"expected {rank} inbounds, found {len(inbounds)}"
    if view.view.attribute == "multicast":
        return "a multicast address is not loaded from or stored to"
    sparse = getattr(view, "sparse_dim", None)
    dense = [value.type for position, value in enumerate(indices) if position != sparse]
    if any(type.rank for type in dense) or len(set(dense)) > 1:
        return f"expected scalar indices of one type, found {', '.join(map(str, dense))}"
    if sparse is not None and indices[sparse].type.shape != (view.tile[sparse],):
        return f"expected {view.tile[sparse]} sparse indices, found {indices[sparse].type}"
    return None


def _pointers(op: Op) -> str | None:
    pointers = op.operands.get("source") or op.operands["destination"]
    multicast = pointers.type.element.attribute == "multicast"
    return "a multicast address is not loaded from or stored to" if multicast else None


def _shape_query(op: Op) -> str | None:
    source = op.operands["src"].type
    rank = len(source.shape if isinstance(source, TensorView) else source.tile)
    return None if rank == len(op.results) else f"expected {rank} results, found {len(op.results)}"


def _iota(op: Op) -> str | None:
    tile = op.result.type
    if tile.rank != 1:
        return f"expected a tile of rank 1, found {tile}"
    return (
        None if tile.size <= 1 << tile.element.bits else f"{tile} cannot hold {tile.size} numbers"
    )


def _assume(op: Op) -> str | None:
    type, predicate = op.operands["value"].type, op.attributes["predicate"]
    match predicate:
        case DivBy():
            return _div_by(type, predicate)
        case SameElements():
            return _same_elements(type, predicate)
        case Bounded():
            return _bounded(type, predicate)
    return f"{spell(predicate)} is no assumption"


def _div_by(type: Type, predicate: DivBy) -> str | None:
    divisor = predicate.divisor
    if not 0 < divisor <= LARGEST_DIVISOR or divisor & (divisor - 1):
        return f"a divisor is a power of two up to 2^62, found {divisor}"
    if not isinstance(type, TensorView) and not _countable(type):
        return f"{type} has no divisor"
    every, along = predicate.every, predicate.along
    if (every is None) != (along is None):
        return "every and along go together"
    if every is None:
        return None
    if not isinstance(type, Tile) or not 0 <= along < type.rank:
        return f"{type} has no dimension {along}"
    return None if 0 <= every <= type.shape[along] else f"every {every} of {type.shape[along]}"


def _same_elements(type: Type, predicate: SameElements) -> str | None:
    if not _countable(type):
        return f"{type} is no tile of integers or pointers"
    groups = predicate.groups
    fits = len(groups) == type.rank and all(
        0 <= group <= size for group, size in zip(groups, type.shape, strict=True)
    )
    return None if fits else f"groups {list(groups)} do not fit {type}"


def _bounded(type: Type, predicate: Bounded) -> str | None:
    if not _countable(type) or isinstance(type.element, Pointer):
        return f"{type} is no tile of integers"
    half = 1 << (type.element.bits - 1)
    given = [bound for bound in (predicate.lower, predicate.upper) if bound is not None]
    if any(not -half <= bound < half for bound in given) or given != sorted(given):
        return f"{predicate} are no bounds of {type.element}"
    return None


def _countable(type: Type) -> bool:
    """Whether it is a tile of integers or pointers."""
    if not isinstance(type, Tile):
        return False
    return isinstance(type.element, Pointer) or type.element.is_integer


RULES: dict[str, Callable[[Op], str | None]] = {
    "assume": _assume,
    "broadcast": _broadcast,
    "get_index_space_shape": _shape_query,
    "get_tensor_shape": _shape_query,
    "iota": _iota,
    "load_ptr_tko": _pointers,
    "load_view_tko": _access,
    "make_gather_scatter_view": _make_view,
    "make_partition_view": _make_view,
    "make_strided_view": _make_view,
    "make_tensor_view": _make_tensor_view,
    "permute": _permute,
    "reshape": _reshape,
    "store_ptr_tko": _pointers,
    "store_view_tko": _access,
}
