"""Lowering of loads and stores through tiles of pointers: vectors of elements, and their masks.

Neighbours whose addresses are known to be adjacent are accessed as a vector. Where their masks may
differ, although they seldom do, threads test at run time whether any do: then the warp accesses its
elements one by one. All other elements are accessed singly, each under its own mask.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir

from tileir.codegen.block.accesses import worked_on
from tileir.codegen.nvptx.machine import access
from tileir.codegen.nvptx.machine.access import bits_of, integer_type, value_of
from tileir.codegen.scalar.constants import constant
from tileir.ir import Op

from .context import Context, Fragment
from .sequences.either import either
from .sequences.pointer_vectors import PointerVectors, optional
from .sequences.shuffle import any_lane
from .sequences.tile_accesses import Address, Move, both, owner_of, space_of


class PointerAccess:
    """The accesses of one thread through a tile of pointers: vectors, each under a mask."""

    def __init__(self, ctx: Context, op: Op) -> None:
        self._builder, self._vectors = ctx.builder, PointerVectors.of(ctx, op)
        self._owner = owner_of(ctx, op, self._vectors.layout)
        self._masks = optional(ctx, op, "mask")
        self._vector, self._masked = op.attributes["vector"], op.attributes["masked"]

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
        for offsets in self._vectors.groups(vector):
            mask = both(self._builder, self._masks.get(offsets[0]), self._owner)
            elements = move(self._vectors.address_of(offsets[0]), mask, offsets)
            moved |= dict(zip(offsets, elements, strict=False))
        return moved

    def _masks_differ(self) -> ir.Value:
        """Return whether the thread has a vector whose elements have different masks."""
        builder, differ = self._builder, None
        for offsets in self._vectors.groups(self._vector):
            for offset in offsets[self._masked :: self._masked]:
                one = builder.xor(self._masks[offsets[0]], self._masks[offset])
                differ = one if differ is None else builder.or_(differ, one)
        return differ


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
