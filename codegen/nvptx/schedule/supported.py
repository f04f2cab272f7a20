"""What GPU targets lower: what has a lowering or is element-wise, and nothing speaks against."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tileir.codegen.nvptx.emit.kernel import LOWERINGS
from tileir.codegen.nvptx.emit.values.values import VALUES
from tileir.codegen.nvptx.machine import red_forms
from tileir.codegen.nvptx.machine.targets import F8_OF_SM_89, TARGETS, Target
from tileir.codegen.ops import Family, family_of, is_multimem
from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.ptx import PAIRS
from tileir.codegen.scalar.types import is_packed
from tileir.ir import Op
from tileir.types import Tile

from .mma_plan import reading_of

WhyNot = Callable[[Op], str | None]


def _packed(element: object) -> str | None:
    if is_packed(element):
        return f"two elements of {element} share a byte, which is not lowered yet"
    return None


def _padding(op: Op) -> str | None:
    view = op.operands["view"].type
    element = view.view.element
    if padding_bits(element, view.padding) is None:
        return f"{element} has no value for the padding {view.padding}"
    return None


def _pointer_access(op: Op) -> str | None:
    pointers = op.operands.get("source") or op.operands["destination"]
    return _packed(pointers.type.element.pointee)


MOST_HELD = 256
"""Elements of a tile in the body of a reduce or scan: every thread has all of them in registers."""
_TOGETHER = {Family.PRODUCT, Family.SLICE}
"""Ops that threads carry out together, by way of shared memory or of a whole warp."""


def _body(op: Op) -> str | None:
    """A body works on elements of a single thread."""
    for inner in list(op.walk())[1:]:
        kinds = [value.type for value in (*inner.operand_list(), *inner.results)]
        sizes = [kind.size for kind in kinds if isinstance(kind, Tile)]
        if family_of(inner) in _TOGETHER and max(sizes) > 1:
            return f"{inner.name} in its body takes several threads, which is not lowered"
        if max(sizes, default=1) > MOST_HELD:
            return f"tiles in its body may have at most {MOST_HELD} elements"
    return None


AGAINST: dict[str, WhyNot] = {
    "load_ptr_tko": _pointer_access,
    "load_view_tko": _padding,
    "multimem_load_reduce_view_tko": _padding,
    "offset": elementwise.why_not,
    "reduce": _body,
    "scan": _body,
    "store_ptr_tko": _pointer_access,
}
"""Mnemonic -> what speaks against an op that has a lowering."""


def why_not(op: Op) -> str | None:
    """Why the op cannot be lowered for any GPU, or None."""
    if against := AGAINST.get(op.name):
        return against(op)
    return None if op.name in LOWERINGS or op.name in VALUES else elementwise.why_not(op)


def lacks(op: Op, target: Target) -> str | None:
    """What the op needs that this GPU does not have, or None."""
    if not is_multimem(op) or target.multicasts:
        return None
    able = ", ".join(name for name, row in TARGETS.items() if row.multicasts)
    return f"{target.name} has no multicast memory; these do: {able}"


_PTX = {
    "memory_fence_alias_tko": (7, 5),
    "multimem_load_reduce_view_tko": (8, 1),
    "multimem_reduce_view_tko": (8, 1),
    "multimem_store_view_tko": (8, 1),
}
"""Ops that need a newer PTX than their target does."""
_PTX_OF_MODES = {("tanh", "approx"): (7, 0)}
"""The same for an op in one of its rounding modes."""


_CASTS = ("ftof", "ftoi", "itof")


def _has_pairs(op: Op) -> bool:
    kinds = (value.type for value in (*op.operand_list(), *op.results))
    return any(kind.element.name in PAIRS for kind in kinds)


def ptx_version(ops: Sequence[Op], target: Target) -> tuple[int, int]:
    """The PTX ISA version that has what all the ops need."""
    needed = [target.ptx, red_forms.ptx_version(ops, target)]
    for op in ops:
        if family_of(op) is Family.PRODUCT:
            needed.append(reading_of(op, target)[1].ptx)
        needed.append(_PTX.get(op.name, target.ptx))
        mode = op.name, op.attributes.get("rounding_mode")
        needed.append(_PTX_OF_MODES.get(mode, target.ptx))
        if target.capability == 89 and op.name in _CASTS and _has_pairs(op):
            needed.append(F8_OF_SM_89)
    return max(needed)
