"""The work of one execution of an op: floating-point operations, and bytes of memory.

FLOPs are those of `codegen/analysis/flops.py`, which the counts of `tileir run` have, too: one for
each result of arithmetic and of elementary functions, two for a fused multiply-add, and 2 m n k for
a product of matrices, which is kept apart by the type of its factors, as tensor cores do it. Bytes
are those of the elements asked for: masked ones, and those beyond the edge of a tensor, included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tileir.formats.forks import not_forking
from tileir.ir import Op
from tileir.types import Tile

FOLDS = frozenset({"reduce", "scan"})
"""Ops whose FLOPs include those of their bodies."""

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


def flops_of(op: Op) -> Iterator[tuple[str, int]]:
    """Yield the kinds of an op's FLOPs and how many there are of each.

    A kind is the element type of the result, such as "f32", or "f16 products" by that of the
    factors of a product.
    """
    with not_forking:
        from tileir.codegen.analysis import flops

    for kind, number in flops.flops_of(op).items():
        yield f"{kind.type} products" if kind.product else kind.type, number


def bytes_of(op: Op) -> Iterator[tuple[str, int]]:
    """Yield what an op does to memory and to how many bytes, if it moves any."""
    if op.name in MEMORY:
        access, slot = MEMORY[op.name]
        kind = (op.results[0] if slot is None else op.operands[slot]).type
        if isinstance(kind, Tile):
            yield access, _bytes(kind)


def _bytes(tile: Tile) -> int:
    with not_forking:
        from tileir.codegen.scalar.sizes import is_packed, memory_bytes, packed_bits

    if is_packed(tile.element):
        return -(-packed_bits(tile.element) * tile.size // 8)
    return memory_bytes(tile.element) * tile.size
