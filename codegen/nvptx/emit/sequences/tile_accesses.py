"""Accesses to a tile of a view: the address and the predicate of each vector.

A thread accesses its elements of a tile by several vector accesses. The address of each is that of
the thread plus a constant, as far as strides are static. Near the tensor's edge an access is
predicated: a whole vector, if vectors are always entirely inside or outside. If that depends on the
extent, a uniform branch selects predicated vectors or predicated single elements.

An offset within the tensor is a sum of products of coordinates and strides. Where the attribute
`narrow` says so, it is computed modulo 2**32: it is right for all elements that are accessed, which
are inside the tensor, and the offsets of the others are not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from math import prod

from llvmlite import ir

from tileir.codegen.analysis.view_geometry import dimensions, steps
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, coordinate_images
from tileir.codegen.nvptx.emit.context import (
    I32,
    I64,
    Context,
    Fragment,
    coordinates,
    position_along,
)
from tileir.codegen.nvptx.machine import access
from tileir.codegen.scalar.types import is_packed, memory_bytes
from tileir.ir import Op
from tileir.types import View

from .either import either

Size = ir.Value | int

Address = tuple[ir.Value, int]
"""An address (i64), and the immediate that the instruction adds to it."""
Move = Callable[[Address, ir.Value | None, list[int]], list[ir.Value]]
"""Accesses the vector at an address under a predicate, with the elements at these offsets."""

_SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}


def space_of(op: Op) -> str:
    """Return order, scope and state space in an instruction's name, as in ".acquire.gpu.global".

    A weak access has neither order nor scope; one to a generic address has no state space.
    """
    order, scope = op.attributes["memory_ordering_semantics"], op.attributes["memory_scope"]
    space = "" if op.attributes["generic"] else access.GLOBAL
    return space if order == "weak" else f".{order}.{_SCOPES[scope]}{space}"


def owner_of(ctx: Context, op: Op, layout: LinearLayout) -> ir.Value | None:
    """Return whether this thread makes the accesses of an op, i1; None means always."""
    return ctx.owner(layout) if op.attributes["owner"] else None


def both(builder: ir.IRBuilder, first: ir.Value | None, second: ir.Value | None) -> ir.Value | None:
    """Return the conjunction of two predicates, of which None means always."""
    if first is None or second is None:
        return second if first is None else first
    return builder.and_(first, second)


@dataclass(slots=True)
class TileAccess:
    """The accesses of one thread to a tile of a view. Lists have an entry a tile dimension."""

    ctx: Context
    kind: View
    layout: LinearLayout
    vector: int
    inner: int
    """The tile dimension along which vectors lie."""
    least: int
    """Elements of the shortest vectors: more than one if a thread accesses whole bytes of them."""
    whole: bool
    """Whether each vector is always entirely inside or outside of the tensor."""
    address: ir.Value
    """The address of the thread's first element."""
    remaining: list[ir.Value | None]
    """The extent of the tile that is inside the tensor; None where it need not be checked. Where
    numbers are `short`, that of all of the tensor from the tile's start on: less than zero behind
    its end."""
    room: list[ir.Value | None]
    """The same, counted from the thread's first element: less than one if that is outside."""
    strides: list[Size]
    """The tensor's strides along the tile dimensions, in bytes."""
    sparse: Sparse | None
    predicate: ir.Value | None
    """Whether the thread makes any, i1; None means always."""
    _addresses: dict[tuple[int, ...], ir.Value] = field(default_factory=dict)

    @classmethod
    def of(
        cls, ctx: Context, op: Op, layout: LinearLayout, predicate: ir.Value | None = None
    ) -> TileAccess:
        """Return the accesses of an op with operands `view` and `index`, in a layout."""
        builder, view = ctx.builder, op.operands["view"]
        kind, tensor, dims = view.type, ctx.values[view], dimensions(view.type)
        size, inner = memory_bytes(kind.view.element), op.attributes["along"]
        word = I32 if op.attributes["narrow"] else I64
        strides = [_times(builder, tensor.strides[dim], size) for dim in dims]
        position = position_along(builder, ctx.position(layout), kind.tile)
        terms, remaining, sparse = [], [], None
        none = [False] * len(kind.tile)
        inbounds = op.attributes["inbounds"] or none
        short = op.attributes.get("short") or none
        for dim, index in enumerate(op.operands["index"]):
            extent = tensor.shape[dims[dim]]
            if dim == getattr(kind, "sparse_dim", None):
                sparse = Sparse.of(ctx, op, dim, strides[dim], None if inbounds[dim] else extent)
                remaining.append(None)
                continue
            number, step = ctx.unsigned(index), steps(kind)[dim]
            start = builder.mul(number, ir.Constant(I64, step))
            if word == I32 and isinstance(strides[dim], int):
                terms.append(_product(builder, number, step * strides[dim], word))
            else:
                terms.append(_product(builder, start, strides[dim], word))
            left = None
            if not inbounds[dim] and short[dim]:
                left = builder.sub(_as_type(builder, extent, I32), builder.trunc(start, I32))
            elif not inbounds[dim]:
                left = _remaining(builder, extent, start, kind.tile[dim])
            remaining.append(left)
        for dim, along in enumerate(position):
            if sparse is None or dim != sparse.dim:
                terms.append(_product(builder, along, strides[dim], word))
        if sparse is not None:
            strides[sparse.dim] = 0
        address = _plus(builder, tensor.base, terms)
        room = [
            None if left is None else builder.sub(left, along)
            for left, along in zip(remaining, position, strict=True)
        ]
        return cls(
            ctx,
            kind,
            layout,
            op.attributes["vector"],
            inner,
            min(op.attributes["vector"], 2 if is_packed(kind.view.element) else 1),
            op.attributes["whole"],
            address,
            remaining,
            room,
            strides,
            sparse,
            predicate,
        )

    def run(self, move: Move) -> Fragment:
        """Access the tile; return the values of loads, by offset."""
        if self.vector == self.least or self.whole:
            return self._in_vectors(move, self.vector)
        builder, left = self.ctx.builder, self.remaining[self.inner]
        for offset in self.layout.offsets():
            self.address_of(offset)  # addresses that both branches use have to stand before them
        partial_vector = builder.and_(left, ir.Constant(I32, self.vector - 1))
        fits = builder.icmp_unsigned("==", partial_vector, ir.Constant(I32, 0))
        wide, narrow = (partial(self._in_vectors, move, size) for size in (self.vector, self.least))
        return either(builder, fits, True, wide, narrow)

    def _in_vectors(self, move: Move, vector: int) -> Fragment:
        moved = {}
        for offset in self.starts(vector):
            offsets = [offset + self._weight * step for step in range(vector)]
            elements = move(self.address_of(offset), self._inside(offset), offsets)
            moved |= dict(zip(offsets, elements, strict=False))
        return moved

    def second_inside(self, offsets: Sequence[int]) -> ir.Value | None:
        """Return whether the second element of a vector is inside the tensor, i1, if that is not
        known from the first one."""
        if self.whole or len(offsets) > self.least:
            return None
        return self._inside(offsets[1])

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
        builder, predicate = self.ctx.builder, self.predicate
        for step, room in zip(coordinates(self.kind.tile, offset), self.room, strict=True):
            if room is not None:
                test = builder.icmp_signed(">", room, ir.Constant(I32, step))
                predicate = both(builder, predicate, test)
        return both(builder, predicate, self.sparse.inside(offset) if self.sparse else None)


