"""Accesses through a tile of pointers: vectors of elements, and their masks.

Neighbours whose addresses are known to be adjacent are accessed as a vector. Where their masks may
differ, although they seldom do, threads test at run time whether any do: then the warp accesses its
elements one by one. All other elements are accessed singly, each under its own mask.
"""

from __future__ import annotations

from functools import partial
from math import prod

from llvmlite import ir

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.either import either
from tileir.codegen.nvptx.emit.fragments import EmitContext, Fragment
from tileir.codegen.nvptx.emit.shuffle import any_lane
from tileir.codegen.nvptx.schedule.pointer_facts import pointer_vectors, pointers_of
from tileir.codegen.nvptx.schedule.view_facts import ACCESS_BYTES, vector_in
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .tile_access import Address, Move, remark_width


class PointerAccess:
    """The accesses of one thread through a tile of pointers: vectors, each under a mask.

    `owner` says whether the thread makes any; `widest` is the most elements of an access.
    """

    def __init__(
        self,
        ctx: EmitContext,
        op: Op,
        layout: LinearLayout,
        owner: ir.Value | None,
        widest: int = ACCESS_BYTES,
    ) -> None:
        self.ctx, self.layout, self.owner = ctx, layout, owner
        pointers = pointers_of(op)
        self.pointers = ctx.operand(op, pointers, layout)
        self.masks = optional(ctx, op, "mask", layout)
        self.size = memory_bytes(pointers.type.pointee)
        self.vector = self.masked = self.run_length = self.weight = 1
        vectors = pointer_vectors(op, ctx.kernel)
        if vectors is not None:
            shape = pointers.type.shape
            self.vector = min(vectors.elements, vector_in(layout, shape, vectors.inner), widest)
            self.masked = min(vectors.masked, self.vector)
            self.weight = prod(shape[vectors.inner + 1 :])
            self.run_length = vectors.run if layout.is_permutation else self.vector
        divided = self.masks and self.vector != self.masked
        otherwise = f"in vectors of {self.masked} where masks differ" if divided else ""
        remark_width(ctx, op, layout, self.size, self.vector, otherwise)

    def run(self, move: Move) -> Fragment:
        """Access all elements; return the values of loads, by offset."""
        if self.vector == self.masked or not self.masks:
            return self._in_vectors(move, self.vector)
        builder = self.ctx.builder
        # The branch is uniform in the warp: its lanes have to reach barriers together.
        differ = any_lane(builder, self._masks_differ())
        narrow, wide = (
            partial(self._in_vectors, move, size) for size in (self.masked, self.vector)
        )
        return either(builder, differ, False, narrow, wide)

    def _in_vectors(self, move: Move, vector: int) -> Fragment:
        moved: dict[int, ir.Value] = {}
        for offsets in self._groups(vector):
            mask = _both(self.ctx.builder, self.masks.get(offsets[0]), self.owner)
            elements = move(self._address_of(offsets[0]), mask, offsets)
            moved |= dict(zip(offsets, elements, strict=False))
        return moved

    def _groups(self, vector: int) -> list[list[int]]:
        """Return the offsets of each vector."""
        first = [o for o in self.layout.offsets() if not o & self.weight * (vector - 1)]
        return [[offset + self.weight * step for step in range(vector)] for offset in first]

    def _address_of(self, offset: int) -> Address:
        """Return the address of an element; those of one run share that of the first of them."""
        within = offset & self.weight * (self.run_length - 1)
        return self.pointers[offset ^ within], within // self.weight * self.size

    def _masks_differ(self) -> ir.Value:
        """Return whether the thread has a vector whose elements have different masks."""
        builder, differ = self.ctx.builder, None
        for offsets in self._groups(self.vector):
            for offset in offsets[self.masked :: self.masked]:
                one = builder.xor(self.masks[offsets[0]], self.masks[offset])
                differ = one if differ is None else builder.or_(differ, one)
        return differ


def _both(builder: ir.IRBuilder, mask: ir.Value | None, owner: ir.Value | None) -> ir.Value | None:
    if mask is None or owner is None:
        return owner if mask is None else mask
    return builder.and_(mask, owner)


def optional(ctx: EmitContext, op: Op, slot: str, layout: LinearLayout) -> dict[int, ir.Value]:
    """Return the fragment of an optional operand; empty if it is absent."""
    value = op.operands[slot]
    return {} if value is None else dict(ctx.operand(op, value, layout))
