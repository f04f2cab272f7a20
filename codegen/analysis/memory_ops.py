"""Which ops are plain loads, and whether an access is weak (ordered by tokens only)."""

from __future__ import annotations

from tileir.codegen.ops import Family, family_of
from tileir.ir import Op


def is_plain_load(op: Op) -> bool:
    """Whether an op reads memory of one device (multimem ops access that of several)."""
    return family_of(op) in (Family.POINTER_LOAD, Family.VIEW_LOAD)


def is_weak(op: Op) -> bool:
    """Whether the access is ordered by tokens alone."""
    return op.attributes["memory_ordering_semantics"] == "weak"
