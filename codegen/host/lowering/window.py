"""The part of a tensor that one tile of a view covers, and the loops over its elements.

Dimension d of the tile starts at the index times a step: the tile's extent in a partition view, the
traversal stride in a strided view, one in a gather/scatter view, whose sparse dimension has a list
of indices instead. Indices are unsigned. A tile that starts outside the tensor, which Tile IR
leaves undefined, has no elements inside, however large the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.scalar.types import (
    OPAQUE,
    from_memory,
    is_packed,
    memory_bytes,
    memory_type,
    to_memory,
)
from tileir.ir import Op
from tileir.types import GatherScatterView

from . import nibbles, ordering
from .block import Lowering
from .evaluate import Evaluator
from .loops import Bound, loop, nest
from .position import INDEX, ZERO, Position
from .views import unsigned_index

ONE = ir.Constant(INDEX, 1)
MAX_INDEX = (1 << 64) - 1


class Window:
    """The elements that a view op reads or writes; its values are emitted at that op.

    `limits` says how many of the tile's elements along each dimension are inside the tensor.
    `apart_from` is the alias scope of the memory that a loop which reads the window writes to.
    """

    def __init__(self, lowering: Lowering, op: Op) -> None:
        self._lowering = lowering
        self._op = op
        self.builder = builder = lowering.builder
        self.apart_from: ir.MDValue | None = None
        view = op.operands["view"]
        kind = view.type
        tensor = lowering.tensors[id(view)]
        order = dimensions(kind)
        self.tile = kind.tile
        self.element = kind.view.element
        self.ordering = ordering.ordering_of(op)
        self.shape = tensor.shape
        self.strides = [tensor.strides[d] for d in order]
        self.sparse = kind.sparse_dim if isinstance(kind, GatherScatterView) else None
        self.limits: list[ir.Value] = []
        first = ZERO
        for d, (index, step) in enumerate(zip(op.operands["index"], steps(kind), strict=True)):
            size = tensor.shape[order[d]]
            if d == self.sparse:
                self._sparse_indices, self._size = index, size
                self.limits.append(ir.Constant(INDEX, self.tile[d]))
                continue
            number = unsigned_index(builder, lowering.single(index))
            start = builder.mul(number, ir.Constant(INDEX, step))
            self.limits.append(self._limit(number, step, start, size, self.tile[d]))
            first = builder.add(first, builder.mul(start, self.strides[d]))
        self.base = builder.inttoptr(tensor.base, OPAQUE)
        self._start_at(first)

    def _limit(
        self, number: ir.Value, step: int, start: ir.Value, size: ir.Value, extent: int
    ) -> ir.Value:
        """Emit how many of the tile's elements along one dimension are inside the tensor."""
        builder, most = self.builder, ir.Constant(INDEX, extent)
        inside = builder.icmp_unsigned("<", start, size)
        if step > 1:  # the product may have wrapped
            small = builder.icmp_unsigned("<=", number, ir.Constant(INDEX, MAX_INDEX // step))
            inside = builder.and_(small, inside)
        left = builder.select(inside, builder.sub(size, start), ZERO)
        return builder.select(builder.icmp_unsigned("<", left, most), left, most)

    def _start_at(self, first: ir.Value) -> None:
        """Set the tile's first element, counted from the tensor's base."""
        self.first = first
        if not self.is_packed:
            stored = memory_type(self.element)
            self.origin = self.builder.gep(self.base, [first], source_etype=stored)

    @property
    def is_packed(self) -> bool:
        """Whether two elements share a byte."""
        return is_packed(self.element)

    def is_inside(self) -> ir.Value:
        """Emit whether all elements are inside the tensor. Sparse indices are not considered."""
        builder = self.builder
        inside = ir.Constant(ir.IntType(1), 1)
        for limit, extent in zip(self.limits, self.tile, strict=True):
            whole = builder.icmp_unsigned("==", limit, ir.Constant(INDEX, extent))
            inside = builder.and_(inside, whole)
        return inside

    @contextmanager
    def elements(self, bounded: bool) -> Iterator[Position]:
        """Code inside runs for every element of the tile; if `bounded`, for those in the tensor.

        Elements whose sparse index is outside the tensor are always skipped.
        """
        bounds = self._bounds() if bounded else self.tile
        if self.sparse is None:
            with nest(self.builder, self.tile, bounds, self.inner) as position:
                yield position
            return
        with (
            self._picked() as number,
            nest(self.builder, self.tile, bounds, self.inner, {self.sparse: number}) as position,
        ):
            yield position

    @contextmanager
    def _picked(self) -> Iterator[ir.Value]:
        """Code inside runs for every sparse index inside the tensor, with `first` moved to it."""
        sparse = cast(int, self.sparse)
        builder, extent = self.builder, self.tile[sparse]
        with loop(builder, extent) as number:
            at = Evaluator(self._lowering, Position(builder, (extent,), [number]))
            index = unsigned_index(builder, at.element(self._sparse_indices))
            with builder.if_then(builder.icmp_unsigned("<", index, self._size)):
                first, origin = self.first, getattr(self, "origin", None)
                self._start_at(builder.add(first, builder.mul(index, self.strides[sparse])))
                yield number
                self.first, self.origin = first, origin

    def _bounds(self) -> list[Bound]:
        """Return the limits as loop bounds; the outermost one covers dimensions without a loop."""
        builder = self.builder
        bounds: list[Bound] = [1] * len(self.tile)
        dense = [d for d in range(len(self.tile)) if d != self.sparse]
        if not dense:
            return bounds
        outermost = next((d for d in dense if self.tile[d] > 1), dense[0])
        valid = ir.Constant(ir.IntType(1), 1)
        for d in dense:
            if self.tile[d] > 1:
                bounds[d] = self.limits[d]
            elif d != outermost:
                valid = builder.and_(valid, builder.icmp_unsigned("!=", self.limits[d], ZERO))
        bounds[outermost] = builder.select(valid, self.limits[outermost], ZERO)
        return bounds

    @property
    def inner(self) -> int | None:
        """The dimension whose elements are contiguous in memory, if known."""
        for d, stride in enumerate(self.strides):
            if self.tile[d] > 1 and d != self.sparse and _is_one(stride):
                return d
        return None

    def _steps(self, position: Position) -> ir.Value:
        """Emit the offset of a position from the first element, in elements."""
        dense = [ZERO if d == self.sparse else stride for d, stride in enumerate(self.strides)]
        return offset_of(self.builder, position, dense)

    def _number(self, position: Position) -> ir.Value:
        """Emit the offset of a position from the tensor's base, in elements."""
        return self.builder.add(self.first, self._steps(position))

    def address(self, position: Position) -> ir.Value:
        """Emit the address of the element at a position; not for packed elements."""
        address = self.unchecked_address(position)
        return self._lowering.checked(self._op, address, memory_bytes(self.element), position)

    def unchecked_address(self, position: Position) -> ir.Value:
        """Emit the address of the element at a position, of which no check is told."""
        steps, stored = self._steps(position), memory_type(self.element)
        return self.builder.gep(self.origin, [steps], source_etype=stored)

    def locate(self, position: Position) -> tuple[ir.Value, ir.Value]:
        """Emit the address of the byte of a packed element, and its shift in bits."""
        address, shift = nibbles.locate(self.builder, self.base, self._number(position))
        return self._lowering.checked(self._op, address, 1, position), shift

    def span(self) -> tuple[ir.Value, ir.Value]:
        """Emit the first address of the window and the first behind it.

        Only for a window inside the tensor whose elements are neither sparse nor packed.
        """
        builder = self.builder
        size = ir.Constant(INDEX, memory_bytes(self.element))
        elements = ONE
        for extent, stride in zip(self.tile, self.strides, strict=True):
            reach = builder.mul(ir.Constant(INDEX, extent - 1), stride)
            elements = builder.add(elements, reach)
        start = builder.ptrtoint(self.origin, INDEX)
        return start, builder.add(start, builder.mul(elements, size))

    def load(self, position: Position) -> ir.Value:
        """Load the element at a position."""
        builder = self.builder
        if self.is_packed:
            return nibbles.load(builder, *self.locate(position), self.ordering)
        stored = ordering.load(
            builder,
            self.address(position),
            memory_type(self.element),
            memory_bytes(self.element),
            self.ordering,
        )
        if self.apart_from is not None:
            stored.set_metadata("noalias", self.apart_from)
        return from_memory(builder, stored, self.element)

    def store(self, position: Position, value: ir.Value, scope: ir.MDValue | None = None) -> None:
        """Store the element at a position; `scope` is the alias scope of the memory written."""
        builder = self.builder
        if self.is_packed:
            nibbles.store(builder, *self.locate(position), value, self.ordering)
            return
        stored = ordering.store_exclusively(
            self._lowering,
            to_memory(builder, value, self.element),
            self.address(position),
            memory_bytes(self.element),
            self.ordering,
        )
        if scope is not None:
            stored.set_metadata("alias.scope", scope)


def offset_of(builder: ir.IRBuilder, position: Position, strides: Sequence[ir.Value]) -> ir.Value:
    """Emit the offset of a position from the first element, in elements."""
    total = ZERO
    for index, stride in zip(position.indices, strides, strict=True):
        if index is ZERO or stride is ZERO:
            continue
        term = index if _is_one(stride) else builder.mul(index, stride)
        total = term if total is ZERO else builder.add(total, term)
    return total


def _is_one(stride: ir.Value) -> bool:
    return isinstance(stride, ir.Constant) and stride.constant == 1
