"""The vectors of one thread in a tile of pointers, and their addresses."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tileir.codegen.block.accesses import worked_on
from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.nvptx.emit.context import Context, Fragment
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op

from .tile_accesses import Address


@dataclass(slots=True)
class PointerVectors:
    """The pointers that one thread has, of an access through pointers."""

    layout: LinearLayout
    pointers: Fragment
    size: int
    """Bytes of an element."""
    run: int
    """Neighbours that are contiguous in memory."""
    weight: int
    """The distance of neighbours along the dimension of vectors, in element numbers."""

    @classmethod
    def of(cls, ctx: Context, op: Op) -> PointerVectors:
        """Return those of an op."""
        value, attributes = worked_on(op), op.attributes
        kind = value.type
        weight = prod(kind.shape[attributes["along"] + 1 :])
        size = memory_bytes(kind.pointee)
        return cls(ctx.layout(value), ctx.fragment(value), size, attributes["run"], weight)

    def groups(self, vector: int) -> list[list[int]]:
        """Return the offsets of the elements of each vector."""
        first = [o for o in self.layout.offsets() if not o & self.weight * (vector - 1)]
        return [[offset + self.weight * step for step in range(vector)] for offset in first]

    def address_of(self, offset: int) -> Address:
        """Return the address of an element; those of one run share that of the first of them."""
        within = offset & self.weight * (self.run - 1)
        return self.pointers[offset ^ within], within // self.weight * self.size


def optional(ctx: Context, op: Op, slot: str) -> Fragment:
    """Return the fragment of an optional operand; empty if it is absent."""
    value = op.operands[slot]
    return {} if value is None else ctx.fragment(value)
