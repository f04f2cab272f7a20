"""LLVM types of elements, as SSA values and in memory."""

from __future__ import annotations

from llvmlite import ir

from tileir.types import Element, Pointer

from .sizes import WIDER_IN_MEMORY, is_packed, memory_bytes

__all__ = [
    "ADDRESS",
    "BYTE",
    "OPAQUE",
    "from_memory",
    "is_packed",
    "llvm_type",
    "memory_bytes",
    "memory_type",
    "to_memory",
]

ADDRESS = ir.IntType(64)
"""Type of a pointer as an SSA value."""

OPAQUE = ir.PointerType()
BYTE = ir.IntType(8)

_FLOATS = {"f16": ir.HalfType(), "f32": ir.FloatType(), "f64": ir.DoubleType()}


def llvm_type(element: Element) -> ir.Type:
    """Return the type of one element as an SSA value."""
    if isinstance(element, Pointer):
        return ADDRESS
    if element.name in _FLOATS:
        return _FLOATS[element.name]
    return ir.IntType(WIDER_IN_MEMORY.get(element.name, element.bits))


def memory_type(element: Element) -> ir.Type:
    """Return the type of one element in memory: that of the value, but at least a byte.

    i1 is a byte (0 or 1). 4-bit elements have a byte each in buffers; in tensors two share a byte,
    which code that accesses tensors has to handle.
    """
    value = llvm_type(element)
    if isinstance(value, ir.IntType) and value.width < 8:
        return ir.IntType(8)
    return value


def to_memory(builder: ir.IRBuilder, value: ir.Value, element: Element) -> ir.Value:
    """Convert a value to its type in memory."""
    stored = memory_type(element)
    return value if value.type == stored else builder.zext(value, stored)


def from_memory(builder: ir.IRBuilder, stored: ir.Value, element: Element) -> ir.Value:
    """Convert what was loaded to a value; any byte but 0 is a true i1."""
    wanted = llvm_type(element)
    if stored.type == wanted:
        return stored
    if wanted.width == 1:
        return builder.icmp_unsigned("!=", stored, ir.Constant(stored.type, 0))
    return builder.trunc(stored, wanted)
