"""Read-modify-write ops: each element is updated atomically with respect to all other threads.

All of them are exclusive, see `ordering`: under that lock, plain instructions are atomic for all
who take it, which the scopes `tl_blk` and `device` ask for. Those of `sys` are atomic besides.

The elements of a tile are updated one after the other, so two with the same address both count;
those of a row of neighbours have different ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from llvmlite import ir

from tileir.codegen.host.lowering import ordering
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.pointer_rows import Row as PointerRow
from tileir.codegen.host.lowering.pointer_rows import row_dimension, rows
from tileir.codegen.host.lowering.position import Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.window import Window
from tileir.codegen.scalar.bits import bits_of, from_bits
from tileir.codegen.scalar.conversions.halves import HALVES
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.codegen.scalar.types import (
    from_memory,
    llvm_type,
    memory_bytes,
    memory_type,
    to_memory,
)
from tileir.ir import Op, Value
from tileir.types import Scalar

from .indirect import by_row, optional

_ON_FAILURE = {"acquire": "acquire", "acq_rel": "acquire"}
"""Ordering of a compare-and-swap -> its ordering on failure, when it only loads."""


def _rmw(lowering: Lowering, op: Op) -> None:
    """The result of a masked element is unspecified: the argument is used, which needs no load."""
    if _is_plain(lowering, op):
        _rmw_plainly(lowering, op)
        return
    builder, argument = lowering.builder, op.operands["arg"]
    with nest(builder, argument.type.shape) as position:
        at = Evaluator(lowering, position)
        address = ordering.pointer(builder, at.element(op.operands["pointers"]))
        value, mask = at.element(argument), optional(at, op.operands["mask"])

        def change() -> None:
            target = lowering.checked(op, address, _bytes(argument), position)
            with ordering.exclusive(lowering, _order(op)):
                old = _update_atomically(builder, op, target, value, argument.type.element)
            lowering.store_element(op.results[0], position, old)

        if mask is None:
            change()
        else:
            lowering.store_element(op.results[0], position, value)
            with builder.if_then(mask):
                change()
    lowering.finish(op.results[0])


def _is_plain(lowering: Lowering, op: Op) -> bool:
    """Whether the lock is enough, so that the instructions themselves need not be atomic."""
    return op.attributes["memory_scope"] != "sys" and not lowering.looks_at_elements


def _rmw_plainly(lowering: Lowering, op: Op) -> None:
    """Update a tile by plain instructions, neighbours in memory by those of vectors."""
    builder, pointers, mask = lowering.builder, op.operands["pointers"], op.operands["mask"]
    dim = row_dimension(lowering, pointers, mask)
    with ordering.exclusive(lowering, _order(op)):
        if dim is None:
            with nest(builder, pointers.type.shape) as position:
                _rmw_element(lowering, op, position)
        else:
            with rows(lowering, pointers, mask, dim) as row:
                by_row(
                    builder, row, partial(_rmw_row_element, lowering, op, row),
                    partial(_rmw_element, lowering, op),
                )  # fmt: skip
    lowering.finish(op.results[0])


def _rmw_row_element(lowering: Lowering, op: Op, row: PointerRow, number: ir.Value) -> None:
    builder, argument = lowering.builder, op.operands["arg"]
    position = row.at(builder, number)
    kind = memory_type(argument.type.element)
    address = builder.gep(row.address, [number], source_etype=kind)
    value = Evaluator(lowering, position).element(argument)
    _keep_old(lowering, op, position, update(builder, op, address, value, argument.type.element))


def _rmw_element(lowering: Lowering, op: Op, position: Position) -> None:
    builder, argument = lowering.builder, op.operands["arg"]
    at = Evaluator(lowering, position)
    address = ordering.pointer(builder, at.element(op.operands["pointers"]))
    value, mask = at.element(argument), optional(at, op.operands["mask"])
    if mask is None:
        old = update(builder, op, address, value, argument.type.element)
        _keep_old(lowering, op, position, old)
        return
    _keep_old(lowering, op, position, value)
    with builder.if_then(mask):
        old = update(builder, op, address, value, argument.type.element)
        _keep_old(lowering, op, position, old)


def _keep_old(lowering: Lowering, op: Op, position: Position, old: ir.Value) -> None:
    """Store an element of the result, if anybody wants it."""
    if op.results[0].uses:
        lowering.store_element(op.results[0], position, old)


def _cas(lowering: Lowering, op: Op) -> None:
    """Floats are compared by their bits. The result of a masked element is its operand `cmp`."""
    builder, expected, replacement = lowering.builder, op.operands["cmp"], op.operands["val"]
    element = expected.type.element
    with nest(builder, expected.type.shape) as position:
        at = Evaluator(lowering, position)
        address = ordering.pointer(builder, at.element(op.operands["pointers"]))
        old, new = at.element(expected), at.element(replacement)
        mask = optional(at, op.operands["mask"])

        def change() -> None:
            bits = [bits_of(builder, value) for value in (old, new)]
            target = lowering.checked(op, address, _bytes(expected), position)
            order = _order(op)
            with ordering.exclusive(lowering, order):
                previous, _ = _swap(builder, target, bits[0], bits[1], order)
            previous = from_bits(builder, previous, llvm_type(element))
            lowering.store_element(op.results[0], position, previous)

        if mask is None:
            change()
        else:
            lowering.store_element(op.results[0], position, old)
            with builder.if_then(mask):
                change()
    lowering.finish(op.results[0])


def _red_view(lowering: Lowering, op: Op) -> None:
    window, value = Window(lowering, op), op.operands["value"]
    order, builder = _order(op), lowering.builder
    if not _is_plain(lowering, op):
        with window.elements(bounded=True) as position:
            element, address = (
                Evaluator(lowering, position).element(value),
                window.address(position),
            )
            with ordering.exclusive(lowering, order):
                _update_atomically(builder, op, address, element, window.element)
        return

    def plain(bounded: bool) -> None:
        with window.elements(bounded) as position:
            element = Evaluator(lowering, position).element(value)
            update(builder, op, window.address(position), element, window.element)

    whole = builder.if_else(window.is_inside())
    with ordering.exclusive(lowering, order), whole as (inside, across):
        with inside:
            plain(bounded=False)
        with across:
            plain(bounded=True)


def _order(op: Op) -> str:
    return ordering.ordering_of(op) or ""


def _bytes(value: Value) -> int:
    return memory_bytes(value.type.element)


def update(
    builder: ir.IRBuilder, op: Op, address: ir.Value, value: ir.Value, element: Scalar
) -> ir.Value:
    """Update the element at an address by plain instructions; return its old value."""
    mode, size = op.attributes["mode"], memory_bytes(element)
    old = from_memory(builder, builder.load(address, typ=memory_type(element), align=size), element)
    new = (
        _sum(builder, old, value, element) if mode == "addf" else _MODES[mode](builder, old, value)
    )
    builder.store(to_memory(builder, new, element), address, align=size)
    return old


def _better(relation: str, signed: bool) -> Callable[..., ir.Value]:
    """Return what emits the one of two integers that is less or greater than the other."""

    def emit(builder: ir.IRBuilder, old: ir.Value, value: ir.Value) -> ir.Value:
        compare = builder.icmp_signed if signed else builder.icmp_unsigned
        return builder.select(compare(relation, old, value), old, value)

    return emit


_MODES: dict[str, Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]] = {
    "add": lambda builder, old, value: builder.add(old, value),
    "and": lambda builder, old, value: builder.and_(old, value),
    "or": lambda builder, old, value: builder.or_(old, value),
    "xor": lambda builder, old, value: builder.xor(old, value),
    "max": _better(">", signed=True),
    "min": _better("<", signed=True),
    "umax": _better(">", signed=False),
    "umin": _better("<", signed=False),
    "xchg": lambda builder, old, value: value,
}
"""Mode -> what emits the new value from the old one and the argument."""


def _update_atomically(
    builder: ir.IRBuilder, op: Op, address: ir.Value, value: ir.Value, element: Scalar
) -> ir.Value:
    """Update the element at an address by atomic instructions; return its old value."""
    mode, order = op.attributes["mode"], _order(op)
    if mode == "addf":
        return _add(builder, address, value, element, order)
    bits = bits_of(builder, value)
    old = builder.atomic_rmw(mode, address, bits, order)
    return from_bits(builder, old, llvm_type(element))


def _add(
    builder: ir.IRBuilder, address: ir.Value, value: ir.Value, element: Scalar, order: str
) -> ir.Value:
    """Add a float by a loop of compare-and-swap."""
    kind = ir.IntType(element.bits)
    first = builder.load_atomic(address, "monotonic", element.bits // 8, typ=kind)
    before = builder.block
    again, done = (builder.append_basic_block(name) for name in ("again", "added"))
    builder.branch(again)
    builder.position_at_end(again)
    seen = builder.phi(kind)
    seen.add_incoming(first, before)
    old = from_bits(builder, seen, llvm_type(element))
    total = bits_of(builder, _sum(builder, old, value, element))
    previous, swapped = _swap(builder, address, seen, total, order)
    seen.add_incoming(previous, again)
    builder.cbranch(swapped, done, again)
    builder.position_at_end(done)
    return old


def _sum(builder: ir.IRBuilder, lhs: ir.Value, rhs: ir.Value, element: Scalar) -> ir.Value:
    if element.name not in HALVES:
        return builder.fadd(lhs, rhs)
    total = builder.fadd(widen(builder, lhs, element), widen(builder, rhs, element))
    return narrow(builder, total, element)


def _swap(
    builder: ir.IRBuilder, address: ir.Value, old: ir.Value, new: ir.Value, order: str
) -> tuple[ir.Value, ir.Value]:
    """Compare and swap bits; return the previous bits, and whether they were `old`."""
    failure = _ON_FAILURE.get(order, "monotonic")
    outcome = builder.cmpxchg(address, old, new, order, failure)
    return builder.extract_value(outcome, 0), builder.extract_value(outcome, 1)


ROWS = {
    "atomic_cas_tko": Row(_cas),
    "atomic_red_view_tko": Row(_red_view),
    "atomic_rmw_tko": Row(_rmw),
}
