"""Loaded tiles that loops read in their tensors, or in their buffers where they cross an edge.

Which of the two it is, an address and strides say, so the loops are the same.
"""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.host.lowering.window import Window
from tileir.codegen.scalar.constants import constant, padding_bits
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type
from tileir.ir import Op

Span = tuple[ir.Value, ir.Value]
"""The first address, and the first one behind."""


class InPlace:
    """A loaded tile, in its tensor as long as all of it is inside, else in its buffer.

    `apart_from` is the alias scope of the memory that a loop which reads the tile writes to.
    """

    def __init__(self, lowering: Lowering, op: Op, window: Window) -> None:
        """Emit the copy of a tile that is not inside of its tensor."""
        builder = lowering.builder
        self._lowering, self._op, self._window = lowering, op, window
        self.apart_from: ir.MDValue | None = None
        self._buffer = lowering.address(lowering.buffer(op.results[0]))
        self.origin, self.strides = window.origin, window.strides
        self._inside = inside = window.is_inside()
        with builder.if_then(builder.not_(inside), likely=False):
            fill_padding(lowering, op, window)
            copy_elements(lowering, op, window, bounded=True)
        self._read_from_buffer_unless(inside)

    @staticmethod
    def is_possible(window: Window) -> bool:
        """Whether elements lie one behind the other along the last dimension."""
        wide = [d for d, extent in enumerate(window.tile) if extent > 1]
        return bool(wide) and window.inner == wide[-1]

    @property
    def inner(self) -> int | None:
        """The dimension whose elements are contiguous in memory."""
        return self._window.inner

    def load(self, position: Position) -> ir.Value:
        """Load the element at a position."""
        builder, element = self._lowering.builder, self._window.element
        steps = self._window.steps(position, self.strides)
        kind = memory_type(element)
        address = builder.gep(self.origin, [steps], source_etype=kind)
        stored = builder.load(address, typ=kind, align=memory_bytes(element))
        lowering, result = self._lowering, self._op.results[0]
        lowering.mark_as_read(stored, result, lowering.stack, self.apart_from)
        return from_memory(builder, stored, element)

    def leave(self, written: Span) -> None:
        """Emit the copy of the tile to its buffer if memory that is written next overlaps it."""
        builder = self._lowering.builder
        apart = are_apart(builder, self._window.span(), written)
        overlaps = builder.and_(self._inside, builder.not_(apart))
        with builder.if_then(overlaps, likely=False):
            copy_elements(self._lowering, self._op, self._window, bounded=False)
        self._read_from_buffer_unless(builder.not_(overlaps))

    def _read_from_buffer_unless(self, condition: ir.Value) -> None:
        builder, size = self._lowering.builder, self._op.results[0].type.size
        strides = []
        for extent, stride in zip(self._window.tile, self.strides, strict=True):
            size //= extent
            dense = ir.Constant(INDEX, size)
            same = isinstance(stride, ir.Constant) and stride.constant == size
            strides.append(stride if same else builder.select(condition, stride, dense))
        self.strides = strides
        self.origin = builder.select(condition, self.origin, self._buffer)


def are_apart(builder: ir.IRBuilder, one: Span, other: Span) -> ir.Value:
    """Emit whether two parts of memory do not overlap."""
    before = builder.icmp_unsigned("<=", one[1], other[0])
    return builder.or_(before, builder.icmp_unsigned("<=", other[1], one[0]))


def fill_padding(lowering: Lowering, op: Op, window: Window) -> None:
    """Fill the buffer of a load with padding."""
    bits = padding_bits(window.element, op.operands["view"].type.padding)
    padding = constant(window.element, bits)
    with nest(lowering.builder, window.tile) as position:
        lowering.store_element(op.results[0], position, padding)


def copy_elements(lowering: Lowering, op: Op, window: Window, bounded: bool) -> None:
    """Copy the tensor's elements to the buffer of a load."""
    with window.elements(bounded) as position:
        lowering.store_element(op.results[0], position, window.load(position))
