"""Which ops GPU targets support: element-wise ops, and those with a lowering, with exceptions."""

from __future__ import annotations

from collections.abc import Callable

from tileir.codegen.block.tile_ops import REPLACED
from tileir.codegen.nvptx.emit.lowering import LOWERINGS
from tileir.codegen.ops import Family, family_of, is_multimem
from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.constants import padding_bits
from tileir.codegen.scalar.types import is_packed
from tileir.gpus import Target, gpus_with
from tileir.ir import Op
from tileir.types import Tile

WhyNot = Callable[[Op], str | None]


def _packed(element: object) -> str | None:
    if is_packed(element):
        return f"two elements of {element} share a byte; {OURS}"
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


OURS = "a limit of this compiler, not of Tile IR"
"""Stands behind what docs/guide/what_works.md lists as such."""
MOST_HELD = 256
"""The most elements of a tile in the body of a reduce or scan: each thread holds all of them."""
_TOGETHER = {Family.PRODUCT, Family.SLICE}
"""Families of ops that take several threads: they use shared memory or a whole warp."""


def _body(op: Op) -> str | None:
    """Return why an op's body is unsupported: a single thread runs it."""
    for inner in list(op.walk())[1:]:
        kinds = [value.type for value in (*inner.operand_list(), *inner.results)]
        sizes = [kind.size for kind in kinds if isinstance(kind, Tile)]
        if family_of(inner) in _TOGETHER and max(sizes) > 1:
            return f"{inner.name} in its body takes several threads; {OURS}"
        if max(sizes, default=1) > MOST_HELD:
            return f"tiles in its body may have at most {MOST_HELD} elements; {OURS}"
    return None


UNSUPPORTED: dict[str, WhyNot] = {
    "load_ptr_tko": _pointer_access,
    "load_view_tko": _padding,
    "multimem_load_reduce_view_tko": _padding,
    "offset": elementwise.why_not,
    "reduce": _body,
    "scan": _body,
    "store_ptr_tko": _pointer_access,
}
"""Mnemonic -> the function that says why an op with a lowering is unsupported, or None."""


def why_not(op: Op) -> str | None:
    """Return why no GPU target supports the op; None if one does."""
    if reason := UNSUPPORTED.get(op.name):
        return reason(op)
    if op.name in elementwise.ELEMENTWISE:
        return elementwise.why_not(op)
    return None if op.name in LOWERINGS or op.name in REPLACED else elementwise.why_not(op)


def lacks(op: Op, target: Target) -> str | None:
    """Return which feature of this GPU the op lacks; None if it lacks nothing."""
    if not is_multimem(op) or target.has("multimem"):
        return None
    able = ", ".join(gpus_with("multimem"))
    return f"{target.name} has no multicast memory; these do: {able}"
