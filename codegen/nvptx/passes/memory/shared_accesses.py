"""Accesses of shared memory: what an op reads and writes, and whether two accesses can collide.

A tile in a ring is told from the same tile in other slots by its *turn*, relative to another turn:
where that one comes from, and how often it was advanced since. Two turns of one origin are in
different slots if these numbers differ; of two origins nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import loop_block
from tileir.codegen.block.op_facts import (
    ACCESSES,
    BY_FIRST_WARP,
    COPIES,
    SAME_MEMORY,
    accessed,
    exchanged,
)
from tileir.codegen.block.types import Frag, Mbarrier, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, rank
from tileir.ir import Block, Op, Value

_FIRST = "first turn"
_BY_FIRST_WARP = {*BY_FIRST_WARP}


class Place(NamedTuple):
    """A slot of a ring: `number` turns behind the turn `origin`; None is an origin unknown."""

    origin: Value | str | None
    number: int

    def behind(self, other: Place, slots: int) -> int | None:
        """Return by how many turns this one is behind another; None if that is unknown."""
        if self.origin is None or self.origin != other.origin:
            return None
        return (self.number - other.number) % slots


UNKNOWN = Place(None, 0)


class Exchange(NamedTuple):
    """Which thread accesses which bytes: the type of the memory, the layout, and the part.

    A tile of one element has no layout; every thread has it.
    """

    kind: Shared
    layout: LinearLayout | None
    part: int | None


class SharedAccess(NamedTuple):
    """An access of a tile in shared memory, as far as later ones may have to wait for it."""

    name: str
    tile: Value
    writes: bool
    place: Place | None = None
    """The slot, if the tile is in a ring."""
    exchange: Exchange | None = None
    under_way: bool = False
    """Whether it is a copy that has not been waited for: no barrier completes it."""
    block: Block | None = None
    """The body or prologue of the innermost loop around it; None outside of loops."""
    around: Op | None = None
    """The outermost loop of which it is of an earlier iteration."""
    passed: bool = False
    """Whether it is open only because a loop behind it makes no trips."""
    several: bool = False
    """Whether more than one barrier has been passed since."""

    def __hash__(self) -> int:
        """What tells most accesses apart; types and layouts take long."""
        return hash((self.name, self.tile, self.place, self.around, self.passed))


def place_of(turn: Value | None) -> Place:
    """Return the slot of a turn."""
    number = 0
    while turn is not None and isinstance(turn.owner, Op):
        if turn.owner.name == "first_turn":
            return Place(_FIRST, number)
        if turn.owner.name != "advance":
            break
        turn, number = turn.owner.operands["turn"], number + 1
    return UNKNOWN if turn is None else Place(turn, number)


def shared_accesses(op: Op) -> Iterator[SharedAccess]:
    """Yield the accesses of an op to shared memory."""
    if op.name == "role":  # a barrier within it would be of its own warps only
        used = {value: None for inner in op.walk() for value in inner.operand_list()}
        for value in used:
            if isinstance(value.type, Mbarrier):
                yield SharedAccess(op.name, value, False)
        return
    for value, writes in accessed(op):
        if isinstance(value.type, Mbarrier):
            yield SharedAccess(op.name, value, writes)
        else:
            yield _access(op, value, writes)


def reads_of(tile: Value) -> Iterator[SharedAccess]:
    """Yield the reads of a tile in shared memory, and of views of it."""
    for use in tile.uses:
        if use.slot == SAME_MEMORY.get(use.op.name):
            yield from reads_of(use.op.results[use.index or 0])
        elif use.slot in ACCESSES.get(use.op.name, ()):
            yield _access(use.op, tile, False)


def same_slot(access: SharedAccess, place: Place | None) -> bool:
    """Whether an access may be to the slot at a place."""
    if access.place is None or place is None:
        return True
    return access.place.behind(place, cast(Shared, access.tile.type).slots) in (0, None)


def collide(first: SharedAccess, second: SharedAccess) -> bool:
    """Whether a barrier has to stand between two accesses.

    It need not where each thread alone accesses its bytes both times. Of threads with copies of an
    element one stores it, but all of them load it.
    """
    if first.tile is not second.tile or not (first.writes or second.writes) or first.under_way:
        return False
    if not same_slot(first, second.place) or {first.name, second.name} <= _BY_FIRST_WARP:
        return False
    exchange = second.exchange
    if exchange is None or first.exchange != exchange or not _one_to_one(exchange):
        return True
    if first.writes and second.writes:
        return False
    return exchange.layout is None or exchange.layout.replicas != 0


def _one_to_one(exchange: Exchange) -> bool:
    """Whether no byte is of two elements."""
    offsets = [each for each in exchange.kind.offsets if each or exchange.part is None]
    return rank(offsets) == len(offsets)


def _access(op: Op, value: Value, writes: bool) -> SharedAccess:
    tile, turn = behind(value)
    place = place_of(turn) if cast(Shared, tile.type).slots > 1 else None
    exchange, kind = None, exchanged(op)
    if kind is not None:
        layout = kind.layout if isinstance(kind, Frag) else None
        exchange = Exchange(cast(Shared, value.type).slot, layout, op.attributes["part"])
    under_way, block = op.name in COPIES, loop_block(op.parent)
    return SharedAccess(op.name, tile, writes, place, exchange, under_way, block)
