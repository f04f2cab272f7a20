"""Tensor views and the window of one that a tile covers.

A tile that lies wholly inside the tensor is moved by loops of constant length. One that crosses the
edge is moved by loops that end there; there is no test per element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llvmlite import ir

from tileir.ir import Op
from tileir.types import PartitionView

from ..scalar.types import OPAQUE, from_memory, memory_bytes, memory_type
from .loops import Bound
from .position import INDEX, ZERO, Position

if TYPE_CHECKING:
    from .lower import BlockLowering

ONE = ir.Constant(INDEX, 1)


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor view at run time: address, extents and strides (in elements), all i64."""

    base: ir.Value
    shape: tuple[ir.Value, ...]
    strides: tuple[ir.Value, ...]


def unsigned_index(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """An integer of any width, read as unsigned, as an index."""
    return value if value.type == INDEX else builder.zext(value, INDEX)


def make_tensor(lowering: BlockLowering, op: Op) -> Tensor:
    """The tensor of a make_tensor_view op."""
    kind = op.result.type

    def filled(sizes: Sequence[int | None], slot: str) -> tuple[ir.Value, ...]:
        dynamic: Iterator = iter(op.operands[slot])
        return tuple(
            unsigned_index(lowering.builder, lowering.single(next(dynamic)))
            if size is None
            else ir.Constant(INDEX, size)
            for size in sizes
        )

    base = lowering.single(op.operands["base"])
    return Tensor(base, filled(kind.shape, "dynamicShape"), filled(kind.strides, "dynamicStrides"))


def index_space(lowering: BlockLowering, op: Op) -> list[ir.Value]:
    """How many tiles there are along each dimension of a partition view."""
    builder, kind = lowering.builder, op.operands["src"].type
    tensor = lowering.tensors[id(op.operands["src"])]
    counts = []
    for extent, dimension in zip(kind.tile, kind.dim_map, strict=True):
        size = tensor.shape[dimension]
        whole = builder.lshr(size, ir.Constant(INDEX, extent.bit_length() - 1))
        rest = builder.and_(size, ir.Constant(INDEX, extent - 1))
        partial = builder.zext(builder.icmp_unsigned("!=", rest, ZERO), INDEX)
        counts.append(builder.add(whole, partial))
    return counts


class Window:
    """The part of a tensor that one tile of a partition view covers.

    `apart_from` is the scope of the memory that a loop reading the window may write to.
    """

    def __init__(self, lowering: BlockLowering, op: Op) -> None:
        self._builder = builder = lowering.builder
        self.apart_from: ir.MDValue | None = None
        view = op.operands["view"]
        kind: PartitionView = view.type
        tensor = lowering.tensors[id(view)]
        self.tile = kind.tile
        self.element = kind.view.element
        self._strides = [tensor.strides[d] for d in kind.dim_map]
        self._limits = []
        origin = ZERO
        for d, index in enumerate(op.operands["index"]):
            number = unsigned_index(builder, lowering.single(index))
            start = builder.mul(number, ir.Constant(INDEX, self.tile[d]))
            self._limits.append(self._limit(tensor.shape[kind.dim_map[d]], start, self.tile[d]))
            origin = builder.add(origin, builder.mul(start, self._strides[d]))
        base = builder.inttoptr(tensor.base, OPAQUE)
        self._origin = builder.gep(base, [origin], source_etype=memory_type(self.element))

    def _limit(self, size: ir.Value, start: ir.Value, extent: int) -> ir.Value:
        """How many of the tile's elements along one dimension are inside the tensor."""
        builder, most = self._builder, ir.Constant(INDEX, extent)
        left = builder.sub(size, start)
        left = builder.select(builder.icmp_signed("<", left, ZERO), ZERO, left)
        return builder.select(builder.icmp_signed("<", left, most), left, most)

    def is_inside(self) -> ir.Value:
        """Whether no element of the tile is outside the tensor."""
        builder = self._builder
        inside = ir.Constant(ir.IntType(1), 1)
        for limit, extent in zip(self._limits, self.tile, strict=True):
            whole = builder.icmp_unsigned("==", limit, ir.Constant(INDEX, extent))
            inside = builder.and_(inside, whole)
        return inside

    def bounds(self) -> list[Bound]:
        """The limits as loop bounds; the outermost loop sees to dimensions that need none."""
        builder = self._builder
        bounds: list[Bound] = [1 if extent == 1 else ZERO for extent in self.tile]
        valid = ir.Constant(ir.IntType(1), 1)
        for limit, extent in zip(self._limits, self.tile, strict=True):
            if extent == 1:
                valid = builder.and_(valid, builder.icmp_unsigned("!=", limit, ZERO))
        outermost = True
        for d, extent in enumerate(self.tile):
            if extent > 1:
                bounds[d] = self._limits[d]
                if outermost:
                    bounds[d] = builder.select(valid, bounds[d], ZERO)
                outermost = False
        if outermost:
            bounds[0] = builder.zext(valid, INDEX)
        return bounds

    @property
    def inner(self) -> int | None:
        """The dimension whose elements lie side by side in memory, if known."""
        for d, stride in enumerate(self._strides):
            if self.tile[d] > 1 and isinstance(stride, ir.Constant) and stride.constant == 1:
                return d
        return None

    def address(self, position: Position) -> ir.Value:
        """Where the element at a position of the tile is."""
        builder, total = self._builder, ZERO
        for index, stride in zip(position.indices, self._strides, strict=True):
            if index is ZERO:
                continue
            term = builder.mul(index, stride)
            if isinstance(stride, ir.Constant) and stride.constant == 1:
                term = index
            total = term if total is ZERO else builder.add(total, term)
        return builder.gep(self._origin, [total], source_etype=memory_type(self.element))

    def span(self) -> tuple[ir.Value, ir.Value]:
        """First address of the window, and the first behind it, if no element is outside."""
        builder = self._builder
        size = ir.Constant(INDEX, memory_bytes(self.element))
        elements = ONE
        for extent, stride in zip(self.tile, self._strides, strict=True):
            reach = builder.mul(ir.Constant(INDEX, extent - 1), stride)
            elements = builder.add(elements, reach)
        start = builder.ptrtoint(self._origin, INDEX)
        return start, builder.add(start, builder.mul(elements, size))

    def load(self, position: Position) -> ir.Instruction:
        """The element as it lies in memory."""
        stored = memory_type(self.element)
        address = self.address(position)
        return self._builder.load(address, typ=stored, align=memory_bytes(self.element))

    def element_at(self, position: Position) -> ir.Value:
        """The element, read by a loop that writes elsewhere."""
        stored = self.load(position)
        if self.apart_from is not None:
            stored.set_metadata("noalias", self.apart_from)
        return from_memory(self._builder, stored, self.element)

    def store(self, position: Position, stored: ir.Value) -> ir.Instruction:
        """Write the element as it lies in memory."""
        address = self.address(position)
        return self._builder.store(stored, address, align=memory_bytes(self.element))
