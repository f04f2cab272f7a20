"""One walk over a body that knows at each op which accesses may be incomplete in other threads.

These are the accesses since the last barrier, on whatever path: the *open* ones. Some stay for one
more barrier, together with it: so a walk can tell what that barrier alone has ordered. A copy that
is under way is open from the wait for it on.

What is done where an op has to wait for an open access is for subclasses: place a barrier, or note
down which pairs of accesses a barrier orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tileir.codegen.block import control_edges
from tileir.codegen.block.areas import behind
from tileir.codegen.block.control_edges import LOOPS, Edge
from tileir.codegen.block.types import Turn
from tileir.ir import Block, Op, Value

from . import memory_accesses, shared_accesses
from .memory_accesses import MemoryAccess, TokenOrder
from .shared_accesses import Place, SharedAccess, place_of

_ACQUIRING, _RELEASING = ("acquire", "acq_rel"), ("release", "acq_rel")


@dataclass(frozen=True, slots=True)
class Acquired:
    """One thread has acquired what others released; the block has behind the next barrier."""

    name: str
    around: bool = False


@dataclass(frozen=True, slots=True)
class Everything:
    """An op before which all accesses of memory have to be complete: it releases, or frees.

    Where it gives memory anew, only those of iterations before.
    """

    name: str
    around: bool = False


Access = SharedAccess | MemoryAccess | Acquired | Everything
Open = set[tuple[Access, Op | None]]
"""Accesses, each with the barrier that has been passed since, if any."""


class BarrierWalk:
    """A walk over a body, with the open accesses at each op."""

    def __init__(self, order: TokenOrder) -> None:
        self.order = order
        self._loops: list[tuple[Op, list[Open], list[Open]]] = []
        self._accesses: dict[Op, list[Access]] = {}

    def meet(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        """Look at the accesses of an op, and at the open ones; a subclass may change these."""

    def pass_barrier(self, barrier: Op, open_: Open) -> None:
        """Pass a barrier: by default, nothing is open any more but copies under way."""
        complete(open_)

    def block(self, block: Block, open_: Open | None) -> Open | None:
        """Walk a block; return what is open at its end, None if control leaves before."""
        for op in block.ops:
            if open_ is None:
                break
            open_ = self.op(op, open_)
        return open_

    def op(self, op: Op, open_: Open) -> Open | None:
        """Walk an op; return what is open behind it, None if control does not go on there."""
        if op.name == "barrier":
            self.pass_barrier(op, open_)
        elif op.name in LOOPS:
            return self.loop(op, open_)
        elif op.name == "if":
            return self._if(op, open_)
        elif op.name in ("continue", "break"):
            self._leave(op, open_)
            return None
        elif op.name == "return":
            return None
        elif op.name == "wait_group":
            self._arrive(op, open_)
        else:
            accesses = self.accesses(op)
            if accesses:
                self.meet(op, accesses, open_)
                self._add(op, accesses, open_)
        return open_

    def accesses(self, op: Op) -> list[Access]:
        """Return the accesses of an op."""
        if op not in self._accesses:
            self._accesses[op] = list(self._accesses_of(op))
        return self._accesses[op]

    def collide(self, op: Op, first: Access, second: Access) -> bool:
        """Whether a barrier has to stand between an open access and one of an op."""
        if isinstance(second, Everything):
            return isinstance(first, MemoryAccess) and (first.around or not second.around)
        if isinstance(second, SharedAccess):
            return isinstance(first, SharedAccess) and shared_accesses.collide(first, second)
        if isinstance(first, Acquired):
            return True
        if not isinstance(first, MemoryAccess) or not isinstance(second, MemoryAccess):
            return False
        return first in self.order.before(op) and memory_accesses.collide(first, second)

    def trips(self, loop: Op, open_: Open) -> Open | None:
        """Walk a loop until what is open at the start of an iteration stays the same."""
        if loop.name == "pipelined_for":
            start = renamed(open_, control_edges.entry(loop))
            prologue = loop.regions[1].block
            for trip in range(loop.attributes["ahead"]):
                if trip:
                    start = renamed(start, control_edges.prologue_again(loop))
                start = self.block(prologue, start) or set()
            start = renamed(start, control_edges.prologue_end(loop))
        else:
            start = renamed(open_, control_edges.entry(loop))
        while True:
            self._loops.append((loop, [], []))
            self.block(loop.regions[0].block, set(start))
            _, again, left = self._loops.pop()
            larger = start.union(*again)
            if larger == start:
                break
            start = larger
        if loop.name != "loop":
            left.append(renamed(open_, control_edges.left(loop, loop)))
        if not left:
            return None
        behind_ = set[tuple[Access, Op | None]]().union(*left)
        if loop.name == "pipelined_for":
            # No copy is under way: there was nothing left to copy.
            filled = set(_filled(loop))
            behind_ = {each for each in behind_ if not _is_copy_to(each[0], filled)}
        return behind_

    def loop(self, op: Op, open_: Open) -> Open | None:
        """Walk a loop; return what is open behind it."""
        return self.trips(op, open_)

    def _accesses_of(self, op: Op) -> Iterator[Access]:
        semantics = op.attributes.get("memory_ordering_semantics")
        inside = op.name == "alloca" and _in_loop(op)
        if semantics in _RELEASING or op.name == "heap_free" or inside:
            yield Everything(op.name, inside)
        if op in self.order.accesses:
            yield self.order.accesses[op]
        yield from shared_accesses.shared_accesses(op)

    def _add(self, op: Op, accesses: Iterable[Access], open_: Open) -> None:
        for access in accesses:
            # Copies read global memory until the barrier behind the wait for them.
            if isinstance(access, SharedAccess) or (
                isinstance(access, MemoryAccess) and op.name != "copy_async"
            ):
                open_.add((access, None))
        if op.attributes.get("memory_ordering_semantics") in _ACQUIRING:
            open_.add((Acquired(op.name), None))

    def _arrive(self, op: Op, open_: Open) -> None:
        """Wait for copies: what they have written in this slot is open from here on."""
        place = place_of(op.operands["turn"])
        tiles = {behind(ring)[0] for ring in op.operands["rings"]}
        for entry in list(open_):
            access = entry[0]
            if _is_copy_to(access, tiles) and shared_accesses.same_slot(access, place):
                open_.remove(entry)
                open_.add((replace(access, under_way=False), None))

    def _if(self, op: Op, open_: Open) -> Open | None:
        ends: list[Open] = []
        for region in op.regions:
            if not region.blocks:
                ends.append(set(open_))
            for inner in region.blocks:
                end = self.block(inner, set(open_))
                if end is not None:
                    ends.append(renamed(end, control_edges.joined(op, inner.ops[-1])))
        return set[tuple[Access, Op | None]]().union(*ends) if ends else None

    def _leave(self, end: Op, open_: Open) -> None:
        loop, again, left = self._loops[-1]
        if end.name == "continue":
            again.append(renamed(open_, control_edges.again(loop, end)))
        if end.name == "break" or loop.name != "loop":
            left.append(renamed(open_, control_edges.left(loop, end)))


def complete(open_: Open) -> None:
    """Pass a barrier: nothing is open any more but copies that are under way."""
    open_ -= {each for each in open_ if not is_under_way(each[0])}


def renamed(open_: Open, edge: Edge) -> Open:
    """Return what is open behind an edge: slots are told by the turns that are known there.

    The turns that are defined anew are not what they were before.
    """
    turns = [
        (place_of(value) if value is not None else None, target)
        for value, target in edge.pairs
        if isinstance(target.type, Turn)
    ]
    return {(_renamed(access, turns, edge.again), barrier) for access, barrier in open_}


def _renamed(access: Access, turns: Iterable[tuple[Place | None, Value]], around: bool) -> Access:
    if isinstance(access, SharedAccess) and access.place is not None:
        access = replace(access, place=_place_behind(access, turns))
    if around and not access.around and not isinstance(access, Everything):
        access = replace(access, around=True)
    return access


def _place_behind(
    access: SharedAccess, turns: Iterable[tuple[Place | None, Value]]
) -> Place | None:
    place, slots = access.place, access.tile.type.slots
    stale = False
    for passed, target in turns:
        if place is None or target.type.slots != slots:
            continue
        distance = place.behind(passed, slots) if passed is not None else None
        if distance is not None:
            return Place(target, distance)
        stale |= target is place.origin
    return shared_accesses.UNKNOWN if stale else place


def is_under_way(access: Access) -> bool:
    """Whether an access is a copy that has not been waited for."""
    return isinstance(access, SharedAccess) and access.under_way


def _is_copy_to(access: Access, tiles: set[Value]) -> bool:
    return is_under_way(access) and access.tile in tiles


def _filled(loop: Op) -> Iterator[Value]:
    """Yield the tiles that asynchronous copies in a loop go to."""
    for op in loop.walk():
        if op.name == "copy_async":
            yield behind(op.operands["destination"])[0]


def _in_loop(op: Op) -> bool:
    """Whether an op is in a loop."""
    around = op.parent.parent_op
    while around is not None:
        if around.name in LOOPS:
            return True
        around = around.parent.parent_op
    return False
