"""Which ops access memory, and whether they are weak (ordered by tokens only)."""

from __future__ import annotations

from tileir.ir import Op

PLAIN_LOADS = ("load_ptr_tko", "load_view_tko")
LOADS = (*PLAIN_LOADS, "multimem_load_reduce_view_tko")
"""Ops that read memory and write none."""
STORES = (
    "atomic_cas_tko",
    "atomic_red_view_tko",
    "atomic_rmw_tko",
    "multimem_reduce_view_tko",
    "multimem_store_view_tko",
    "store_ptr_tko",
    "store_view_tko",
)
"""Ops that write memory; some also read it."""

MULTIMEM = ("multimem_load_reduce_view_tko", "multimem_reduce_view_tko", "multimem_store_view_tko")
"""Ops on multicast memory, which several devices share."""


def is_weak(op: Op) -> bool:
    """Whether the access is ordered by tokens alone."""
    return op.attributes["memory_ordering_semantics"] == "weak"
