"""What is lowered, decided from rows and predicates before any LLVM is built.

An op is lowered when it is a row here or in `scalar.elementwise` and nothing speaks against it: not
its predicate, not the target. All that is not lowered is reported at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Op
from tileir.types import PartitionView, Pointer, Tile

from .kernel import Kernel
from .scalar import elementwise
from .scalar.constants import padding_bits
from .scalar.types import is_packed

WhyNot = Callable[[Op], str | None]
TargetWhyNot = Callable[[Op, str], str | None]


def _strong_access(op: Op) -> str | None:
    order = op.attributes["memory_ordering_semantics"]
    return None if order == "weak" else f"{order} memory ordering is not lowered yet"


def _packed(element: object) -> str | None:
    if is_packed(element):
        return f"two elements of {element} share a byte, which is not lowered yet"
    return None


def _view_access(op: Op) -> str | None:
    view = op.operands["view"].type
    if not isinstance(view, PartitionView):
        return f"{type(view).__name__} is not lowered yet"
    element = view.view.element
    if op.name == "load_view_tko" and padding_bits(element, view.padding) is None:
        return f"{element} has no value for the padding {view.padding}"
    return _packed(element) or _strong_access(op)


def _pointer_access(op: Op) -> str | None:
    pointers = op.operands.get("source") or op.operands["destination"]
    return _packed(pointers.type.element.pointee) or _strong_access(op)


def _index_space(op: Op) -> str | None:
    view = op.operands["src"].type
    if isinstance(view, PartitionView):
        return None
    return f"{type(view).__name__} is not lowered yet"


LOWERED: dict[str, WhyNot | None] = {
    "assume": None,
    "broadcast": None,
    "constant": None,
    "get_index_space_shape": _index_space,
    "get_num_tile_blocks": None,
    "get_tensor_shape": None,
    "get_tile_block_id": None,
    "iota": None,
    "join_tokens": None,
    "load_ptr_tko": _pointer_access,
    "load_view_tko": _view_access,
    "make_partition_view": None,
    "make_tensor_view": None,
    "make_token": None,
    "permute": None,
    "reshape": None,
    "return": None,
    "store_ptr_tko": _pointer_access,
    "store_view_tko": _view_access,
}
"""Ops that are not element-wise: mnemonic -> what speaks against one of them."""


def why_not(op: Op) -> str | None:
    """Why the op cannot be lowered for any target, or None."""
    if op.name not in LOWERED:
        return elementwise.why_not(op)
    reason = LOWERED[op.name]
    return reason(op) if reason else None


def check(kernels: Iterable[Kernel], target: str, target_why_not: TargetWhyNot) -> None:
    """Raise one UnsupportedError that lists every op which is not lowered."""
    found = []
    for kernel in kernels:
        found += _parameters(kernel)
        for op in kernel.walk():
            if op.depth and op.spec.terminator:
                continue  # part of the op whose region it ends
            reason = why_not(op) or target_why_not(op, target)
            if reason:
                found.append(Diagnostic.about(op, kernel.symbol, "unsupported", reason))
    if found:
        count = "one op is" if len(found) == 1 else f"{len(found)} ops are"
        raise UnsupportedError(f"{count} not supported on target {target}:", found)


def _parameters(kernel: Kernel) -> list[Diagnostic]:
    """Parameters that a launch could not pass."""
    return [
        Diagnostic(
            "error", "unsupported", f"parameter {number}: {value.type} cannot be passed",
            function=kernel.symbol,
        )
        for number, value in enumerate(kernel.parameters)
        if not _passable(value.type)
    ]  # fmt: skip


_NOT_PASSED = {"i4", "f4E2M1FN", "tf32", "fnv8E5M3FNU"}
"""Scalars that have no layout in a parameter list that anyone agrees on."""


def _passable(kind: object) -> bool:
    if not isinstance(kind, Tile) or kind.rank:
        return False
    return isinstance(kind.element, Pointer) or kind.element.name not in _NOT_PASSED
