"""Fold conversions between layouts: one of a conversion, an equal one, one that changes nothing."""

from __future__ import annotations

from collections.abc import Iterable

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Op, Value
from tileir.types import ValueType


def fold_conversions(state: KernelState) -> None:
    """Remove every conversion whose result another value has already."""
    known: dict[tuple[Value, ValueType], list[Value]] = {}
    for op in list(state.kernel.walk()):
        if op.name != "convert_layout":
            continue
        source, wanted = _original(op.operands["source"]), op.result.type
        op.operands["source"] = source
        there = known.setdefault((source, wanted), [source] if source.type == wanted else [])
        if (same := _visible(there, op)) is not None:
            op.replace_with(same)
            state.folded += 1
        else:
            there.append(op.result)
    for op in reversed(list(state.kernel.walk())):
        if op.name == "convert_layout" and not op.result.uses:
            op.erase()
            state.folded += 1
    state.kernel.edited(Divisibility)


def _original(value: Value) -> Value:
    """Return the value that a chain of conversions starts from."""
    while isinstance(value.owner, Op) and value.owner.name == "convert_layout":
        value = value.owner.operands["source"]
    return value


def _visible(values: Iterable[Value], op: Op) -> Value | None:
    return next((value for value in values if value.is_visible_to(op)), None)
