"""How many instructions an access to global memory takes, as its attributes say."""

from __future__ import annotations

from dataclasses import dataclass

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value

from .types import Frag

_WORKED_ON = {
    "atomic_cas_tko": "pointers",
    "atomic_red_view_tko": "value",
    "atomic_rmw_tko": "pointers",
    "gather_async": "source",
    "load_ptr_tko": "source",
    "load_view_tko": None,
    "multimem_load_reduce_view_tko": None,
    "multimem_reduce_view_tko": "tile",
    "multimem_store_view_tko": "tile",
    "store_ptr_tko": "destination",
    "store_view_tko": "tile",
}
"""Mnemonic -> the operand in whose layout the op works; None for its result."""


@dataclass(frozen=True, slots=True)
class Accesses:
    """The instructions of one thread for an op: the bytes of each, and how many there are.

    `otherwise` says in what other way elements may be accessed, as an answer at run time decides;
    it is empty if there is no other.
    """

    bytes: int
    count: int
    otherwise: str


def worked_on(op: Op) -> Value:
    """Return the tile in whose layout an access works."""
    slot = _WORKED_ON[op.name]
    return op.results[0] if slot is None else op.operands[slot]


def layout_of(op: Op) -> LinearLayout | None:
    """Return the layout of the elements that threads access in global memory.

    None for one element, and where no thread accesses any.
    """
    if "threads" in op.attributes:
        return op.attributes["threads"]
    kind = worked_on(op).type if op.name in _WORKED_ON else None
    return kind.layout if isinstance(kind, Frag) else None


def accesses_of(op: Op) -> Accesses | None:
    """Return the instructions of a thread for an access to global memory; None for other ops."""
    if "vector" not in op.attributes:
        return None
    vector, otherwise = op.attributes["vector"], ""
    if op.operands.get("view") is not None:
        element = op.operands["view"].type.view.element
        if vector > 1 and not op.attributes["whole"]:
            otherwise = "element by element at the tensor's edge"
    else:
        element, masked = worked_on(op).type.pointee, op.attributes.get("masked", vector)
        if op.operands["mask"] is not None and vector != masked:
            otherwise = f"in vectors of {masked} where masks differ"
    layout = layout_of(op)
    held = 1 if layout is None else 1 << len(layout.register)
    return Accesses(memory_bytes(element) * vector, held // vector, otherwise)
