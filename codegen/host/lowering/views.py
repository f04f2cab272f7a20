"""Tensor views as LLVM values, and the index spaces of views over them."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.types import View

from .position import INDEX, ZERO


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor view as LLVM values: address, extents and strides (in elements), all i64."""

    base: ir.Value
    shape: tuple[ir.Value, ...]
    strides: tuple[ir.Value, ...]


def unsigned_index(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Zero-extend an integer of any width to an index."""
    return value if value.type == INDEX else builder.zext(value, INDEX)


def index_space(builder: ir.IRBuilder, tensor: Tensor, view: View) -> list[ir.Value]:
    """Emit how many tiles start inside the tensor along each dimension of a view of it."""
    counts = []
    for step, dimension in zip(steps(view), dimensions(view), strict=True):
        size, step = tensor.shape[dimension], ir.Constant(INDEX, step)
        partial = builder.icmp_unsigned("!=", builder.urem(size, step), ZERO)
        counts.append(builder.add(builder.udiv(size, step), builder.zext(partial, INDEX)))
    return counts
