"""Ops that the host cannot run, each with the reason."""

from __future__ import annotations

from collections.abc import Callable

from tileir.codegen.ops import is_multimem
from tileir.codegen.scalar import elementwise
from tileir.codegen.scalar.constants import padding_bits
from tileir.ir import Op

from .lowering.inline import INLINE
from .lowering.rows import ROWS


def why_not(op: Op) -> str | None:
    """Return why the host cannot run an op, or None."""
    if op.name in INLINE:
        return None
    if is_multimem(op):
        return "multicast memory exists on GPUs only"
    if op.name not in ROWS:
        return elementwise.why_not(op)
    reason = _REASONS.get(op.name)
    return reason(op) if reason else None


def _padding(op: Op) -> str | None:
    view = op.operands["view"].type
    if padding_bits(view.view.element, view.padding) is None:
        return f"{view.view.element} has no value for the padding {view.padding}"
    return None


_REASONS: dict[str, Callable[[Op], str | None]] = {
    "load_view_tko": _padding,
}
