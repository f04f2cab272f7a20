"""How many bits the offsets within a tensor take: 32, where those are known to suffice.

An offset is a sum of products, of coordinates and strides. Integers wrap around, so computed modulo
2**32 it is right wherever the true one is below that. This needs to hold for elements that are
accessed, which lie inside the tensor; nobody asks where the others are.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.nvptx.schedule.view_facts import dimensions
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Value

from .fragments import I32, I64


def offset_type(view: Value, facts: Divisibility) -> ir.IntType:
    """The integers in which to compute offsets, in bytes, into the tensor behind a view."""
    largest = 0
    for dim in dimensions(view.type):
        extent, stride = facts_of_extent(view, dim, facts), facts_of_stride(view, dim, facts)
        if not extent.not_negative or not stride.not_negative:
            return I64
        largest += max(extent.upper - 1, 0) * stride.upper
    fits = largest * memory_bytes(view.type.view.element) < 1 << I32.width
    return I32 if fits else I64


def product(
    builder: ir.IRBuilder, count: ir.Value, size: ir.Value | int, kind: ir.IntType
) -> ir.Value:
    """`count * size` modulo what the type holds; both are unsigned."""
    return builder.mul(as_type(builder, count, kind), as_type(builder, size, kind))


def as_type(builder: ir.IRBuilder, size: ir.Value | int, kind: ir.IntType) -> ir.Value:
    """An unsigned number, of which the lowest bits are kept."""
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    if size.type.width > kind.width:
        return builder.trunc(size, kind)
    return size if size.type == kind else builder.zext(size, kind)
