"""Fold conversions between layouts: one of a conversion, an equal one, one that changes nothing.

A tile whose numbers become narrower, or have just become wider, is converted while they are narrow:
fewer bytes move. An op that is thereby computed in the other layout is so for no more elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.nvptx.state import KernelState
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import ValueType

_CASTS = ("ftof", "itof")
"""Ops that change the width of numbers, element by element."""


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
        if op.name == "convert_layout":
            if op.result.uses:
                _narrow(op)
            else:
                op.erase()
                state.folded += 1
    state.kernel.edited(Divisibility)


def _narrow(conversion: Op) -> None:
    """Move a conversion between layouts to the narrow side of the cast before it or behind it."""
    behind = [use.op for use in conversion.result.uses]
    before = conversion.operands["source"].owner
    if len(behind) == 1 and behind[0].name in _CASTS and behind[0].parent is conversion.parent:
        _move_behind(conversion, behind[0])
    elif isinstance(before, Op) and before.name in _CASTS and before.parent is conversion.parent:
        _move_before(conversion, before)


def _move_behind(conversion: Op, cast_: Op) -> None:
    source, result = conversion.operands["source"], cast_.result
    wide, narrow = _frag(source), _frag(result)
    fewer = len(wide.layout.register) <= len(narrow.layout.register)
    if not fewer or memory_bytes(narrow.element) >= memory_bytes(wide.element):
        return
    made = cast_.clone({conversion.result: source})
    made.result.type = wide.with_element(narrow.element)
    made.insert_before(cast_)
    converted = make("convert_layout", {"source": made.result}, results=[narrow], origin=conversion)
    converted.insert_before(cast_)
    cast_.replace_with(converted.result)
    conversion.erase()


def _move_before(conversion: Op, cast_: Op) -> None:
    source = cast_.operands["from"]
    narrow, wide = _frag(source), _frag(conversion.result)
    fewer = len(wide.layout.register) <= len(narrow.layout.register)
    if not fewer or len(cast_.result.uses) > 1:
        return
    if memory_bytes(narrow.element) >= memory_bytes(wide.element):
        return
    kind = wide.with_element(narrow.element)
    converted = make("convert_layout", {"source": source}, results=[kind], origin=conversion)
    converted.insert_before(conversion)
    made = cast_.clone({source: converted.result})
    made.result.type = wide
    made.insert_before(conversion)
    conversion.replace_with(made.result)
    cast_.erase()


def _frag(value: Value) -> Frag:
    return cast(Frag, value.type)


def _original(value: Value) -> Value:
    """Return the value that a chain of conversions starts from."""
    while isinstance(value.owner, Op) and value.owner.name == "convert_layout":
        value = value.owner.operands["source"]
    return value


def _visible(values: Iterable[Value], op: Op) -> Value | None:
    return next((value for value in values if value.is_visible_to(op)), None)
