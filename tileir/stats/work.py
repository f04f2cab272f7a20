"""The work of one execution of an op: floating-point operations, and bytes of memory.

Counted as FLOPs are the results of additions, subtractions, multiplications, divisions, remainders,
roots, minima and maxima and elementary functions, each one; a fused multiply-add is two. What only
looks at bits or converts (negf, absf, cmpf, ceil, select, ftof) is none. A product of matrices of m
x k and k x n elements is 2 m n k, and kept apart by the type of its factors, as tensor cores do it;
those of integers are counted likewise. Bytes are those of the elements asked for: masked ones, and
those beyond the edge of a tensor, included.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tileir.ir import Op
from tileir.types import Scalar, Tile

_ONE = (
    "addf subf mulf divf remf maxf minf sqrt rsqrt exp exp2 log log2 sin cos tan sinh cosh tanh"
    " atan2 fpowf fpowi"
)
FLOPS: Mapping[str, int] = {**dict.fromkeys(_ONE.split(), 1), "fma": 2}
"""Op -> FLOPs of an element of its result."""
PRODUCTS: Mapping[str, str] = {"mmaf": "lhs", "mmaf_scaled": "lhs", "mmai": "lhs"}
"""Product of matrices -> the operand with m rows and k columns."""
FOLDS = frozenset({"reduce", "scan"})
"""Ops whose body combines elements two by two."""

LOADED, STORED, ATOMIC = "loaded", "stored", "atomic"
MEMORY: Mapping[str, tuple[str, str | None]] = {
    "load_ptr_tko": (LOADED, None),
    "load_view_tko": (LOADED, None),
    "multimem_load_reduce_view_tko": (LOADED, None),
    "store_ptr_tko": (STORED, "value"),
    "store_view_tko": (STORED, "tile"),
    "multimem_store_view_tko": (STORED, "tile"),
    "multimem_reduce_view_tko": (ATOMIC, "tile"),
    "atomic_cas_tko": (ATOMIC, "val"),
    "atomic_rmw_tko": (ATOMIC, "arg"),
    "atomic_red_view_tko": (ATOMIC, "value"),
}
"""Op -> what it does to memory, and the operand whose elements it moves; None: the first result."""

_POINTER_BITS = 64
_IN_MEMORY = {"i1": 8, "tf32": 32}
"""Elements that take more bits in memory than their values have."""


def flops_of(op: Op) -> tuple[str, int] | None:
    """Return the kind of an op's FLOPs and how many; None if it has none.

    The kind is the element type of the result, such as "f32", or "f16 products" by that of the
    factors of a product.
    """
    if op.name in FLOPS:
        kind = op.results[0].type
        return (str(kind.element), FLOPS[op.name] * kind.size) if isinstance(kind, Tile) else None
    if op.name in PRODUCTS:
        left, kind = op.operands[PRODUCTS[op.name]].type, op.results[0].type
        if isinstance(left, Tile) and isinstance(kind, Tile) and left.rank:
            return f"{left.element} products", 2 * kind.size * left.shape[-1]
    return None


def steps_of_fold(op: Op) -> int:
    """Return how many times the body of a reduce or scan combines two elements."""
    kind = next((each.type for each in op.operand_list()), None)
    dim = op.attributes.get("dim")
    if not isinstance(kind, Tile) or not isinstance(dim, int) or not 0 <= dim < kind.rank:
        return 0
    others = prod(kind.shape[:dim]) * prod(kind.shape[dim + 1 :])
    return (kind.shape[dim] - 1) * others


def bytes_of(op: Op) -> tuple[str, int] | None:
    """Return what an op does to memory and to how many bytes; None if it moves none."""
    if op.name not in MEMORY:
        return None
    access, slot = MEMORY[op.name]
    kind = (op.results[0] if slot is None else op.operands[slot]).type
    return (access, _bytes(kind)) if isinstance(kind, Tile) else None


def _bytes(tile: Tile) -> int:
    element = tile.element
    bits = _POINTER_BITS
    if isinstance(element, Scalar):
        bits = _IN_MEMORY.get(element.name, element.bits)
    return -(-bits * tile.size // 8)
