"""Accesses to a tile of a view: the address and the predicate of each vector.

A thread accesses its elements of a tile by several vector accesses. The address of each is that of
the thread plus a constant, as far as strides are static. Near the tensor's edge an access is
predicated: a whole vector, if vectors are always entirely inside or outside. If that depends on the
extent, a uniform branch selects predicated vectors or predicated single elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, reduce
from math import prod

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, coordinate_images
from tileir.codegen.nvptx.emit.either import either
from tileir.codegen.nvptx.emit.fragments import (
    I32,
    I64,
    EmitContext,
    Fragment,
    coordinates,
    position_along,
)
from tileir.codegen.nvptx.emit.offset_width import offset_type, product
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.schedule.view_facts import (
    always_whole,
    inner_dim,
    vector_in,
    vector_of,
)
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op
from tileir.types import View

Size = ir.Value | int

Address = tuple[ir.Value, int]
"""An address (i64), and the immediate that the instruction adds to it."""
Move = Callable[[Address, ir.Value | None, list[int]], list[ir.Value]]
"""Accesses the vector at an address under a predicate, with the elements at these offsets."""


@dataclass(slots=True)
class TileAccess:
    """The accesses of one thread to a tile of a view. Lists have an entry a tile dimension."""

    ctx: EmitContext
    kind: View
    layout: LinearLayout
    vector: int
    inner: int
    """The tile dimension along which vectors lie."""
    whole: bool
    """Whether each vector is always entirely inside or outside of the tensor."""
    address: ir.Value
    """The address of the thread's first element."""
    remaining: list[ir.Value | None]
    """The extent of the tile that is inside the tensor; None where it need not be checked."""
    room: list[ir.Value | None]
    """The same, counted from the thread's first element: less than one if that is outside."""
    strides: list[Size]
    """The tensor's strides along the tile dimensions, in bytes."""
    sparse: Sparse | None
    owner: ir.Value | None
    _addresses: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ctx: EmitContext,
        op: Op,
        layout: LinearLayout,
        owner: ir.Value | None = None,
        widest: int | None = None,
    ) -> TileAccess:
        """`owner` says whether the thread makes any; `widest` is the most elements of an access."""
        builder, view = ctx.builder, op.operands["view"]
        kind, tensor, dims = view.type, ctx.tensors[view], dimensions(view.type)
        size, inner = memory_bytes(kind.view.element), inner_dim(view, ctx.facts)
        inner, vector = (len(kind.tile) - 1, 1) if inner is None else (inner, widest)
        if vector != 1:
            possible = vector_of(op, ctx.facts)
            possible = min(possible, vector_in(layout, kind.tile, inner))
            vector = min(vector or possible, possible)
        strides = [_times(builder, tensor.strides[dim], size) for dim in dims]
        position = position_along(builder, ctx.position(layout), kind.tile)
        word, terms, remaining, sparse = offset_type(view, ctx.facts), [], [], None
        inbounds = op.attributes["inbounds"] or [False] * len(kind.tile)
        for dim, index in enumerate(op.operands["index"]):
            extent = tensor.shape[dims[dim]]
            if dim == getattr(kind, "sparse_dim", None):
                sparse = Sparse.of(ctx, op, layout, dim, strides[dim], extent, inbounds[dim])
                remaining.append(None)
                continue
            number, step = ctx.unsigned(index), steps(kind)[dim]
            start = builder.mul(number, ir.Constant(I64, step))
            if word == I32 and isinstance(strides[dim], int):
                terms.append(product(builder, number, step * strides[dim], word))
            else:
                terms.append(product(builder, start, strides[dim], word))
            left = None if inbounds[dim] else _remaining(builder, extent, start, kind.tile[dim])
            remaining.append(left)
        for dim, along in enumerate(position):
            if sparse is None or dim != sparse.dim:
                terms.append(product(builder, along, strides[dim], word))
        if sparse is not None:
            strides[sparse.dim] = 0
        address = _plus(builder, tensor.base, terms)
        whole = bool(inbounds[inner]) or always_whole(view, inner, vector, ctx.facts)
        at_edge = "" if whole or vector == 1 else "element by element at the tensor's edge"
        remark_width(ctx, op, layout, size, vector, at_edge)
        room = [
            None if left is None else builder.sub(left, along)
            for left, along in zip(remaining, position, strict=True)
        ]
        return cls(
            ctx,
            kind,
            layout,
            vector,
            inner,
            whole,
            address,
            remaining,
            room,
            strides,
            sparse,
            owner,
        )

    def run(self, move: Move) -> Fragment:
        """Access the tile; return the values of loads, by offset."""
        if self.vector == 1 or self.whole:
            return self._in_vectors(move, self.vector)
        builder, left = self.ctx.builder, self.remaining[self.inner]
        for offset in self.layout.offsets():
            self.address_of(offset)  # addresses that both branches use have to stand before them
        partial_vector = builder.and_(left, ir.Constant(I32, self.vector - 1))
        fits = builder.icmp_unsigned("==", partial_vector, ir.Constant(I32, 0))
        wide, narrow = (partial(self._in_vectors, move, size) for size in (self.vector, 1))
        return either(builder, fits, True, wide, narrow)

    def _in_vectors(self, move: Move, vector: int) -> Fragment:
        moved = {}
        for offset in self.starts(vector):
            offsets = [offset + self._weight * step for step in range(vector)]
            elements = move(self.address_of(offset), self._inside(offset), offsets)
            moved |= dict(zip(offsets, elements, strict=False))
        return moved

    def starts(self, vector: int) -> list[int]:
        """Return the offsets at which the thread's vectors begin."""
        within = self._weight * (vector - 1)
        return [offset for offset in self.layout.offsets() if not offset & within]

    @property
    def _weight(self) -> int:
        """The distance of neighbours along the inner dimension, in element numbers."""
        return prod(self.kind.tile[self.inner + 1 :])

    def present(self, offset: int) -> ir.Value | None:
        """Return how many elements of the vector at an offset are inside the tensor, i32.

        If vectors are always whole, return whether they are inside, i1; None if they always are.
        """
        builder, inside = self.ctx.builder, self._inside(offset)
        if inside is None or self.whole:
            return inside
        step, most = coordinates(self.kind.tile, offset)[self.inner], ir.Constant(I32, self.vector)
        count = builder.sub(self.room[self.inner], ir.Constant(I32, step))
        count = builder.select(builder.icmp_signed("<", count, most), count, most)
        return builder.select(inside, count, ir.Constant(I32, 0))

    def address_of(self, offset: int) -> Address:
        """Return the address of the thread's element at an offset."""
        builder, fixed, moving = self.ctx.builder, 0, []
        along = coordinates(self.kind.tile, offset)
        for step, stride in zip(along, self.strides, strict=True):
            if isinstance(stride, int):
                fixed += step * stride
            moving.append(0 if isinstance(stride, int) else step)
        too_far = fixed > access.LARGEST_IMMEDIATE
        moving.append(fixed if too_far else 0)
        moving.append(along[self.sparse.dim] if self.sparse else 0)
        key = tuple(moving)
        if key not in self._addresses:
            address = self.address
            for step, stride in zip(key[:-2], self.strides, strict=False):
                if step:
                    address = builder.add(address, _number(_times(builder, stride, step)))
            if too_far:
                address = builder.add(address, ir.Constant(I64, fixed))
            if self.sparse:
                address = builder.add(address, self.sparse.distance(offset))
            self._addresses[key] = address
        return self._addresses[key], 0 if too_far else fixed

    def _inside(self, offset: int) -> ir.Value | None:
        """Return whether this thread accesses the element at an offset, i1; None means always."""
        builder, predicate = self.ctx.builder, self.owner
        for step, room in zip(coordinates(self.kind.tile, offset), self.room, strict=True):
            if room is None:
                continue
            test = builder.icmp_signed(">", room, ir.Constant(I32, step))
            predicate = test if predicate is None else builder.and_(predicate, test)
        test = self.sparse.inside(offset) if self.sparse else None
        if predicate is None or test is None:
            return predicate if test is None else test
        return builder.and_(predicate, test)


