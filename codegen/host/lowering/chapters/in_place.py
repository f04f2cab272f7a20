"""Loaded tiles that loops read where they were loaded from, or in their buffers.

In its buffer is a tile of which not every element is inside of its tensor, or not every one is
chosen by its mask. Which of the two places it is, an address and strides say, so that loops are the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from tileir.codegen.host.lowering.block import Lowering
from tileir.codegen.host.lowering.loops import nest
from tileir.codegen.host.lowering.position import INDEX, Position
from tileir.codegen.host.lowering.window import Window, offset_of
from tileir.codegen.scalar.types import BYTE, from_memory, memory_bytes, memory_type
from tileir.ir import Op, Value

Span = tuple[ir.Value, ir.Value]
"""The first address, and the first one behind."""


class InPlace:
    """The tile of a load, with the address and the strides of its elements.

    `inner` is the dimension along which elements are neighbours. `apart_from` is the alias scope of
    the memory that a loop which reads the tile writes to.
    """

    def __init__(
        self,
        lowering: Lowering,
        tile: Value,
        origin: ir.Value,
        strides: Sequence[ir.Value],
        whole: ir.Value,
        copy: Callable[[], None],
    ) -> None:
        """Read from memory if the tile is there as a `whole`; else emit the copy to its buffer."""
        self._lowering, self._tile = lowering, tile
        self._whole = whole
        self._memory = origin, strides
        self.origin, self.strides = origin, list(strides)
        self.inner = _last_wide(tile.type.shape)
        self.apart_from: ir.MDValue | None = None
        with lowering.builder.if_then(lowering.builder.not_(whole), likely=False):
            copy()
        self._read_from_buffer_unless(whole)

    @staticmethod
    def of_window(
        lowering: Lowering, tile: Value, window: Window, copy: Callable[[], None]
    ) -> InPlace | None:
        """Return the tile of a view; None unless the last dimension has neighbours in memory."""
        if window.inner is None or window.inner != _last_wide(tile.type.shape):
            return None
        inside = window.is_inside()
        return InPlace(lowering, tile, window.origin, window.strides, inside, copy)

    def load(self, position: Position) -> ir.Value:
        """Load the element at a position."""
        lowering, element = self._lowering, self._tile.type.element
        builder, kind = lowering.builder, memory_type(element)
        number = offset_of(builder, position, self.strides)
        address = builder.gep(self.origin, [number], source_etype=kind)
        stored = builder.load(address, typ=kind, align=memory_bytes(element))
        lowering.mark_as_read(stored, self._tile, lowering.stack, self.apart_from)
        return from_memory(builder, stored, element)

    def leave(self, written: Span | None) -> None:
        """Emit the copy to the buffer that is needed before memory is written.

        That is where the memory may overlap the tile; None if nothing is known of it.
        """
        builder = self._lowering.builder
        overlaps = self._whole
        if written is not None:
            apart = are_apart(builder, self._span(), written)
            overlaps = builder.and_(overlaps, builder.not_(apart))
        with builder.if_then(overlaps, likely=False):
            self._copy()
        self._read_from_buffer_unless(builder.not_(overlaps))

    def _span(self) -> Span:
        return span(self._lowering.builder, *self._memory, self._tile)

    def _copy(self) -> None:
        """Copy a tile that is in memory as a whole."""
        tile, builder = self._tile, self._lowering.builder
        (origin, strides), kind = self._memory, memory_type(tile.type.element)
        with nest(builder, tile.type.shape) as position:
            address = builder.gep(
                origin, [offset_of(builder, position, strides)], source_etype=kind
            )
            stored = builder.load(address, typ=kind, align=memory_bytes(tile.type.element))
            value = from_memory(builder, stored, tile.type.element)
            self._lowering.store_element(tile, position, value)

    def _read_from_buffer_unless(self, condition: ir.Value) -> None:
        builder, left = self._lowering.builder, self._tile.type.size
        for d, (extent, stride) in enumerate(zip(self._tile.type.shape, self.strides, strict=True)):
            left //= extent
            same = isinstance(stride, ir.Constant) and stride.constant == left
            if not same:
                dense = ir.Constant(INDEX, left)
                self.strides[d] = builder.select(condition, stride, dense)
        buffer = self._lowering.address(self._lowering.buffer(self._tile))
        self.origin = builder.select(condition, self.origin, buffer)


def leave_places(lowering: Lowering, op: Op, written: Span | None) -> ir.MDValue | None:
    """Have a store read tiles elsewhere if it writes to where they are.

    Return the alias scope of what it writes if it reads any tile in place.
    """
    loads = lowering.storage.fusion.stored_from.get(id(op), ())
    places = [lowering.direct.get(id(load.results[0])) for load in loads]
    found = [place for place in places if isinstance(place, InPlace)]
    scope = lowering.new_scope() if found else None
    for place in found:
        place.leave(written)
        place.apart_from = scope
    return scope


def span(builder: ir.IRBuilder, origin: ir.Value, strides: Sequence[ir.Value], tile: Value) -> Span:
    """Emit the span of a tile in memory."""
    elements = ir.Constant(INDEX, 1)
    for extent, stride in zip(tile.type.shape, strides, strict=True):
        elements = builder.add(elements, builder.mul(ir.Constant(INDEX, extent - 1), stride))
    size = builder.mul(elements, ir.Constant(INDEX, memory_bytes(tile.type.element)))
    return builder.ptrtoint(origin, INDEX), builder.ptrtoint(
        builder.gep(origin, [size], source_etype=BYTE), INDEX
    )


def are_apart(builder: ir.IRBuilder, one: Span, other: Span) -> ir.Value:
    """Emit whether two parts of memory do not overlap."""
    before = builder.icmp_unsigned("<=", one[1], other[0])
    return builder.or_(before, builder.icmp_unsigned("<=", other[1], one[0]))


def _last_wide(shape: Sequence[int]) -> int | None:
    return max((d for d, extent in enumerate(shape) if extent > 1), default=None)
