"""Read-modify-write ops: each element is updated atomically with respect to all other threads.

The elements of a tile are updated one after the other, so two with the same address both count.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering import ordering
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.host.lowering.window import Window
from tileir.codegen.scalar.bits import bits_of, from_bits
from tileir.codegen.scalar.conversions.halves import HALVES
from tileir.codegen.scalar.conversions.narrowing import narrow
from tileir.codegen.scalar.conversions.widening import widen
from tileir.codegen.scalar.types import llvm_type, memory_bytes
from tileir.ir import Op, Value
from tileir.types import Scalar

from .indirect import optional

_ON_FAILURE = {"acquire": "acquire", "acq_rel": "acquire"}
"""Ordering of a compare-and-swap -> its ordering on failure, when it only loads."""


def _rmw(lowering: Lowering, op: Op) -> None:
    """The result of a masked element is unspecified: the argument is used, which needs no load."""
    builder, argument = lowering.builder, op.operands["arg"]
    with nest(builder, argument.type.shape) as position:
        at = Evaluator(lowering, position)
        address = ordering.pointer(builder, at.element(op.operands["pointers"]))
        value, mask = at.element(argument), optional(at, op.operands["mask"])

        def change() -> None:
            target = lowering.checked(op, address, _bytes(argument), position)
            old = update(builder, op, target, value, argument.type.element)
            lowering.store_element(op.results[0], position, old)

        if mask is None:
            change()
        else:
            lowering.store_element(op.results[0], position, value)
            with builder.if_then(mask):
                change()
    lowering.finish(op.results[0])


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
            previous, _ = _swap(builder, target, bits[0], bits[1], ordering.ordering_of(op) or "")
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
    with window.elements(bounded=True) as position:
        element = Evaluator(lowering, position).element(value)
        update(lowering.builder, op, window.address(position), element, window.element)


def _bytes(value: Value) -> int:
    return memory_bytes(value.type.element)


def update(
    builder: ir.IRBuilder, op: Op, address: ir.Value, value: ir.Value, element: Scalar
) -> ir.Value:
    """Update the element at an address as the op's mode says; return its old value."""
    mode, order = op.attributes["mode"], ordering.ordering_of(op) or ""
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
