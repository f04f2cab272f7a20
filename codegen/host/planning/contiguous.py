"""Where in memory the elements of a tile are that a loop reads, and which ones are contiguous."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.position import INDEX, ZERO
from tileir.codegen.ops import Family, family_of, traits_of
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op, Value
from tileir.types import Element

from .tiles import is_tile


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory that the elements of a tile are computed from, each from one element.

    The first one is at `start`; `strides` has for each dimension of the tile how many elements of
    this type the next one is away. `unchanged`: the tile has just these elements. `is_tensor`: they
    are in a tensor, not in a buffer.
    """

    start: ir.Value
    element: Element
    strides: list[ir.Value]
    unchanged: bool
    is_tensor: bool

    def bytes_along(self, builder: ir.IRBuilder, dimension: int) -> ir.Value:
        """Emit how many bytes the next element along a dimension is away."""
        size = ir.Constant(INDEX, memory_bytes(self.element))
        return builder.mul(self.strides[dimension], size)

    def is_contiguous(self, dimension: int) -> bool:
        """Whether neighbours along a dimension are known to be neighbours in memory."""
        stride = self.strides[dimension]
        return isinstance(stride, ir.Constant) and stride.constant == 1


def memory_of(lowering: Lowering, value: Value) -> Memory | None:
    """Return where the elements of a tile are; None if that is not known of some dimension.

    None, too, if elements are looked at one by one.
    """
    shape = value.type.shape
    if lowering.looks_at_elements:
        return None
    found = _origin(lowering, value)
    if found is None or is_packed(found[0].type.element):
        return None
    value, below = found
    window = lowering.direct.get(id(value))
    if window:
        start, strides = window.origin, window.strides
    else:
        start, size, strides = lowering.address(lowering.buffer(value)), value.type.size, []
        for extent in value.type.shape:
            size //= extent
            strides.append(ir.Constant(INDEX, size))
    of_dimensions: dict[int | None, ir.Value] = {}
    for dimension, (extent, stride) in enumerate(zip(value.type.shape, strides, strict=True)):
        if extent > 1:
            of_dimensions[_carried_through(below, dimension)] = stride
    if any(extent > 1 and d not in of_dimensions for d, extent in enumerate(shape)):
        return None
    return Memory(
        start,
        value.type.element,
        [of_dimensions.get(dimension, ZERO) for dimension in range(len(shape))],
        all(op.name in _SLOTS for op in below),
        window is not None,
    )


def contiguous_dimension(lowering: Lowering, value: Value) -> int | None:
    """Return that dimension, which the innermost loop should run along; None if unknown.

    Buffers are row-major; of a tensor that is read directly the strides decide.
    """
    found = _origin(lowering, value)
    if found is None:
        return None
    value, below = found
    window = lowering.direct.get(id(value))
    return _carried_through(below, window.inner if window else len(value.type.shape) - 1)


def _origin(lowering: Lowering, value: Value) -> tuple[Value, list[Op]] | None:
    """Return the tile in memory that a tile is computed from, and the ops below it, last first."""
    below: list[Op] = []
    while id(value) not in lowering.direct and value not in lowering.storage:
        source = _source(value)
        if source is None or not isinstance(value.owner, Op):
            return None
        below.append(value.owner)
        value = source
    return value, below


def _carried_through(below: list[Op], dimension: int | None) -> int | None:
    """Return which dimension of a tile a dimension of its origin becomes; None if unclear."""
    for op in reversed(below):
        if dimension is None:
            return None
        dimension = _carried(op, dimension)
    return dimension


def _source(value: Value) -> Value | None:
    """Return the operand whose elements an inline op's result has, each once; None without one."""
    op = value.owner
    if not isinstance(op, Op):
        return None
    if family_of(op) is Family.ELEMENT_WISE:
        return next(filter(is_tile, op.operand_list()), None)
    slot = _SLOTS.get(op.name)
    return op.operands[slot] if slot else None


def _carried(op: Op, dimension: int) -> int | None:
    """Return which dimension of the result a dimension of the operand becomes; None if unclear."""
    if coordinates := traits_of(op).coordinates:
        return coordinates(op)[dimension]
    if op.name != "reshape":
        return dimension
    old, new = op.operands["source"].type.shape, op.result.type.shape
    before, after = ([d for d, extent in enumerate(shape) if extent > 1] for shape in (old, new))
    if dimension not in before or [old[d] for d in before] != [new[d] for d in after]:
        return None
    return after[before.index(dimension)]


_SLOTS = {"assume": "value", "permute": "source", "reshape": "source"}
"""Inline ops that keep all elements -> their operand."""
