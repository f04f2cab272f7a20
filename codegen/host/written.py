"""Which parameters a kernel stores through, so that read-only arrays are refused for those only."""

from __future__ import annotations

from tileir.ir import Op
from tileir.types import Pointer

from ..kernel import Kernel

STORES = {
    "atomic_cas_tko": "pointers",
    "atomic_red_view_tko": "view",
    "atomic_rmw_tko": "pointers",
    "store_ptr_tko": "destination",
    "store_view_tko": "view",
}
"""Op -> the operand that says where it stores."""

_ORIGIN = {
    "alloca": (),
    "assume": ("value",),
    "broadcast": ("source",),
    "extract": ("source",),
    "get_global": (),
    "make_gather_scatter_view": ("tensor_view",),
    "make_partition_view": ("tensor_view",),
    "make_strided_view": ("tensor_view",),
    "make_tensor_view": ("base",),
    "offset": ("ptr",),
    "permute": ("source",),
    "ptr_to_ptr": ("source",),
    "reshape": ("source",),
    "select": ("val_if_true", "val_if_false"),
}
"""Op -> the operands its address comes from; none where that is no parameter.

What is not here could be any address.
"""


def written_parameters(kernel: Kernel) -> set[int]:
    """Numbers of the pointer parameters that a store may reach."""
    pointers = {
        id(value): number
        for number, value in enumerate(kernel.parameters)
        if isinstance(value.type.element, Pointer)
    }
    written: set[int] = set()
    seen: set[int] = set()
    stack = [op.operands[STORES[op.name]] for op in kernel.walk() if op.name in STORES]
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if id(value) in pointers:
            written.add(pointers[id(value)])
        elif isinstance(value.owner, Op) and value.owner.name in _ORIGIN:
            stack += [value.owner.operands[slot] for slot in _ORIGIN[value.owner.name]]
        else:
            return set(pointers.values())
    return written
