"""Loads and stores through tiles of pointers.

Rows that are neighbours in memory are accessed as such where their masks are true throughout.
Elsewhere, masked elements are skipped by branches. LLVM turns these into masked vector
instructions, and gathers into wide accesses where it recognises contiguous addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from llvmlite import ir

from tileir.codegen.host.lowering import ordering
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import loop, nest
from tileir.codegen.host.lowering.pointer_rows import (
    Row as PointerRow,
)
from tileir.codegen.host.lowering.pointer_rows import (
    bytes_below,
    is_indirect,
    row_dimension,
    rows,
)
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.host.lowering.prefetch import LINE, prefetch_line
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.streaming import (
    is_large_and_aligned,
    store_lines,
    store_streaming,
)
from tileir.codegen.scalar.constants import constant
from tileir.codegen.scalar.types import BYTE, from_memory, memory_bytes, memory_type, to_memory
from tileir.ir import Op, Value

from .in_place import InPlace, leave_places, span

ROWS_AHEAD = 8
"""How many rows before it is read a row is prefetched."""

MOST_AHEAD = 1 << 10
"""The most bytes of a row that are prefetched: the CPU knows how it goes on."""


def _load(lowering: Lowering, op: Op) -> None:
    source, mask = op.operands["source"], op.operands["mask"]
    dim = row_dimension(lowering, source, mask) if ordering.ordering_of(op) is None else None
    if dim is None:
        with nest(lowering.builder, op.results[0].type.shape) as position:
            _load_element(lowering, op, position)
    elif id(op) in lowering.storage.fusion.in_place:
        _leave_in_place(lowering, op, dim)
    else:
        with rows(lowering, source, mask, dim) as row:
            _prefetch_row(lowering, op, row)
            by_row(
                lowering.builder, row, partial(_load_row_element, lowering, op, row),
                partial(_load_element, lowering, op),
            )  # fmt: skip
    lowering.finish(op.results[0])


def _leave_in_place(lowering: Lowering, op: Op, dim: int) -> None:
    """Let loops read a row where it is, unless its mask is not true throughout."""
    builder, result = lowering.builder, op.results[0]
    with rows(lowering, op.operands["source"], op.operands["mask"], dim) as row:

        def copy() -> None:
            with loop(builder, row.position.shape[dim]) as number:
                _load_element(lowering, op, row.at(builder, number))

        whole = ir.Constant(ir.IntType(1), 1) if row.whole is None else row.whole
        place = InPlace(lowering, result, row.address, row.strides, whole, copy)
    lowering.direct[id(result)] = place


def _prefetch_row(lowering: Lowering, op: Op, row: PointerRow) -> None:
    """Prefetch a row to come of a tile of rows whose addresses were loaded themselves."""
    source, position = op.operands["source"], row.position
    outer = [d for d, n in enumerate(position.shape) if n > ROWS_AHEAD and d != row.dim]
    if not outer or not is_indirect(source):
        return
    builder, indices, d = lowering.builder, list(position.indices), outer[-1]
    step = builder.add(indices[d], ir.Constant(INDEX, ROWS_AHEAD))
    indices[d] = builder.and_(step, ir.Constant(INDEX, position.shape[d] - 1))
    at = Evaluator(lowering, Position(builder, position.shape, indices))
    address = ordering.pointer(builder, at.element(source))
    size = position.shape[row.dim] * memory_bytes(op.results[0].type.element)
    for offset in range(0, min(size, MOST_AHEAD), LINE):
        line = builder.gep(address, [ir.Constant(INDEX, offset)], source_etype=BYTE)
        prefetch_line(builder, line)


def by_row(
    builder: ir.IRBuilder,
    row: PointerRow,
    whole: Callable[[ir.Value], None],
    element: Callable[[Position], None],
) -> None:
    """Emit what is done with the elements of a row, as its mask demands.

    `whole` is given the number of an element where all are accessed, `element` its position
    otherwise.
    """

    def all_of_it() -> None:
        with loop(builder, row.position.shape[row.dim]) as number:
            whole(number)

    _as_demanded(builder, row, all_of_it, element)


def _as_demanded(
    builder: ir.IRBuilder,
    row: PointerRow,
    whole: Callable[[], None],
    element: Callable[[Position], None],
) -> None:
    """Emit what is done with a row as a whole, and element by element, as its mask demands."""
    if row.whole is None:
        whole()
        return
    with builder.if_else(row.whole) as (wholly, partly):
        with wholly:
            whole()
        with partly, loop(builder, row.position.shape[row.dim]) as number:
            element(row.at(builder, number))


def _load_row_element(lowering: Lowering, op: Op, row: PointerRow, number: ir.Value) -> None:
    builder, result = lowering.builder, op.results[0]
    element = result.type.element
    kind = memory_type(element)
    address = builder.gep(row.address, [number], source_etype=kind)
    stored = builder.load(address, typ=kind, align=memory_bytes(element))
    value = from_memory(builder, stored, element)
    lowering.store_element(result, row.at(builder, number), value)


def _load_element(lowering: Lowering, op: Op, position: Position) -> None:
    builder, result = lowering.builder, op.results[0]
    element = result.type.element
    at = Evaluator(lowering, position)
    address = ordering.pointer(builder, at.element(op.operands["source"]))
    mask = optional(at, op.operands["mask"])
    padding = optional(at, op.operands["paddingValue"])
    before = builder.block
    if mask is None:
        value = _read(lowering, op, address, position)
    else:
        with builder.if_then(mask):
            read = _read(lowering, op, address, position)
            inside = builder.block
        value = builder.phi(read.type)
        value.add_incoming(constant(element, 0) if padding is None else padding, before)
        value.add_incoming(read, inside)
    lowering.store_element(result, position, value)


def _read(lowering: Lowering, op: Op, address: ir.Value, position: Position) -> ir.Value:
    builder, element = lowering.builder, op.results[0].type.element
    order, kind = ordering.ordering_of(op), memory_type(element)
    address = lowering.checked(op, address, memory_bytes(element), position)
    stored = ordering.load(builder, address, kind, memory_bytes(element), order)
    return from_memory(builder, stored, element)


def _store(lowering: Lowering, op: Op) -> None:
    target, mask = op.operands["destination"], op.operands["mask"]
    dim = row_dimension(lowering, target, mask) if ordering.ordering_of(op) is None else None
    if dim is None:
        leave_places(lowering, op, None)
        with nest(lowering.builder, target.type.shape) as position:
            _store_element(lowering, op, position)
        return
    several = target.type.size > target.type.shape[dim]
    if several:
        leave_places(lowering, op, None)
    with rows(lowering, target, mask, dim) as row:
        scope = None
        if not several:
            written = span(lowering.builder, row.address, row.strides, op.operands["value"])
            scope = leave_places(lowering, op, written)
        _as_demanded(
            lowering.builder, row, lambda: _store_row(lowering, op, row, scope),
            partial(_store_element, lowering, op),
        )  # fmt: skip


def _store_row(lowering: Lowering, op: Op, row: PointerRow, scope: ir.MDValue | None) -> None:
    """`scope` is the alias scope of the memory written."""
    builder, value = lowering.builder, op.operands["value"]
    element = value.type.element
    kind, size = memory_type(element), memory_bytes(element)

    def plain() -> None:
        with loop(builder, row.position.shape[row.dim]) as number:
            at = Evaluator(lowering, row.at(builder, number))
            address = builder.gep(row.address, [number], source_etype=kind)
            stored = to_memory(builder, at.element(value), element)
            stored = builder.store(stored, address, align=size)
            if scope is not None:
                stored.set_metadata("alias.scope", scope)

    def large_and_aligned() -> ir.Value:
        return is_large_and_aligned(
            builder, bytes_below(lowering, op.operands["mask"], size),
            builder.ptrtoint(row.address, INDEX),
        )  # fmt: skip

    def lines(chunk: int) -> None:
        store_lines(lowering, value, row.position, row.dim, row.address, chunk)

    store_streaming(lowering, large_and_aligned, lines, plain)


def _store_element(lowering: Lowering, op: Op, position: Position) -> None:
    builder, value = lowering.builder, op.operands["value"]
    element, order = value.type.element, ordering.ordering_of(op)
    at = Evaluator(lowering, position)
    address = ordering.pointer(builder, at.element(op.operands["destination"]))
    mask = optional(at, op.operands["mask"])
    stored = to_memory(builder, at.element(value), element)

    def write() -> None:
        target = lowering.checked(op, address, memory_bytes(element), position)
        ordering.store_exclusively(lowering, stored, target, memory_bytes(element), order)

    if mask is None:
        write()
    else:
        with builder.if_then(mask):
            write()


def optional(at: Evaluator, value: Value | None) -> ir.Value | None:
    """Return the element of an optional operand, None if there is none."""
    return None if value is None else at.element(value)


ROWS = {
    "load_ptr_tko": Row(_load),
    "store_ptr_tko": Row(_store),
}