@dataclass(slots=True)
class Sparse:
    """The indices along the sparse dimension of a gather/scatter view, in one thread."""

    builder: ir.IRBuilder
    dim: int
    stride: Size
    extent: Size | None
    """The tensor's extent along the dimension; None if all indices are known to be inside."""
    positions: Fragment
    """The fragment of the indices; its offsets count along the sparse dimension."""
    bases: list[int]

    @classmethod
    def of(cls, ctx: Context, op: Op, dim: int, stride: Size, extent: Size | None) -> Sparse:
        """Return the indices of an op along its view's sparse dimension."""
        positions = ctx.fragment(op.operands["index"][dim])
        bases = coordinate_images(op.operands["view"].type.tile, dim)
        return cls(ctx.builder, dim, stride, extent, positions, bases)

    def _position(self, offset: int) -> ir.Value:
        """Return the index for the element at an offset, zero-extended to i64."""
        number = self.positions[combine(self.bases, offset)]
        return number if number.type == I64 else self.builder.zext(number, I64)

    def distance(self, offset: int) -> ir.Value:
        """Return the bytes from index 0 to the index for the element at an offset."""
        return _times(self.builder, self._position(offset), self.stride)

    def inside(self, offset: int) -> ir.Value | None:
        """Return whether the index for an element is inside the tensor; None means always."""
        if self.extent is None:
            return None
        return self.builder.icmp_unsigned("<", self._position(offset), _number(self.extent))


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


def _product(builder: ir.IRBuilder, count: ir.Value, size: Size, kind: ir.IntType) -> ir.Value:
    """Return `count * size` in a type, modulo two to its width; both are unsigned."""
    return builder.mul(_as_type(builder, count, kind), _as_type(builder, size, kind))


def _as_type(builder: ir.IRBuilder, size: Size, kind: ir.IntType) -> ir.Value:
    """Return an unsigned number in a type, truncated or zero-extended."""
    if isinstance(size, int):
        return ir.Constant(kind, size & ((1 << kind.width) - 1))
    if size.type.width > kind.width:
        return builder.trunc(size, kind)
    return size if size.type == kind else builder.zext(size, kind)
