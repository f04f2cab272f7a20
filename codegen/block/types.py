"""Types of the block IR: where a tile lives, and what is still under way.

`Frag` is a tile in registers; wherever Tile IR has a rule about tiles, it is a tile. A tile of one
element has no layout: it stays a `Tile`, which every thread holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tileir.codegen.layouts.linear_layout import LinearLayout
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir.type_kinds import remembering
from tileir.ir.type_kinds import type_problem as tile_ir_problem
from tileir.types import Element, Tile, ValueType

from .notation import spelled_layout, spelled_offsets


@dataclass(frozen=True, slots=True)
class Frag(Tile):
    """A tile in registers, spread over the threads of the block by a linear layout."""

    layout: LinearLayout = field(kw_only=True)

    @property
    def bare(self) -> Tile:
        """The tile without its layout."""
        return Tile(self.element, self.shape)

    def with_element(self, element: Element) -> Frag:
        """Return the type of a tile of other elements in the same layout."""
        return Frag(element, self.shape, layout=self.layout)

    def __str__(self) -> str:
        return self.spelled(spelled_layout(self.layout, self.shape))

    def spelled(self, layout: str) -> str:
        """Return the type as text, with that text for its layout."""
        return f"frag<{_sized(self)}, {layout}>"


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

    def __str__(self) -> str:
        return self.spelled(spelled_offsets(self.offsets, self.shape))

    def spelled(self, offsets: str) -> str:
        """Return the type as text, with that text for its offsets."""
        slots = f", slots={self.slots}" if self.slots != 1 else ""
        return f"shared<{_sized(self)}, {offsets}{slots}>"


@dataclass(frozen=True, slots=True)
class Flight:
    """Tiles that are still being made: in shared memory, by asynchronous copies of this thread, or
    in registers, by a matrix product of the warpgroup.

    It is linear: on every path it is consumed exactly once, by the wait that turns it into tiles,
    or by being handed on. A flight in shared memory has no value at run time.
    """

    tiles: tuple[Shared | Frag, ...]

    def __str__(self) -> str:
        return f"flight<{', '.join(map(str, self.tiles))}>"


def registers_of(kind: ValueType) -> Tile | None:
    """Return the tile whose registers a value of a type has; None if it has none.

    The registers of a product under way are those of its accumulator.
    """
    if isinstance(kind, Flight) and isinstance(kind.tiles[0], Frag):
        return kind.tiles[0]
    return kind if isinstance(kind, Tile) else None


@dataclass(frozen=True, slots=True)
class Turn:
    """The number of a slot of a ring. Only `first_turn` and `advance` make one.

    If it is `phased`, it has the phase as well that an mbarrier of the slot is in when the slot is
    filled: it changes whenever the turn is that of the first slot again.
    """

    slots: int
    phased: bool = False

    def __str__(self) -> str:
        return f"turn<{self.slots}{', phased' if self.phased else ''}>"


@dataclass(frozen=True, slots=True)
class Mbarrier:
    """An mbarrier in shared memory for each slot of a ring."""

    slots: int

    @property
    def bytes(self) -> int:
        """Bytes of all of them."""
        return _MBARRIER_BYTES * self.slots

    def __str__(self) -> str:
        return f"mbarrier<{self.slots}>"


_MBARRIER_BYTES = 8


def _sized(tile: Frag | Shared) -> str:
    return "x".join([*map(str, tile.shape), str(tile.element)])


def type_problem(value: Any) -> str:
    """Return why a value is no type of the block IR, or an illegal one; "" if it is legal."""
    return _remembered(value)


def _type_problem(value: Any) -> str:
    match value:
        case Frag():
            return _frag_problem(value)
        case Shared():
            return _shared_problem(value)
        case Flight():
            return next(filter(None, map(type_problem, value.tiles)), "")
        case Turn() | Mbarrier():
            return "" if value.slots > 0 else f"{value}: a ring has at least one slot"
    return tile_ir_problem(value)


def _frag_problem(frag: Frag) -> str:
    wrong = tile_ir_problem(frag.bare)
    if wrong:
        return wrong
    if frag.size == 1:
        return f"{frag}: a tile of one element has no layout"
    if 1 << frag.layout.bits != frag.size:
        return f"{frag}: the layout is of {1 << frag.layout.bits} elements"
    return "" if frag.layout.is_complete else f"{frag}: no thread has some of the elements"


def _shared_problem(shared: Shared) -> str:
    tile = Tile(shared.element, shared.shape)
    wrong = tile_ir_problem(tile)
    if wrong:
        return wrong
    if 1 << len(shared.offsets) != tile.size:
        return f"{shared}: offsets for {1 << len(shared.offsets)} elements"
    if any(offset < 0 for offset in shared.offsets):
        return f"{shared}: an offset is negative"
    return "" if shared.slots > 0 else f"{shared}: a ring has at least one slot"


_remembered = remembering(_type_problem, {})
