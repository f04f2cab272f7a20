"""One tile of a view in memory: where each vector of it lies, and whether it does at all.

An access to a tile is a row of vector accesses. The address of each is one of the thread plus a
constant, as far as strides are static. Near the tensor's edge an access is predicated, per vector
where the edge cannot run through a vector. If that depends on the extent, a branch that all threads
take alike decides: predicated vectors, or predicated single elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from llvmlite import ir

from tileir.ir import Op
from tileir.types import PartitionView

from ..scalar.types import memory_bytes
from . import access
from .assign_layouts import always_whole, view_vector
from .fragments import I32, I64, Context, Fragment, coordinates, position_along
from .layout import LinearLayout

Size = ir.Value | int

Place = tuple[ir.Value, int]
"""An address, and what to add to it."""
Move = Callable[[int, Place, ir.Value | None, int], list[ir.Value]]
"""Moves a vector of so many elements at a place under a predicate; the offset says which."""


@dataclass(slots=True)
class TileAccess:
    """One tile of a view, as one thread sees it. Lists go by tile dimension."""

    ctx: Context
    kind: PartitionView
    layout: LinearLayout
    vector: int
    whole: bool
    """Whether no edge can run through a vector."""
    address: ir.Value
    """Of the thread's first element."""
    position: list[ir.Value]
    """Of the thread's first element in the tile."""
    remaining: list[ir.Value | None]
    """How much of the tile lies within the tensor; None where that need not be checked."""
    strides: list[Size]
    """In bytes."""
    owner: ir.Value | None
    _distances: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ctx: Context, op: Op, layout: LinearLayout, owner: ir.Value | None = None
    ) -> TileAccess:
        builder, view = ctx.builder, op.operands["view"]
        kind, tensor = view.type, ctx.tensors[view]
        size = memory_bytes(kind.view.element)
        vector = min(view_vector(view, ctx.facts, ctx.target), layout.contiguous())
        strides = [_times(builder, tensor.strides[dim], size) for dim in kind.dim_map]
        position = position_along(builder, ctx.position(layout), kind.tile)
        address, remaining = tensor.base, []
        inbounds = op.attributes["inbounds"] or [False] * len(kind.tile)
        for dim, index in enumerate(op.operands["index"]):
            start = builder.mul(ctx.unsigned(index), ir.Constant(I64, kind.tile[dim]))
            address = builder.add(address, _times(builder, strides[dim], start))
            extent = tensor.shape[kind.dim_map[dim]]
            left = None if inbounds[dim] else _remaining(builder, extent, start, kind.tile[dim])
            remaining.append(left)
        for dim, along in enumerate(position):
            distance = _times(builder, strides[dim], builder.zext(along, I64))
            address = builder.add(address, distance)
        whole = bool(inbounds[-1]) or always_whole(view, vector, ctx.facts)
        return cls(ctx, kind, layout, vector, whole, address, position, remaining, strides, owner)

    def run(self, move: Move) -> Fragment:
        """Move the tile; what the moves return, by offset."""
        if self.vector == 1 or self.whole:
            return self._in_vectors(move, self.vector)
        builder, left = self.ctx.builder, self.remaining[-1]
        for offset in self.layout.offsets():
            self._place(offset)  # addresses that both branches use have to stand before them
        ragged = builder.and_(left, ir.Constant(I32, self.vector - 1))
        fits = builder.icmp_unsigned("==", ragged, ir.Constant(I32, 0))
        with builder.if_else(fits, likely=True) as (vectors, elements):
            with vectors:
                wide = self._in_vectors(move, self.vector)
                wide_end = builder.block
            with elements:
                narrow = self._in_vectors(move, 1)
                narrow_end = builder.block
        merged = {}
        for offset, value in wide.items():
            merged[offset] = phi = builder.phi(value.type)
            phi.add_incoming(value, wide_end)
            phi.add_incoming(narrow[offset], narrow_end)
        return merged

    def _in_vectors(self, move: Move, vector: int) -> Fragment:
        moved = {}
        for offset in self.layout.offsets():
            if offset % vector:
                continue
            elements = move(vector, self._place(offset), self._inside(offset), offset)
            moved |= {offset + step: value for step, value in enumerate(elements)}
        return moved

    def _place(self, offset: int) -> Place:
        """Address of the thread's element at an offset."""
        builder, fixed, moving = self.ctx.builder, 0, []
        for along, stride in zip(coordinates(self.kind.tile, offset), self.strides, strict=True):
            if isinstance(stride, int):
                fixed += along * stride
            moving.append(0 if isinstance(stride, int) else along)
        if fixed > access.LARGEST_IMMEDIATE:
            moving.append(fixed)
            fixed = 0
        key = tuple(moving)
        if any(key) and key not in self._distances:
            distance = self.address
            for along, stride in zip(key, [*self.strides, 1], strict=False):
                if along:
                    distance = builder.add(distance, _number(_times(builder, stride, along)))
            self._distances[key] = distance
        return self._distances.get(key, self.address), fixed

    def _inside(self, offset: int) -> ir.Value | None:
        """Whether the element at an offset lies in the tensor, and is this thread's to write."""
        builder, predicate = self.ctx.builder, self.owner
        tests = zip(self.position, coordinates(self.kind.tile, offset), self.remaining, strict=True)
        for along, step, left in tests:
            if left is None:
                continue
            place = builder.add(along, ir.Constant(I32, step)) if step else along
            test = builder.icmp_unsigned("<", place, left)
            predicate = test if predicate is None else builder.and_(predicate, test)
        return predicate


def _remaining(builder: ir.IRBuilder, extent: Size, start: ir.Value, tile: int) -> ir.Value:
    """Elements of the tile that starts at `start` inside the tensor, i32; none beyond its end."""
    size = _number(extent)
    left, whole = builder.sub(size, start), ir.Constant(I64, tile)
    left = builder.select(builder.icmp_unsigned("<", left, whole), left, whole)
    inside = builder.icmp_unsigned("<", start, size)
    return builder.trunc(builder.select(inside, left, ir.Constant(I64, 0)), I32)


def _times(builder: ir.IRBuilder, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return builder.mul(_number(a), _number(b))


def _number(size: Size) -> ir.Value:
    return ir.Constant(I64, size) if isinstance(size, int) else size
