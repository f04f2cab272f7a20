"""Lowering of loads and stores through tiles of pointers: vectors of elements, and their masks.

Neighbours whose addresses are known to be adjacent are accessed as a vector. Where their masks may
differ, although they seldom do, threads test at run time whether any do: then the warp accesses its
elements one by one. All other elements are accessed singly, each under its own mask.
"""

from __future__ import annotations

from functools import partial
from math import prod

from llvmlite import ir

from tileir.codegen.block.accesses import worked_on
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.scalar.constants import constant
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .context import Context, Fragment
from .sequences.either import either
from .sequences.shuffle import any_lane
from .sequences.tile_accesses import Address, Move, both, owner_of, space_of


class PointerAccess:
    """The accesses of one thread through a tile of pointers: vectors, each under a mask."""

    def __init__(self, ctx: Context, op: Op) -> None:
        pointers = worked_on(op)
        kind, attributes = pointers.type, op.attributes
        self._builder, self._layout = ctx.builder, ctx.layout(pointers)
        self._owner = owner_of(ctx, op, self._layout)
        self._pointers = ctx.fragment(pointers)
        self._masks = optional(ctx, op, "mask")
        self._size = memory_bytes(kind.pointee)
        self._vector, self._masked = attributes["vector"], attributes["masked"]
        self._run = attributes["run"]
        self._weight = prod(kind.shape[attributes["along"] + 1 :])
        """The distance of neighbours along the dimension of vectors, in element numbers."""

    def run(self, move: Move) -> Fragment:
        """Access all elements; return the values of loads, by offset."""
        if self._vector == self._masked or not self._masks:
            return self._in_vectors(move, self._vector)
        # The branch is uniform in the warp: its lanes have to reach barriers together.
        differ = any_lane(self._builder, self._masks_differ())
        narrow, wide = (
            partial(self._in_vectors, move, size) for size in (self._masked, self._vector)
        )
        return either(self._builder, differ, False, narrow, wide)

    def _in_vectors(self, move: Move, vector: int) -> Fragment:
        moved: dict[int, ir.Value] = {}
        for offsets in self._groups(vector):
            mask = both(self._builder, self._masks.get(offsets[0]), self._owner)
            elements = move(self._address_of(offsets[0]), mask, offsets)
            moved |= dict(zip(offsets, elements, strict=False))
        return moved

    def _groups(self, vector: int) -> list[list[int]]:
        """Return the offsets of each vector."""
        first = [o for o in self._layout.offsets() if not o & self._weight * (vector - 1)]
        return [[offset + self._weight * step for step in range(vector)] for offset in first]

    def _address_of(self, offset: int) -> Address:
        """Return the address of an element; those of one run share that of the first of them."""
        within = offset & self._weight * (self._run - 1)
        return self._pointers[offset ^ within], within // self._weight * self._size

    def _masks_differ(self) -> ir.Value:
        """Return whether the thread has a vector whose elements have different masks."""
        builder, differ = self._builder, None
        for offsets in self._groups(self._vector):
            for offset in offsets[self._masked :: self._masked]:
                one = builder.xor(self._masks[offsets[0]], self._masks[offset])
                differ = one if differ is None else builder.or_(differ, one)
        return differ


def optional(ctx: Context, op: Op, slot: str) -> Fragment:
    """Return the fragment of an optional operand; empty if it is absent."""
    value = op.operands[slot]
    return {} if value is None else ctx.fragment(value)


def load_ptr_tko(ctx: Context, op: Op) -> None:
    """Lower load_ptr_tko; a masked element is the padding, or zero."""
    builder, element, space = ctx.builder, op.results[0].type.element, space_of(op)
    padding, zero = optional(ctx, op, "paddingValue"), constant(element, 0)
    offsets = ctx.layout(worked_on(op)).offsets()
    others = {o: bits_of(builder, padding.get(o, zero), element) for o in offsets}

    def move(address: Address, mask: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        shape = access.AccessShape(integer_type(element).width, len(offsets))
        other = [others[offset] for offset in offsets]
        return access.load(builder, shape, *address, mask, other, space)

    loaded = PointerAccess(ctx, op).run(move)
    ctx.define(op.results[0], {o: value_of(builder, bits, element) for o, bits in loaded.items()})


def store_ptr_tko(ctx: Context, op: Op) -> None:
    """Lower store_ptr_tko."""
    builder, value, space = ctx.builder, op.operands["value"], space_of(op)
    element = value.type.element
    bits = {o: bits_of(builder, each, element) for o, each in ctx.fragment(value).items()}

    def move(address: Address, mask: ir.Value | None, offsets: list[int]) -> list[ir.Value]:
        shape = access.AccessShape(integer_type(element).width, len(offsets))
        elements = [bits[offset] for offset in offsets]
        access.store(builder, shape, *address, mask, elements, space)
        return []

    PointerAccess(ctx, op).run(move)


LOWERINGS = {
    "load_ptr_tko": load_ptr_tko,
    "store_ptr_tko": store_ptr_tko,
}
