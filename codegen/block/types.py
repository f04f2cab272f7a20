"""Types of the block IR: where a tile lives, and what is still under way.

`Frag` is a tile in registers; wherever Tile IR has a rule about tiles, it is a tile. A tile of one
element has no layout: it stays a `Tile`, which every thread holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.scalar.types import memory_bytes
from tileir.types import Element, Tile


@dataclass(frozen=True, slots=True)
class Frag(Tile):
    """A tile in registers, spread over the threads of the block by a linear layout."""

    layout: LinearLayout = field(kw_only=True)

    @property
    def tile(self) -> Tile:
        """The tile without its layout."""
        return Tile(self.element, self.shape)


@dataclass(frozen=True, slots=True)
class Shared:
    """A tile in shared memory, in one slot of a ring if `slots` is 1, else in each of them.

    `offsets` says where an element lies, counted in elements from the tile's address: the exclusive
    or of the offsets of the bits that are set in the element's row-major number. A bit with offset
    0 has no effect: elements that differ in it alone share a place (one piece of a tile is there at
    a time, or the tile repeats).
    """

    element: Element
    shape: tuple[int, ...]
    offsets: tuple[int, ...]
    slots: int = 1

    @property
    def bytes(self) -> int:
        """Bytes of one slot."""
        highest = max((offset.bit_length() for offset in self.offsets), default=0)
        return memory_bytes(self.element) << highest

    @property
    def slot(self) -> Shared:
        """The type of one slot."""
        return Shared(self.element, self.shape, self.offsets)


@dataclass(frozen=True, slots=True)
class Flight:
    """Tiles in shared memory that asynchronous copies of this thread are still making.

    It has no value at run time. It is linear: on every path it is consumed exactly once, by the
    wait that turns it into tiles, or by being handed on.
    """

    tiles: tuple[Shared, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """The number of a slot of a ring. Only `first_turn` and `advance` make one."""

    slots: int
