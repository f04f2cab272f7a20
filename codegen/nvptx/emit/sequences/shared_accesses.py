"""How the threads of a block access a tile in shared memory from a layout: vectors and addresses.

Where the tile's elements lie (`Shared.offsets`) and which of them a thread has (a layout) are both
linear, so everything follows from their composition: registers at the offsets 1, 2, 4, ... make a
vector, bits that no thread contributes become an immediate of the instruction, and bits with offset
0 number the parts, of which one is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from tileir.codegen.block.types import Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, combine, span
from tileir.codegen.layouts.shared_offsets import parts_of, side_by_side
from tileir.codegen.nvptx.emit.context import Context
from tileir.codegen.nvptx.machine.access import AccessShape
from tileir.codegen.scalar.types import memory_bytes

from .shared_addresses import SharedAddresses


class SharedAccesses:
    """The accesses of each thread to the elements that it has in a layout.

    Elements are numbered as the layout does; `offsets` says where each bit of a number puts them,
    in elements, `parts` is the mask of the bits that number parts. `moving` is a distance in bytes
    that is known at run time, with the mask of its bits, which are above those of a vector.
    """

    def __init__(
        self,
        ctx: Context,
        address: ir.Value,
        kind: Shared,
        layout: LinearLayout,
        offsets: Sequence[int] | None = None,
        moving: tuple[ir.Value, int] | None = None,
    ) -> None:
        self._offsets = kind.offsets if offsets is None else offsets
        self._size = memory_bytes(kind.element)
        self.parts = parts_of(self._offsets)
        vector = side_by_side(layout, self._offsets, self._size, moving[1] if moving else 0)
        self._steps = span(vector)
        self.shape = AccessShape(8 * self._size, len(self._steps))
        self.starts = span([base for base in layout.register if base not in vector])
        """The offsets, in the layout, of one element of each vector."""
        thread = [self.place(base) * self._size for base in layout.thread]
        self._addresses = SharedAddresses(ctx, address, thread, moving)

    def place(self, element: int) -> int:
        """Return the distance of an element from the start of the tile, in elements."""
        return combine(self._offsets, element)

    def together(self, offset: int) -> list[int]:
        """Return the offsets in the layout of a vector's elements, the first in memory first."""
        first = self._first(offset)
        return [offset ^ self._steps[step ^ first] for step in range(len(self._steps))]

    def at(self, offset: int) -> tuple[ir.Value, int]:
        """Return address and immediate of the vector with the element at an offset."""
        return self._addresses.at((self.place(offset) - self._first(offset)) * self._size)

    def _first(self, offset: int) -> int:
        return self.place(offset) & (len(self._steps) - 1)
