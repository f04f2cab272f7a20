"""Loads and stores of views: each is a loop nest of its own, in program order.

Program order is one of the orders that tokens allow. A tile inside the tensor is copied by loops of
constant length, one that crosses the edge by loops bounded by the edge; no element is tested.

A loaded tile is copied to its buffer before any store that could change it. If all loops that read
it come before, they read the tensor without the copy (see `in_place`). So does the next loop that
stores if it is the only one that reads the tile, and stores to other addresses (tested at run
time).
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from tileir.codegen.host.lowering import bytewise
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.streaming import store_window
from tileir.codegen.host.lowering.window import Window
from tileir.codegen.scalar.constants import constant, padding_bits
from tileir.ir import Op

from .in_place import InPlace, are_apart, leave_places


def load_view(lowering: Lowering, op: Op) -> None:
    """Copy a window to the tile's buffer, unless the load is deferred to the loop that uses it."""
    if id(op) in lowering.storage.fusion.deferred_loads:
        return
    window = Window(lowering, op)
    if id(op) in lowering.storage.fusion.in_place:
        place = InPlace.of_window(
            lowering, op.results[0], window, lambda: _across(lowering, op, window)
        )
        if place is not None:
            lowering.direct[id(op.results[0])] = place
            return
    if window.sparse is not None:
        _fill(lowering, op, window)
        _copy(lowering, op, window, bounded=True)
    else:
        with lowering.builder.if_else(window.is_inside()) as (inside, across):
            with inside:
                _copy(lowering, op, window, bounded=False)
            with across:
                _across(lowering, op, window)
    lowering.finish(op.results[0])


def store_view(lowering: Lowering, op: Op) -> None:
    """Compute the tile into a window of the tensor."""
    window, tile = Window(lowering, op), op.operands["tile"]

    def write(bounded: bool, scope: ir.MDValue | None) -> None:
        def store() -> None:
            with window.elements(bounded) as position:
                window.store(position, Evaluator(lowering, position).element(tile), scope)

        if bounded:
            store()
        else:
            store_window(lowering, op, window, store)

    if not window.is_packed:
        with_deferred(lowering, op, write, window)
    elif lowering.counts_elements or not bytewise.has_pairs(window):
        write(True, None)
    else:
        with lowering.builder.if_else(bytewise.fills_bytes(window)) as (whole, singly):
            with whole:
                bytewise.store_bytes(lowering, window, tile)
            with singly:
                write(True, None)


def with_deferred(
    lowering: Lowering,
    op: Op,
    loop: Callable[[bool, ir.MDValue | None], None],
    written: Window | None = None,
) -> None:
    """Emit the loop of an op twice: reading deferred loads from tensors, and from buffers.

    `loop` is told whether to access only elements inside the tensor, and the alias scope of what
    it writes, which the loads do not alias. `written` is the window that it writes to.
    """
    builder, fusion = lowering.builder, lowering.storage.fusion
    deferred = [(load, Window(lowering, load)) for load in fusion.deferred_to.get(id(op), ())]
    if not deferred and not written:
        loop(False, None)
        return
    scope = leave_places(lowering, op, written.span()) if written else None
    if deferred and written and scope is None:
        scope = lowering.new_scope()
    straight = written.is_inside() if written else ir.Constant(ir.IntType(1), 1)
    for _, window in deferred:
        window.apart_from = scope
        straight = builder.and_(straight, window.is_inside())
        if written:
            straight = builder.and_(straight, are_apart(builder, window.span(), written.span()))
    before = lowering.direct
    with builder.if_else(straight) as (directly, buffered):
        with directly:
            lowering.direct = before | {id(load.results[0]): window for load, window in deferred}
            loop(False, scope)
            lowering.direct = before
        with buffered:
            for load, window in deferred:
                with builder.if_then(builder.not_(window.is_inside())):
                    _fill(lowering, load, window)
                _copy(lowering, load, window, bounded=True)
            loop(written is not None, scope)


def _across(lowering: Lowering, op: Op, window: Window) -> None:
    """Make the tile of a window that is not inside of its tensor."""
    _fill(lowering, op, window)
    _copy(lowering, op, window, bounded=True)


def _fill(lowering: Lowering, op: Op, window: Window) -> None:
    """Fill the buffer of a load with padding."""
    bits = padding_bits(window.element, op.operands["view"].type.padding)
    padding = constant(window.element, bits)
    with nest(lowering.builder, window.tile) as position:
        lowering.store_element(op.results[0], position, padding)


def _copy(lowering: Lowering, op: Op, window: Window, bounded: bool) -> None:
    """Copy the tensor's elements to the buffer of a load."""
    with window.elements(bounded) as position:
        lowering.store_element(op.results[0], position, window.load(position))


ROWS = {
    "load_view_tko": Row(load_view),
    "store_view_tko": Row(store_view, direct=True),
}
