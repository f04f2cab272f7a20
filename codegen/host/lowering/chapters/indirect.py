"""Loads and stores through tiles of pointers.

Masked elements are skipped by branches. LLVM turns these into masked vector instructions, and
gathers into wide accesses where it recognises contiguous addresses.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering import ordering
from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.evaluate import Evaluator
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import Position
from tileir.codegen.host.lowering.row import Row
from tileir.codegen.scalar.constants import constant
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type, to_memory
from tileir.ir import Op, Value


def _load(lowering: Lowering, op: Op) -> None:
    builder, result = lowering.builder, op.results[0]
    element = result.type.element
    with nest(builder, result.type.shape) as position:
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
    lowering.finish(result)


def _read(lowering: Lowering, op: Op, address: ir.Value, position: Position) -> ir.Value:
    builder, element = lowering.builder, op.results[0].type.element
    order, kind = ordering.ordering_of(op), memory_type(element)
    address = lowering.checked(op, address, memory_bytes(element), position)
    stored = ordering.load(builder, address, kind, memory_bytes(element), order)
    return from_memory(builder, stored, element)


def _store(lowering: Lowering, op: Op) -> None:
    builder, value = lowering.builder, op.operands["value"]
    element, order = value.type.element, ordering.ordering_of(op)
    with nest(builder, value.type.shape) as position:
        at = Evaluator(lowering, position)
        address = ordering.pointer(builder, at.element(op.operands["destination"]))
        mask = optional(at, op.operands["mask"])
        stored = to_memory(builder, at.element(value), element)

        def write() -> None:
            target = lowering.checked(op, address, memory_bytes(element), position)
            ordering.store(builder, stored, target, memory_bytes(element), order)

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
