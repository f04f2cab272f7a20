"""Loads and stores: each is a loop nest of its own, in program order.

Program order is one of the orders that tokens allow. A loaded tile is copied to its buffer before
anything is stored that could change it. Where the loop that wants it is the next to store, and
turns out to store elsewhere, it reads the tensor without the copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llvmlite import ir

from tileir.ir import Op, Value
from tileir.types import Element

from ..scalar.constants import constant, padding_bits
from ..scalar.types import OPAQUE, from_memory, memory_bytes, memory_type, to_memory
from .evaluate import Evaluator
from .loops import nest
from .rows import Row
from .views import Window

if TYPE_CHECKING:
    from .lower import BlockLowering


def load_view(lowering: BlockLowering, op: Op) -> None:
    """Copy a window to the tile's buffer now, unless the loop that wants it will see to it."""
    if id(op) in lowering.storage.fusion.late:
        return
    window = Window(lowering, op)
    with lowering.builder.if_else(window.is_inside()) as (inside, across):
        with inside:
            _copy(lowering, op, window)
        with across:
            _fill(lowering, op, window)
            _copy(lowering, op, window, window.bounds())
    lowering.finish(op.results[0])


def store_view(lowering: BlockLowering, op: Op) -> None:
    """Compute the tile into a window."""
    window = Window(lowering, op)

    def write(bounds: list | None, scope: ir.MDValue | None) -> None:
        with nest(lowering.builder, window.tile, bounds, window.inner) as position:
            value = Evaluator(lowering, position).element(op.operands["tile"])
            stored = window.store(position, to_memory(lowering.builder, value, window.element))
            if scope is not None:
                stored.set_metadata("alias.scope", scope)

    with_deferred(lowering, op, write, window)


def with_deferred(
    lowering: BlockLowering, op: Op, loop: Callable[[list | None, ir.MDValue | None], None],
    written: Window | None = None,
) -> None:  # fmt: skip
    """Emit the loop of an op twice: reading what was deferred to it from tensors, and from buffers.

    `loop` takes the bounds of the loop (None for all of the tile) and the scope of what it writes,
    which marks it as different memory from what is read. `written` is the window it writes to.
    """
    builder = lowering.builder
    deferred = [
        (load, Window(lowering, load)) for load in lowering.storage.fusion.deferred.get(id(op), ())
    ]
    if not deferred and not written:
        loop(None, None)
        return
    scope = lowering.new_scope() if deferred and written else None
    straight = written.is_inside() if written else ir.Constant(ir.IntType(1), 1)
    for _, window in deferred:
        window.apart_from = scope
        straight = builder.and_(straight, window.is_inside())
        if written:
            straight = builder.and_(straight, _are_apart(builder, window.span(), written.span()))
    with builder.if_else(straight) as (directly, buffered):
        with directly:
            lowering.direct = {id(load.results[0]): window for load, window in deferred}
            loop(None, scope)
            lowering.direct = {}
        with buffered:
            for load, window in deferred:
                with builder.if_then(builder.not_(window.is_inside())):
                    _fill(lowering, load, window)
                _copy(lowering, load, window, window.bounds())
            loop(written.bounds() if written else None, None)


def _are_apart(builder: ir.IRBuilder, one: tuple, other: tuple) -> ir.Value:
    before = builder.icmp_unsigned("<=", one[1], other[0])
    return builder.or_(before, builder.icmp_unsigned("<=", other[1], one[0]))


def _fill(lowering: BlockLowering, op: Op, window: Window) -> None:
    """Padding, everywhere."""
    bits = padding_bits(window.element, op.operands["view"].type.padding)
    padding = constant(window.element, bits)
    with nest(lowering.builder, window.tile) as position:
        lowering.store_element(op.results[0], position, padding)


def _copy(lowering: BlockLowering, op: Op, window: Window, bounds: list | None = None) -> None:
    """The tensor's elements to the tile's buffer."""
    builder, element = lowering.builder, window.element
    with nest(builder, window.tile, bounds, window.inner) as position:
        value = from_memory(builder, window.load(position), element)
        lowering.store_element(op.results[0], position, value)


def load_pointers(lowering: BlockLowering, op: Op) -> None:
    """Gather. What the mask leaves out is read from a spare place, so that no branch is needed."""
    builder, result = lowering.builder, op.results[0]
    element = result.type.element
    stored = memory_type(element)
    with nest(builder, result.type.shape) as position:
        at = Evaluator(lowering, position)
        address = builder.inttoptr(at.element(op.operands["source"]), OPAQUE)
        mask = _optional(at, op.operands["mask"])
        padding = _optional(at, op.operands["paddingValue"])
        if mask is not None:
            address = builder.select(mask, address, lowering.spare)
        loaded = builder.load(address, typ=stored, align=memory_bytes(element))
        value = from_memory(builder, loaded, element)
        if mask is not None:
            other = constant(element, 0) if padding is None else padding
            value = builder.select(mask, value, other)
        lowering.store_element(result, position, value)
    lowering.finish(result)


def store_pointers(lowering: BlockLowering, op: Op) -> None:
    """Scatter."""
    builder, value = lowering.builder, op.operands["value"]
    element = value.type.element
    with nest(builder, value.type.shape) as position:
        at = Evaluator(lowering, position)
        address = at.element(op.operands["destination"])
        mask = _optional(at, op.operands["mask"])
        stored = to_memory(builder, at.element(value), element)
        if mask is None:
            _write(builder, address, stored, element)
        else:
            with builder.if_then(mask):
                _write(builder, address, stored, element)


def _write(builder: ir.IRBuilder, address: ir.Value, stored: ir.Value, element: Element) -> None:
    builder.store(stored, builder.inttoptr(address, OPAQUE), align=memory_bytes(element))


def _optional(at: Evaluator, value: Value | None) -> ir.Value | None:
    return None if value is None else at.element(value)


ROWS = {
    "load_ptr_tko": Row(load_pointers),
    "load_view_tko": Row(load_view),
    "store_ptr_tko": Row(store_pointers),
    "store_view_tko": Row(store_view, direct=True),
}
