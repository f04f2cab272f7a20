"""The width of offsets within a tensor: 32 bits, where those are known to suffice.

An offset is a sum of products of coordinates and strides. Computed modulo 2**32, it is right if the
true offset is below 2**32. That has to hold only for elements that are accessed, which are inside
the tensor; the offsets of the others are not used.
"""

from __future__ import annotations

from typing import cast

from llvmlite import ir

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.view_geometry import dimensions
from tileir.codegen.ops.extents import facts_of_extent, facts_of_stride
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Value
from tileir.types import View

from .fragments import I32, I64


def offset_type(view: Value, facts: Divisibility) -> ir.IntType:
    """Return the integer type in which to compute byte offsets into the tensor of a view."""
    largest, kind = 0, cast("View", view.type)
    for dim in dimensions(kind):
        extent, stride = facts_of_extent(view, dim, facts), facts_of_stride(view, dim, facts)
        if not extent.not_negative or not stride.not_negative:
            return I64
        largest += max(extent.upper - 1, 0) * stride.upper
    fits = largest * memory_bytes(kind.view.element) < 1 << I32.width
    return I32 if fits else I64


def product(
    builder: ir.IRBuilder, count: ir.Value, size: ir.Value | int, kind: ir.IntType
) -> ir.Value:
    """Return `count * size` in a type, modulo two to its width; both are unsigned."""
    return builder.mul(as_type(builder, count, kind), as_type(builder, size, kind))


def as_type(builder: ir.IRBuilder, size: ir.Value | int, kind: ir.IntType) -> ir.Value:
    """Return an unsigned number in a type, truncated or zero-extended."""
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    if size.type.width > kind.width:
        return builder.trunc(size, kind)
    return size if size.type == kind else builder.zext(size, kind)