@dataclass(slots=True)
class Sparse:
    """The indices along the sparse dimension of a gather/scatter view, in one thread."""

    ctx: EmitContext
    dim: int
    stride: Size
    extent: Size | None
    """The tensor's extent along the dimension; None if all indices are known to be inside."""
    positions: Fragment
    """The fragment of the indices; its offsets count along the sparse dimension."""
    bases: list[int]

    @classmethod
    def of(
        cls,
        ctx: EmitContext,
        op: Op,
        layout: LinearLayout,
        dim: int,
        stride: Size,
        extent: Size,
        inbounds: bool,
    ) -> Sparse:
        kind, index = op.operands["view"].type, op.operands["index"][dim]
        bases = coordinate_images(kind.tile, dim)
        positions = ctx.fragment(index, layout.compose(bases))
        return cls(ctx, dim, stride, None if inbounds else extent, positions, bases)

    def _position(self, offset: int) -> ir.Value:
        """Return the index for the element at an offset, zero-extended to i64."""
        number = self.positions[combine(self.bases, offset)]
        return number if number.type == I64 else self.ctx.builder.zext(number, I64)

    def distance(self, offset: int) -> ir.Value:
        """Return the bytes from index 0 to the index for the element at an offset."""
        return _times(self.ctx.builder, self._position(offset), self.stride)

    def inside(self, offset: int) -> ir.Value | None:
        """Return whether the index for an element is inside the tensor; None means always."""
        if self.extent is None:
            return None
        builder = self.ctx.builder
        return builder.icmp_unsigned("<", self._position(offset), _number(self.extent))


def _remaining(builder: ir.IRBuilder, extent: Size, start: ir.Value, tile: int) -> ir.Value:
    """Return the elements of the tile at `start` that are inside the tensor, i32."""
    size = _number(extent)
    left, whole = builder.sub(size, start), ir.Constant(I64, tile)
    left = builder.select(builder.icmp_unsigned("<", left, whole), left, whole)
    inside = builder.icmp_unsigned("<", start, size)
    return builder.trunc(builder.select(inside, left, ir.Constant(I64, 0)), I32)


def _plus(builder: ir.IRBuilder, address: ir.Value, terms: list[ir.Value]) -> ir.Value:
    """Return an address plus all terms of an offset."""
    if terms and terms[0].type == I32:
        terms = [builder.zext(reduce(builder.add, terms), I64)]
    return reduce(builder.add, terms, address)


def _times(builder: ir.IRBuilder, a: Size, b: Size) -> Size:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return builder.mul(_number(a), _number(b))


def _number(size: Size) -> ir.Value:
    return ir.Constant(I64, size) if isinstance(size, int) else size


def remark_width(
    ctx: EmitContext, op: Op, layout: LinearLayout, size: int, vector: int, otherwise: str
) -> None:
    """Leave a remark on the bytes of an access, and on what happens in the other cases."""
    count = len(layout.offsets()) // vector
    why = f"{count} a thread" + (f", {otherwise}" if otherwise else "")
    ctx.remark(f"accesses of {vector * size} bytes", why, op, bytes=vector * size, count=count)
